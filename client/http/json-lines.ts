/** Answers of one JSON value a line: read one by one, and told apart from those that were cut (contract-gaps 9). */
import type { Readable } from 'node:stream'
import { ClientError } from '../client-error.ts'
import { splitLines } from './body.ts'

/** What the lines between the first and the last one prove. */
interface Told {
  /** The first line said that a last one comes. */
  ends: boolean
  /** How many lines were to come, as far as the first one says so. */
  total: number | undefined
  /** How many came, besides the first and the last. */
  came: number
  /** What the last line said came. */
  sent: number | undefined
}

/**
 * Every value, those of the first and last line too. A stream may end in good order and yet lack something: whatever stands between here
 * and `from`, such as a proxy, may have been cut. Throws ClientError ANSWER_CUT then, instead of the end.
 *
 * Where the first line says `ends: true`, only the last line, `{end: true, entries}`, proves that all has come: `total` is an estimate.
 * Servers from before that say nothing of an end. There the stream has to have `total` lines; with fewer, nobody can say whether it was
 * cut or entries were deleted meanwhile, and it counts as cut.
 */
export async function* jsonLines(body: Readable, from: string): AsyncGenerator<unknown> {
  let told: Told | undefined
  for await (const line of splitLines(body)) {
    const value = parsed(line) ?? (told ? cut(told, from) : refuse(from))
    told = told ? next(told, value) : first(value)
    yield value
  }
  if (told && !isWhole(told)) cut(told, from)
}

/** Undefined for half a line. */
function parsed(line: string): object | undefined {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function first(value: object): Told {
  const { ends, total } = value as { ends?: unknown; total?: unknown }
  return { ends: ends === true, total: typeof total === 'number' ? total : undefined, came: 0, sent: undefined }
}

function next(told: Told, value: object): Told {
  const { end, entries } = value as { end?: unknown; entries?: unknown }
  if (told.ends && end === true) return { ...told, sent: typeof entries === 'number' ? entries : undefined }
  return { ...told, came: told.came + 1, sent: undefined }
}

const isWhole = ({ ends, total = 0, came, sent }: Told): boolean => (ends ? sent === came : came >= total)

function cut({ total, came }: Told, from: string): never {
  const of = total === undefined ? '' : ` of about ${total}`
  throw new ClientError('ANSWER_CUT', `The answer of ${from} was cut: ${came}${of} entries came.`)
}

function refuse(from: string): never {
  throw new ClientError('NOT_A_LIBRARY', `${from} answered with something that is not JSON.`)
}
