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
  const found = await (reference.startsWith('/') ? atPath(api, reference) : named(api, reference))
  const [only, second] = found
  if (only && !second) return only.id
  if (only) throw ambiguous(reference, found)
  const isPath = reference.startsWith('/')
  throw new Refusal({
    code: 'ENTRY_NOT_FOUND',
    exit: exits.failed,
    message: isPath ? `No entry lies at ${reference}.` : `No entry is named "${reference}".`,
    next: `Look it up with \`ph entries\`.${isPath ? '' : ' A name must be given whole.'}`,
  })
}

/** `/Game/Props/SM_Barrel`, also with `.SM_Barrel` as the editor copies it; `.glb` means the source file beside it. */
async function atPath(api: Api, path: string): Promise<EntrySummary[]> {
  const [packageName = path, suffix] = path.split('.', 2)
  if (!/^\/Game(\/[A-Za-z0-9_-]+)+$/i.test(packageName))
    throw wrongUsage(`${path} is not a path of the library.`, 'Paths begin with /Game, like /Game/Props/SM_Barrel.')
  const origin_path = [`/Game${packageName.slice('/Game'.length)}`]
  const { entries } = await api.entries.list({ origin_path, include_deprecated: true })
  const isObject = suffix?.toLowerCase() === packageName.split('/').at(-1)?.toLowerCase()
  return suffix === undefined || isObject ? packageFirst(entries) : withExtension(entries, suffix)
}

/** A name as it is shown, or with the extension of a source file behind it. */
async function named(api: Api, name: string): Promise<EntrySummary[]> {
  if (name.trim() === '' || [...name].length > limits.names.entry)
    throw wrongUsage('That is not the name of an entry.', 'Give an id, a name, or a path that begins with /Game.')
  const { entries } = await api.entries.list({ name: [name], include_deprecated: true })
  const [, stem, extension] = /^(.+)\.([^.]+)$/.exec(name) ?? []
  if (entries.length > 0 || stem === undefined || extension === undefined) return packageFirst(entries)
  return withExtension((await api.entries.list({ name: [stem], include_deprecated: true })).entries, extension)
}

/** Where a package and the files it was made from have one name, the package is meant. */
function packageFirst(found: EntrySummary[]): EntrySummary[] {
  const packages = found.filter(({ source_ext }) => source_ext === null)
  return packages.length > 0 ? packages : found
}

const withExtension = (found: EntrySummary[], extension: string): EntrySummary[] =>
  found.filter(({ source_ext }) => (source_ext ?? 'uasset') === extension.toLowerCase())

function ambiguous(reference: string, found: readonly EntrySummary[]): Refusal {
  const shown = found
    .slice(0, MOST_CANDIDATES)
    .map(({ id, entry_type, origin_path, pack }) => `${id} (${entry_type}, ${origin_path ?? pack.name})`)
  const more = found.length > shown.length ? ' and more' : ''
  return new Refusal({
    code: 'ENTRY_AMBIGUOUS',
    exit: exits.failed,
    message: `"${reference}" is the name of several entries: ${shown.join(', ')}${more}.`,
    next: 'Name one of them by its id.',
    details: { entry_ids: found.map(({ id }) => id) },
  })
}
