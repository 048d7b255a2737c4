/** Notes as they are typed: what is new, what someone is about to do, why. */
import { limits } from '../../contract/limits.ts'
import { wrongUsage } from '../refusal.ts'
import { number } from '../terminal/amounts.ts'

/** Reads the text of an option: not empty, and not longer than the library takes. */
export const readText =
  (name: string) =>
  (given: string): string => {
    const text = given.trim()
    const length = [...text].length
    if (length === 0)
      throw wrongUsage(`${name} takes a text, and this one is empty.`, `Write it like this: ${name} "Straight table legs"`)
    if (length <= limits.note) return text
    throw wrongUsage(`${name} takes up to ${number(limits.note)} characters, and these are ${number(length)}.`, 'Say it shorter.')
  }
