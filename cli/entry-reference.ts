/** What a person types to mean an entry: its id, its name, or its /Game path. */
import type { Api } from '../client/api.ts'
import type { EntrySummary } from '../contract/entries.ts'
import { exits } from '../contract/errors.ts'
import { limits } from '../contract/limits.ts'
import { Refusal, wrongUsage } from './refusal.ts'

const MOST_CANDIDATES = 8

/** The id of the one entry that is meant. Throws Refusal `ENTRY_NOT_FOUND` or `ENTRY_AMBIGUOUS`; ids are not looked up. */
export async function requireEntryId(api: Api, reference: string): Promise<number> {
  if (/^\d{1,15}$/.test(reference) && Number(reference) > 0) return Number(reference)
  const isPath = reference.startsWith('/')
  const found = isPath ? await atPath(api, reference) : await named(api, reference)
  const [only, second] = found
  if (only && !second) return only.id
  if (only) throw ambiguous(reference, found)
  throw new Refusal({
    code: 'ENTRY_NOT_FOUND',
    exit: exits.failed,
    message: isPath ? `No entry lies at ${reference}.` : `No entry is named "${reference}".`,
    next: 'Look it up with `ph entries`. A name must be given whole.',
  })
}

/** `/Game/Props/SM_Barrel.SM_Barrel`, as the editor copies it, means the package before the dot. */
async function atPath(api: Api, path: string): Promise<EntrySummary[]> {
  const package_ = path.split('.')[0] ?? path
  if (!/^\/Game(\/[A-Za-z0-9_-]+)+$/i.test(package_))
    throw wrongUsage(`${path} is not a path of the library.`, 'Paths begin with /Game, like /Game/Props/SM_Barrel.')
  const origin_path = [`/Game${package_.slice('/Game'.length)}`]
  return (await api.entries.list({ origin_path, include_deprecated: true })).entries
}

async function named(api: Api, name: string): Promise<EntrySummary[]> {
  if (name.trim() === '' || [...name].length > limits.names.entry)
    throw wrongUsage('That is not the name of an entry.', 'Give an id, a name, or a path that begins with /Game.')
  return (await api.entries.list({ name: [name], include_deprecated: true })).entries
}

function ambiguous(reference: string, found: readonly EntrySummary[]): Refusal {
  const shown = found.slice(0, MOST_CANDIDATES).map(({ id, origin_path, pack }) => `${id} (${origin_path ?? pack.name})`)
  const more = found.length > shown.length ? ' and more' : ''
  return new Refusal({
    code: 'ENTRY_AMBIGUOUS',
    exit: exits.failed,
    message: `Several entries are named "${reference}": ${shown.join(', ')}${more}.`,
    next: 'Name one of them by its id or its path.',
    details: { entry_ids: found.map(({ id }) => id) },
  })
}
