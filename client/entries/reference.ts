/** What a person types to mean entries: ids, names that they have or had within a year, or /Game paths. */

import type { EntrySummary } from '../../contract/entries.ts'
import { limits } from '../../contract/limits.ts'
import { nameKey } from '../../contract/names.ts'
import { printable } from '../../system/printable.ts'
import { shellWord } from '../../system/shell-word.ts'
import { ClientError } from '../client-error.ts'
import type { Api } from '../http/api.ts'
import { deletedBy } from './deletion.ts'
import { type PageCalls, readEntryPages } from './pages.ts'

const mostCandidates = 8
const mostSuggested = 4

/** The calls that it takes; with `lineages` it is told what was deleted. */
export interface ReferenceCalls extends PageCalls {
  entries: PageCalls['entries'] & Partial<Pick<Api['entries'], 'find'>>
  lineages?: Pick<Api['lineages'], 'find'>
  /** The project in which they are typed: of several entries of one name or path, the one that lies there is meant. */
  project?: () => Promise<string | undefined>
}

/** The id of the one entry that is meant. Throws ClientError `ENTRY_NOT_FOUND` or `ENTRY_AMBIGUOUS`; ids are not looked up. */
export async function requireEntryId(library: ReferenceCalls, reference: string): Promise<number> {
  const [id] = await requireEachEntryId(library, [reference])
  if (id === undefined) throw new Error('a reference was not resolved')
  return id
}

/** The ids that are meant, in order, each once. Throws as above. */
export async function requireEntryIds(library: ReferenceCalls, references: readonly string[]): Promise<number[]> {
  return [...new Set(await requireEachEntryId(library, references))]
}

/** The id that each reference means; many names and paths are looked up with one request. Throws as above. */
export async function requireEachEntryId(library: ReferenceCalls, references: readonly string[]): Promise<number[]> {
  return (await requireEachEntry(library, references)).map(({ id }) => id)
}

/** What each reference means: ids as they are, names and paths as they were looked up. Throws as above. */
export async function requireEachEntry(
  library: ReferenceCalls,
  references: readonly string[],
): Promise<({ id: number } | EntrySummary)[]> {
  const meant = references.map(readReference)
  const candidates = await findCandidates(library, meant)
  const unknown = meant.filter((one): one is Named => 'key' in one && !one.isPath && matches(one, candidates).length === 0)
  const otherwise = await findKnownAs(library, unknown)
  const found = meant.map((one): EntrySummary[] => {
    if ('id' in one) return []
    const named = matches(one, candidates)
    return named.length > 0 ? named : matches(one, otherwise)
  })
  const own = await findOwn(
    library,
    found.filter(({ length }) => length > 1),
  )
  const entries: ({ id: number } | EntrySummary)[] = []
  for (const [at, one] of meant.entries())
    entries.push('id' in one ? one : await requireOne(library, one, preferOwn(found[at] ?? [], own)))
  return entries
}

/** The lineages of several candidates that lie in the project in which they are typed. */
async function findOwn({ lineages, project }: ReferenceCalls, several: readonly EntrySummary[][]): Promise<Set<string>> {
  const name = several.length > 0 ? await project?.() : undefined
  if (name === undefined || !lineages) return new Set()
  const paths = new Set(several.flat().flatMap((entry) => placeOf(entry) ?? []))
  const asked = { project: name, paths: [...paths].slice(0, limits.lineagesFound), after: 0 }
  // An older server refuses the question: then they are several.
  const found = await lineages.find({ places: asked }).catch(() => undefined)
  return new Set(found?.places?.map(({ lineage_id }) => lineage_id))
}

const placeOf = ({ origin_path, source_ext }: EntrySummary): string | undefined =>
  origin_path === null ? undefined : `${origin_path.toLowerCase()}${source_ext === null ? '' : `.${source_ext}`}`

function preferOwn(found: EntrySummary[], own: ReadonlySet<string>): EntrySummary[] {
  const here = found.filter(({ lineage_id }) => own.has(lineage_id))
  return here.length > 0 ? here : found
}

interface Named {
  reference: string
  /** In lower case: a name or a package name under /Game. */
  key: string
  /** As typed, without an extension that may belong to it. */
  stem: string
  /** What stands behind the last dot, in lower case. */
  extension: string | undefined
  isPath: boolean
}

type Meant = { id: number } | Named

function readReference(reference: string): Meant {
  if (/^\d{1,15}$/.test(reference) && Number(reference) > 0) return { id: Number(reference) }
  if (reference.startsWith('/')) return readPath(reference)
  if (reference.trim() === '' || [...reference].length > limits.names.entry)
    throw new ClientError('USAGE', 'That is not the name of an entry.', {
      next: 'Give an id, a name, or a path that begins with /Game.',
    })
  const [, stem = reference, extension] = /^(.+)\.([^.]+)$/.exec(reference) ?? []
  return { reference, key: nameKey(reference), stem, extension: extension?.toLowerCase(), isPath: false }
}

/** `/Game/Props/SM_Barrel`, also with `.SM_Barrel` as the editor copies it; `.glb` means the source file beside it. */
function readPath(reference: string): Named {
  const [packageName = reference, suffix] = reference.split('.', 2)
  if (!/^\/Game(\/[A-Za-z0-9_-]+)+$/i.test(packageName)) {
    const name = packageName.split('/').at(-1)
    const next =
      /^\/Game\//i.test(packageName) && name
        ? `Paths have letters a-z, digits, _ and - only. Give its name: ${shellWord(name)}`
        : 'Paths begin with /Game, like /Game/Props/SM_Barrel.'
    throw new ClientError('USAGE', `${reference} is not a path of the library.`, { next })
  }
  const key = packageName.toLowerCase()
  const isObject = suffix?.toLowerCase() === key.split('/').at(-1)
  return { reference, key, stem: key, extension: isObject ? undefined : suffix?.toLowerCase(), isPath: true }
}

interface Candidates {
  byName: Map<string, EntrySummary[]>
  byPath: Map<string, EntrySummary[]>
}

/** So many of the longest names and paths still fit into the line of a request. */
const longestQuery = 8000

async function findCandidates(library: PageCalls, meant: readonly Meant[]): Promise<Candidates> {
  const named = meant.filter((one): one is Named => 'key' in one)
  const paths = new Set(named.flatMap(({ isPath, key }) => (isPath ? [`/Game${key.slice('/game'.length)}`] : [])))
  // With composed accents, as names are kept; otherwise as typed: a library has its own rules for lower case.
  const names = new Set(
    named.flatMap(({ isPath, reference, stem }) => (isPath ? [] : [reference.normalize('NFC'), stem.normalize('NFC')])),
  )
  const atPaths = await lookUp(library, 'origin_path', [...paths])
  const withNames = await lookUp(library, 'name', [...names])
  return {
    byPath: Map.groupBy(atPaths, ({ origin_path }) => origin_path?.toLowerCase() ?? ''),
    byName: Map.groupBy(withNames, ({ name }) => nameKey(name)),
  }
}

/**
 * Of names that no entry has: the entries that had them within a year, or whose file has them. Servers that do not know the question list
 * anything: only a page is read, and what is not called so is not meant.
 */
async function findKnownAs(library: PageCalls, unknown: readonly Named[]): Promise<Candidates> {
  const found: EntrySummary[] = []
  for (const part of partsOf([...new Set(unknown.flatMap(({ reference, stem }) => [reference, stem]))]))
    found.push(...(await library.entries.list({ known_as: part, include_deprecated: true, limit: limits.page.max })).entries)
  const named = found.flatMap((entry) => (entry.other_names ?? []).map((name) => [name.toLowerCase(), entry] as const))
  const byName = new Map<string, EntrySummary[]>()
  for (const [name, entry] of named) byName.set(name, [...(byName.get(name) ?? []), entry])
  return { byPath: new Map(), byName }
}

async function lookUp(library: PageCalls, field: 'name' | 'origin_path', values: readonly string[]): Promise<EntrySummary[]> {
  const found: EntrySummary[] = []
  for (const part of partsOf(values))
    found.push(...(await readEntryPages(library, { [field]: part, include_deprecated: true })).entries)
  return found
}

function partsOf(values: readonly string[]): string[][] {
  const parts: string[][] = []
  let part: string[] = []
  let length = 0
  for (const value of values) {
    const more = encodeURIComponent(value).length + '&origin_path='.length
    if (part.length === limits.page.max || length + more > longestQuery) {
      parts.push(part)
      part = []
      length = 0
    }
    part.push(value)
    length += more
  }
  return part.length > 0 ? [...parts, part] : parts
}

function matches({ isPath, key, stem, extension }: Named, { byName, byPath }: Candidates): EntrySummary[] {
  const found = (isPath ? byPath : byName).get(key) ?? []
  if (isPath) return extension === undefined ? packageFirst(found) : withExtension(found, extension)
  if (found.length > 0 || extension === undefined) return packageFirst(found)
  return withExtension(byName.get(nameKey(stem)) ?? [], extension)
}

/** Where a package and the files it was made from have one name, the package is meant. */
function packageFirst(found: EntrySummary[]): EntrySummary[] {
  const packages = found.filter(({ source_ext }) => source_ext === null)
  return packages.length > 0 ? packages : found
}

const withExtension = (found: EntrySummary[], extension: string): EntrySummary[] =>
  found.filter(({ source_ext }) => (source_ext ?? 'uasset') === extension)

async function requireOne(
  library: ReferenceCalls,
  { reference, isPath }: Named,
  found: readonly EntrySummary[],
): Promise<EntrySummary> {
  const [only, second] = found
  if (only && !second) return only
  if (only) throw await ambiguous(library, reference, found)
  const deleted = isPath ? undefined : await findDeleted(library, reference)
  if (deleted) throw deleted
  throw new ClientError('ENTRY_NOT_FOUND', isPath ? `No entry lies at ${reference}.` : `No entry is named "${reference}".`, {
    next: isPath ? 'Look it up with `ph search`.' : await meantPerhaps(library, reference),
  })
}

/** Undefined where the library does not say that. */
async function findDeleted({ lineages }: ReferenceCalls, name: string): Promise<ClientError | undefined> {
  const answer = await lineages?.find({ names: [name] }).catch(() => undefined)
  const [deleted] = answer?.deleted ?? []
  if (!deleted) return undefined
  return new ClientError('ENTRY_NOT_FOUND', `${printable(name)} was deleted in the library ${printable(deletedBy(deleted))}.`, {
    details: { deleted },
    next: 'Where you have its file, it can be brought back as a new prop: `ph push <file> --held new`',
  })
}

/** Names that search finds by the one that was typed: `Barrel` may have meant `SM_Barrel`, or `inn/Barrel`. */
async function meantPerhaps(library: PageCalls, reference: string): Promise<string> {
  const search = `ph search ${shellWord(reference)}`
  const { entries } = await library.entries.list({ q: reference, limit: mostSuggested }).catch(() => ({ entries: [] }))
  const names = [...new Set(entries.map(({ name }) => shellWord(printable(name))))]
  return names.length === 0
    ? `Names must be given whole; look for it with \`${search}\`.`
    : `Did you mean ${names.join(' or ')}? Names must be given whole; look for more with \`${search}\`.`
}

async function ambiguous({ entries }: ReferenceCalls, reference: string, found: readonly EntrySummary[]): Promise<ClientError> {
  const named = found.slice(0, mostCandidates)
  const details = await entries.find?.({ entry_ids: named.map(({ id }) => id) }).catch(() => undefined)
  const projects = new Map(details?.entries.map(({ id, face }) => [id, face.pushed_from]))
  const shown = named.map(({ id, entry_type, origin_path, pack }) => {
    const project = projects.get(id)
    const from = project ? `, from ${printable(project)}` : ''
    return `${id} (${entry_type.replaceAll('_', ' ')}, ${origin_path ?? pack.name}${from})`
  })
  const more = found.length > shown.length ? ' and more' : ''
  return new ClientError('ENTRY_AMBIGUOUS', `"${reference}" is the name of several entries: ${shown.join(', ')}${more}.`, {
    details: { entry_ids: found.map(({ id }) => id) },
  })
}
