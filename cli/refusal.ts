/** The error a command throws when it knows what is wrong and what to do about it. */
import { exits } from '../contract/errors.ts'
import { among } from './command.ts'
import { number } from './terminal/amounts.ts'

export interface RefusalCase {
  /** For programs; upper case with underscores, like the service's codes. */
  code: string
  exit: number
  /** What is wrong, naming the thing, as a sentence. */
  message: string
  /** What to do next, as a sentence. */
  next: string
  details?: Record<string, unknown>
}

export class Refusal extends Error {
  readonly code: string
  readonly exit: number
  readonly next: string
  readonly details: Record<string, unknown>

  constructor({ code, exit, message, next, details = {} }: RefusalCase) {
    super(message)
    this.name = 'Refusal'
    this.code = code
    this.exit = exit
    this.next = next
    this.details = details
  }
}

/** Wrong usage: exit code 2. */
export const wrongUsage = (message: string, next: string): Refusal =>
  new Refusal({ code: 'USAGE', exit: exits.usage, message, next })

/** A plain failure: exit code 1. */
export const failed = (code: string, message: string, next: string): Refusal =>
  new Refusal({ code, exit: exits.failed, message, next })

/** The person said no: that is told, and is no error. Exit code 1. */
export const declined = (message: string): Refusal =>
  new Refusal({ code: 'DECLINED', exit: exits.failed, message, next: 'Run the same command again and answer y to do it.' })

/** Reads a whole number within bounds out of an option's value; `name` is the option as typed. */
export const wholeNumber =
  (name: string, min: number, max: number) =>
  (given: string): number => {
    const read = /^\d{1,15}$/.test(given) ? Number(given) : Number.NaN
    if (read >= min && read <= max) return read
    throw wrongUsage(
      `${name} takes a whole number${max === Number.MAX_SAFE_INTEGER ? '' : ` from ${min} to ${number(max)}`}, not "${given}".`,
      `Write it like this: ${name} ${Math.max(min, Math.min(max, 50))}`,
    )
  }

/** Reads one of several words out of an option's value, however its parts are joined: `in-review`, `in_review`. */
export const choiceOf = <const T extends string>(name: string, choices: readonly T[]) =>
  among(
    choices.map((choice) => choice.replaceAll('_', '-')),
    (given: string): T => {
      const typed = given
        .trim()
        .toLowerCase()
        .replaceAll(/[\s-]+/g, '_')
      const found = choices.find((choice) => choice === typed)
      if (found !== undefined) return found
      throw wrongUsage(`${name} does not take "${given}".`, `It takes ${choices.join(', ').replaceAll('_', '-')}.`)
    },
  )
