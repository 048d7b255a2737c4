/**
 * When the things were made that a change was about. A library that was set back to an earlier state may have given a number out again, where
 * that was not by `ph server restore`: under it lies something else then, made at another time by another person.
 */
import { addresses } from '../../contract/addresses.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Api, CallOptions } from '../http/api.ts'

/** By kind and number: `comments 12`. */
export type Births = Record<string, string>

type Fields = Record<string, unknown>
type Send = (input?: Fields, options?: CallOptions) => unknown

/** The same calls; `hear` is told of every answer, and what it throws is thrown on. */
export function heardBy(api: Api, hear: (noun: string, answer: unknown) => void): Api {
  const plain = api as unknown as Record<string, Record<string, Send>>
  const nouns = Object.keys(addresses).map((noun) => {
    const calls = Object.entries(plain[noun] ?? {}).map(([verb, send]): [string, Send] => [
      verb,
      (input, options) => {
        const sent = send(input, options)
        const told = (answer: unknown) => {
          hear(noun, answer)
          return answer
        }
        return sent instanceof Promise ? sent.then(told) : sent
      },
    ])
    return [noun, Object.fromEntries(calls)]
  })
  return Object.fromEntries(nouns) as Api
}

export function noteBirths(births: Births, noun: string, answer: unknown): void {
  for (const [key, born] of birthsIn(noun, answer)) births[key] ??= born
}

/** Throws CONFLICT where one of the numbers is another thing's now. */
export function requireSame(births: Births, noun: string, answer: unknown): void {
  for (const [key, born] of birthsIn(noun, answer)) {
    if (births[key] === undefined || births[key] === born) continue
    const [, id] = key.split(' ')
    const message = `Number ${id} is something else now: the library was set back to an earlier state, and gave it out again.`
    throw new ApiError('CONFLICT', message)
  }
}

/** The thing that is answered, those of a list, and the check-outs and rounds among them. Tags say of no time, and are known by their names. */
function birthsIn(noun: string, answer: unknown): [key: string, born: string][] {
  if (!isFields(answer)) return []
  const things = [answer, ...Object.values(answer).flatMap((one) => (Array.isArray(one) ? one.filter(isFields) : []))]
  return things.flatMap((thing) => [
    ...birthOf(noun, thing),
    ...birthOf('locks', thing.lock),
    ...birthOf('reviewRequests', thing.request),
  ])
}

function birthOf(kind: string, thing: unknown): [key: string, born: string][] {
  if (!isFields(thing)) return []
  const { id, created_at, date_added, date_indexed } = thing
  const born = created_at ?? date_added ?? date_indexed
  return typeof id === 'number' && typeof born === 'string' ? [[`${kind} ${id}`, born]] : []
}

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)
