/** Answers that fit into the memory of an assistant, and in which nothing hides: lists are cut to a budget, invisible characters go. */
import type { Fields } from './tool.ts'

/** About 8,000 tokens, of four characters each. */
export const answerChars = 32_000
const longText = 2000

/** Characters of control and of format, which nobody sees, but for line ends, tabs, and what joins emoji. */
const invisible = /[^\P{Cc}\n\r\t]|[^\P{Cf}\u200d]|[\u2028\u2029]/gu

/** The value without invisible characters in any of its texts. */
export function visible<T>(value: T): T {
  if (typeof value === 'string') return value.replaceAll(invisible, '') as T
  if (Array.isArray(value)) return value.map(visible) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key.replaceAll(invisible, ''), visible(one)])) as T
}

export interface Bounded {
  answer: Fields
  /** How many rows of which list are missing. */
  leftOff: Record<string, number>
}

/** Runs a tool so that its answer fits: a page that is too long is asked for again, shorter; what has no pages is cut. */
export async function bounded(run: (input: Fields) => Promise<Fields>, input: Fields, chars = answerChars): Promise<Bounded> {
  let answer = await run(input)
  const size = sizeOf(answer)
  const rows = size > chars && 'next_cursor' in answer ? Object.values(answer).find(Array.isArray)?.length : undefined
  if (rows !== undefined && rows > 1)
    answer = await run({ ...input, limit: Math.max(1, Math.floor((rows * chars * 0.9) / size)) })
  const leftOff: Record<string, number> = {}
  while (sizeOf(answer) > chars) {
    const cut = cutLargest(answer, chars)
    if (!cut) break
    leftOff[cut.path] = (leftOff[cut.path] ?? 0) + cut.rows
  }
  if (sizeOf(answer) > chars) answer = shortened(answer) as Fields
  return { answer: visible(answer), leftOff }
}

const sizeOf = (value: unknown): number => JSON.stringify(value)?.length ?? 0

interface Found {
  list: unknown[]
  path: string
  size: number
}

/** Shortens the largest list, wherever it is; undefined where no list is left that could be. */
function cutLargest(answer: Fields, chars: number): { path: string; rows: number } | undefined {
  const largest = listsIn(answer, '').reduce<Found | undefined>((a, b) => (a && a.size >= b.size ? a : b), undefined)
  if (!largest) return undefined
  const { list, path, size } = largest
  const room = Math.max(0, chars - (sizeOf(answer) - size))
  const kept = Math.min(list.length - 1, Math.floor((list.length * room * 0.95) / size))
  return { path, rows: list.splice(kept).length }
}

function listsIn(value: unknown, path: string): Found[] {
  if (typeof value !== 'object' || value === null) return []
  const own = Array.isArray(value) && value.length > 0 ? [{ list: value, path, size: sizeOf(value) }] : []
  if (Array.isArray(value)) return own
  return Object.entries(value).flatMap(([key, one]) => listsIn(one, path ? `${path}.${key}` : key))
}

/** What is left are long texts. */
function shortened(value: unknown): unknown {
  if (typeof value === 'string') return value.length > longText ? `${value.slice(0, longText)}…` : value
  if (Array.isArray(value)) return value.map(shortened)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shortened(one)]))
}
