/** Ranges of numbers as people type them: `100..2k`, `100..`, `..2k`, or `100` alone. */
import { wrongUsage } from '../../refusal.ts'

/** Both ends count; one of them may be open. */
export interface NumberRange {
  min?: number
  max?: number
}

const units: Record<string, number> = { '': 1, k: 1000, m: 1_000_000 }

/** Reads a range out of the value of the option `name`; `k` is a thousand, `M` a million. `whole`: of whole numbers only. */
export function numberRange(name: string, { whole }: { whole: boolean }): (given: string) => NumberRange {
  return (given) => {
    const [low = '', high = low, ...more] = given.split('..')
    const [min, max] = [readAmount(low), readAmount(high)]
    const ends = [min, max].filter((end) => end !== undefined)
    const isRange = ends.length > 0 && more.length === 0 && ends.every(whole ? Number.isInteger : Number.isFinite)
    if (isRange && (min ?? 0) <= (max ?? Number.POSITIVE_INFINITY))
      return { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) }
    throw wrongUsage(
      isRange
        ? `The range "${given}" of ${name} begins with the larger number.`
        : `${name} takes a range of ${whole ? 'whole ' : ''}numbers, not "${given}".`,
      `Write it like this: ${name} 100..2000, ${name} 100.. or ${name} ..2k`,
    )
  }
}

/** Undefined for an open end, NaN for what is no amount. */
function readAmount(text: string): number | undefined {
  if (text === '') return undefined
  const [, digits = '', unit = ''] = /^(\d{1,12}(?:\.\d{1,6})?)([km]?)$/i.exec(text) ?? []
  return digits === '' ? Number.NaN : Number(digits) * (units[unit.toLowerCase()] ?? 1)
}

/** A range as it can be typed again. */
export const rangeText = ({ min, max }: NumberRange): string => (min === max ? `${min}` : `${min ?? ''}..${max ?? ''}`)
