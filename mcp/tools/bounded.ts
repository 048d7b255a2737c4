/** Answers that fit into the memory of an assistant, and in which nothing hides: what is too long is cut, invisible characters go. */
import { fitted } from './fitted.ts'
import type { Fields } from './tool.ts'

/** About 8,000 tokens, of four characters each. */
export const answerChars = 32_000

export interface Bounded {
  answer: Fields
  /** How many rows and fields are missing, by where: in the contract's own names (`FieldPath`). */
  leftOff: Record<string, number>
}

/** Runs a tool so that its answer fits: a page that is too long is asked for again, shorter; what has no pages is cut. */
export async function bounded(run: (input: Fields) => Promise<Fields>, input: Fields, chars = answerChars): Promise<Bounded> {
  const whole = await run(input)
  const first = answerOf(whole, chars)
  const limit = rowsThatFit(whole, first.answer)
  return limit === undefined ? first : answerOf(await run({ ...input, limit }), chars)
}

function answerOf(whole: Fields, chars: number): Bounded {
  const { value, leftOff } = fitted(whole, chars)
  return { answer: value as Fields, leftOff }
}

/** How long a page may be; undefined where it fits, and where it is none. Another page may have longer rows, so it is a little less. */
function rowsThatFit(whole: Fields, kept: Fields): number | undefined {
  if (!('next_cursor' in whole)) return undefined
  let fewest: number | undefined
  for (const [key, rows] of Object.entries(whole)) {
    if (!Array.isArray(rows) || rows.length < 2) continue
    const fitting = Array.isArray(kept[key]) ? kept[key].length : 0
    if (fitting < rows.length) fewest = Math.min(fewest ?? fitting, fitting)
  }
  return fewest === undefined ? undefined : Math.max(1, Math.floor(fewest * 0.95))
}
