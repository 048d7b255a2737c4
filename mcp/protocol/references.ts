/** Props as people name them in prompts: by id, name or path. */
import { own } from '../tools/said.ts'
import type { Ask } from '../tools/tool.ts'
import { wrongArgument } from './failures.ts'

const named = 5

/** Throws a ProtocolError that says which there are. */
export async function entryIdOf(ask: Ask, given: string): Promise<number> {
  const reference = given.trim()
  if (/^\d{1,15}$/.test(reference)) return Number(reference)
  const asked = reference.slice(0, 200)
  const found = await ask('entries', 'list', {
    ...(asked.startsWith('/') ? { path: [asked] } : { name: [asked] }),
    limit: named + 1,
  })
  const entries = found.entries.filter(({ id }) => Number.isSafeInteger(id))
  const [one, other] = entries
  if (one && !other) return one.id
  if (!one) throw wrongArgument(own`There is no prop of that name. Give its id, its whole name or its /Game path.`, { asked })
  const ids = entries.slice(0, named).map(({ id }) => id)
  throw wrongArgument(own`Several props are called that: give the id of one, such as ${ids}.`)
}
