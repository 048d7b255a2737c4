/** Documents with the chosen fields only: `--fields entries.id,next_cursor`. */
import type { TSchema } from 'typebox'
import { wrongUsage } from '../refusal.ts'
import { number } from '../terminal/amounts.ts'
import type { Documents } from '../terminal/output.ts'
import { fieldsOf } from './schemas/fields.ts'

/** Fields that are kept, each with those below it; undefined keeps it whole. */
export type Chosen = Map<string, Chosen | undefined>

/** More of them are no list that someone typed. */
const mostNames = 200
const wholeDepth = 12

/**
 * The fields that these names mean: whole ones as `--fields` lists them, or the end of one that is meant by nothing else. What the
 * schema leaves open is taken as it was typed.
 */
export function chosenFields(names: string, { schema, words }: { schema: TSchema; words: string }): Chosen {
  const given = names.split(',').map((name) => name.trim())
  if (given.length > mostNames) throw wrongUsage(`--fields takes at most ${number(mostNames)} names.`, 'Name fewer.')
  const known = fieldsOf(schema, wholeDepth).map(({ name }) => name)
  const chosen: Chosen = new Map()
  for (const name of given) add(chosen, fieldMeant(name, known, words).split('.'))
  return chosen
}

function fieldMeant(name: string, known: readonly string[], words: string): string {
  const list = `List them with \`ph ${words} --fields\`.`
  if (name === '') throw wrongUsage('--fields has an empty name.', list)
  if (known.length === 0 || known.includes(name) || isBelowOpen(name, known)) return name
  const depthOf = (field: string) => field.split('.').length
  const ends = known.filter((field) => field.endsWith(`.${name}`))
  const least = Math.min(...ends.map(depthOf))
  const [meant, other] = ends.filter((field) => depthOf(field) === least)
  if (meant === undefined) throw wrongUsage(`\`ph ${words}\` has no field "${name}".`, list)
  if (other !== undefined) throw wrongUsage(`"${name}" could be ${meant} or ${other}.`, 'Write the whole name.')
  return meant
}

/** Below a field that has none of its own in the schema, such as the details of an error. */
function isBelowOpen(name: string, known: readonly string[]): boolean {
  const above = known.filter((field) => name.startsWith(`${field}.`)).sort((a, b) => b.length - a.length)[0]
  return above !== undefined && !known.some((field) => field.startsWith(`${above}.`))
}

function add(chosen: Chosen, [name = '', ...below]: readonly string[]): void {
  const there = chosen.get(name)
  if (chosen.has(name) && there === undefined) return
  if (below.length === 0) return void chosen.set(name, undefined)
  const inner: Chosen = there ?? new Map()
  chosen.set(name, inner)
  add(inner, below)
}

/** The same document with these fields. A list keeps its length; a field that is not there stays away. */
export function pick(document: unknown, chosen: Chosen): unknown {
  if (Array.isArray(document)) return document.map((one) => pick(one, chosen))
  if (typeof document !== 'object' || document === null) return document
  const fields = document as Record<string, unknown>
  return Object.fromEntries(
    [...chosen].flatMap(([name, below]) =>
      Object.hasOwn(fields, name) ? [[name, below ? pick(fields[name], below) : fields[name]]] : [],
    ),
  )
}

type Ended = Documents & AsyncDisposable

/** Prints what is picked of each document. */
export const pickedDocuments = (whole: Ended, chosen: Chosen): Ended => ({
  print: (document, form) => whole.print(pick(document, chosen), form),
  printed: () => whole.printed(),
  [Symbol.asyncDispose]: () => whole[Symbol.asyncDispose](),
})
