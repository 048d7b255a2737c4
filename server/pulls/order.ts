/** From an order to what it brings: the entries, the versions, and everything they need (spec 4.3). */

import { ApiError, validationError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { type MisnamedFile, misnamedWarnings } from '../../contract/misnamed.ts'
import { clashError } from '../../contract/pull-clashes.ts'
import type { PullJobEntry, PullOrder, PullWarning } from '../../contract/pull-jobs.ts'
import { amongIds, lookupIds } from '../database/among.ts'
import type { Sql } from '../database/sql.ts'
import { atOneMoment } from '../database/transaction.ts'
import { needsOf, type Reached, selectEdgesWithin } from '../dependencies/edges.ts'
import { inTurn } from '../dependencies/heavy-walks.ts'
import { setReadingOf, type Versions } from '../dependencies/rows.ts'
import { tooEntangled, walk } from '../dependencies/walk.ts'
import { holdCollection, requireCollection, selectCollectionEntryIds } from '../rows/collection.ts'
import { holdEntries } from '../rows/hold.ts'
import { selectLastSet, selectSetsOf, selectUnchangedParts } from '../rows/levels/sets.ts'
import { findPlaces, findProject, placeKey } from '../rows/places.ts'
import { type PullFile, selectPullFiles } from '../rows/pull-job.ts'
import type { VersionFacts } from '../rows/version.ts'
import { findBrokenReferences } from './broken-references.ts'
import { findClashes, preferNewest, withoutReturned } from './destinations.ts'
import { leaveOutMisnamed } from './misnamed.ts'

export interface Resolved {
  entries: (PullJobEntry & { lineage_id: string })[]
  files: PullFile[]
  misnamed: MisnamedFile[]
  warnings: PullWarning[]
}

export interface OrderRequest {
  sql: Sql
  workspace: { id: number }
  input: PullOrder
}

/** The ids of the ordered entries, each once, those of a collection as it is now. Exactly one of `entries` and `collection_id` is given. */
export async function selectOrdered({ sql, workspace, input }: OrderRequest): Promise<number[]> {
  const { entries, collection_id } = input
  requireOneWay(input)
  if (!collection_id) return [...new Set(entries?.map(({ entry_id }) => entry_id))]
  const { name } = await requireCollection(sql, workspace.id, collection_id)
  const most = limits.pullJob.entries
  const ids = await selectCollectionEntryIds(sql, workspace.id, { collectionId: collection_id, limit: most + 1 })
  const refuse = (message: string) => validationError([{ path: 'collection_id', message }])
  if (ids.length === 0) throw refuse(`the collection "${name}" is empty; there is nothing to pull`)
  if (ids.length > most) throw refuse(`the collection "${name}" holds more than ${most} entries; pull them in several jobs`)
  return ids
}

function requireOneWay({ entries, collection_id }: PullOrder): void {
  if ((entries === undefined || entries === null) === (collection_id === undefined || collection_id === null))
    throw validationError([{ path: 'entries', message: 'or `collection_id` must be given, one of the two' }])
}

/**
 * The same, held until the transaction ends. Nobody puts entries into the collection meanwhile; those that were deleted before they
 * could be held are no longer in it.
 */
export async function holdOrdered(request: OrderRequest): Promise<number[]> {
  const { sql, workspace, input } = request
  requireOneWay(input)
  if (input.collection_id) await holdCollection(sql, workspace.id, { id: input.collection_id, to: 'use' })
  const ids = await selectOrdered(request)
  await holdEntries(sql, workspace.id, ids)
  return input.collection_id ? selectOrdered(request) : ids
}

/** Resolves an order of these entries as the library stands. Who records the answer holds the entries before. */
export async function resolveOrder(
  request: OrderRequest,
  { entryIds, ahead }: { entryIds: readonly number[]; ahead: LookAhead },
): Promise<Resolved> {
  const requested = await requireEntries(request, entryIds)
  const { entries, pinned } = await pinVersions(request, requested)
  const roots = rootsOf(entries)
  const found = await selectFiles(request, entries, ahead)
  const ordered = found.files.toSorted((a, b) => a.object_id - b.object_id)
  const { files: placeable, misnamed } = await leaveOutMisnamed(request, { files: ordered, roots })
  const needs = findClashes(placeable).length > 0 ? await requireNeeds(request, found) : new Map<number, number[]>()
  const files = withoutReturned(placeable, needs)
  const clashes = findClashes(files)
  if (clashes.length > 0 && request.input.prefer !== 'newest') throw clashError(clashes)
  const returned = new Set(placeable.map(({ object_id }) => object_id)).difference(
    new Set(files.map(({ object_id }) => object_id)),
  )
  const broken = await findBrokenReferences(request, {
    reached: found.reached.filter(({ id }) => !returned.has(id)),
    reading: found.reading,
    pathKeys: ordered.flatMap((file) => placeKey(file) ?? []),
  })
  const destinations =
    clashes.length > 0
      ? preferNewest(files, {
          ...{ roots, pinned, needs },
          here: await selectHere(request, clashes),
        })
      : { files, warnings: [] }
  return {
    entries: withFacts(entries, files),
    files: destinations.files,
    warnings: [...deprecationsOf(entries), ...misnamedWarnings(misnamed), ...broken, ...destinations.warnings],
    misnamed,
  }
}

/** An entry in the version that is to come; what else is shown of that version is read with the files. */
type OrderedEntry = Omit<PullJobEntry, keyof VersionFacts> & { lineage_id: string }

function withFacts(entries: readonly OrderedEntry[], files: readonly PullFile[]): Resolved['entries'] {
  const byId = new Map(files.map((file) => [file.object_id, file]))
  return entries.flatMap((entry) => {
    const file = byId.get(entry.object_id)
    if (!file) return []
    const { version, push_note, missing_dependencies, plugins } = file
    return { ...entry, version, push_note, missing_dependencies, plugins }
  })
}

interface RequestedEntry extends Omit<OrderedEntry, 'object_id'> {
  face_object_id: number
}

/** In the order of the request. */
async function requireEntries({ sql, workspace }: OrderRequest, ids: readonly number[]): Promise<RequestedEntry[]> {
  const found = await sql<RequestedEntry[]>`
    select lookup.key as entry_id, e.*, l.face_object_id
      from ${lookupIds(sql, new Set(ids))}
      cross join lateral (
        select name, entry_type, status, lineage_id from entries
         where workspace_id = ${workspace.id} and id = lookup.key offset 0) e
      cross join lateral (
        select face_object_id from lineages where workspace_id = ${workspace.id} and id = e.lineage_id offset 0) l`
  const byId = new Map(found.map((entry) => [entry.entry_id, entry]))
  const missing = ids.filter((id) => !byId.has(id))
  if (missing.length > 0)
    throw new ApiError('ENTRY_NOT_FOUND', `There is no entry ${missing.slice(0, 10).join(', ')} in this workspace.`, { missing })
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** The current version of every entry, or those that were requested by id. */
async function pinVersions({ sql, workspace, input }: OrderRequest, requested: readonly RequestedEntry[]) {
  const pins = (input.entries ?? []).flatMap(({ entry_id, object_id }) => (object_id ? [{ entry_id, object_id }] : []))
  const versions = await sql<{ id: number; lineage_id: string }[]>`
    select id, lineage_id from objects
     where workspace_id = ${workspace.id} and id ${amongIds(
       sql,
       pins.map(({ object_id }) => object_id),
     )}`
  const lineageOf = new Map(versions.map(({ id, lineage_id }) => [id, lineage_id]))
  const missing = [...new Set(pins.map(({ object_id }) => object_id))].filter((id) => !lineageOf.has(id))
  if (missing.length > 0)
    throw new ApiError('OBJECT_NOT_FOUND', `There is no version ${missing.slice(0, 10).join(', ')} in this workspace.`, {
      missing,
    })
  const versionsByEntry = Map.groupBy(input.entries ?? [], ({ entry_id }) => entry_id)
  const entries = requested.flatMap(({ face_object_id, ...entry }) => {
    const versions = versionsByEntry.get(entry.entry_id)
    const pinned = versions?.flatMap(({ object_id }) => object_id || []) ?? []
    for (const id of pinned)
      if (lineageOf.get(id) !== entry.lineage_id)
        throw new ApiError('LINEAGE_CONFLICT', `Version ${id} belongs to another prop than entry ${entry.entry_id}.`)
    const isOpen = versions?.some(({ object_id }) => !object_id) ?? true
    return [...new Set([...(isOpen ? [face_object_id] : []), ...pinned])].map((object_id) => ({ ...entry, object_id }))
  })
  return { entries, pinned: new Set(pins.map(({ object_id }) => object_id)) }
}

/** What some versions need, looked for before the order is resolved: it may take long, and nothing is held meanwhile. */
export interface LookAhead {
  roots: ReadonlySet<number>
  reading: Versions
  reached: readonly Reached[]
  /** By version of a level: the set whose parts were reached. */
  sets: ReadonlyMap<number, number>
}

/** VALIDATION where it is more than a job may hold, or a walk goes through. Outside of a transaction it waits its turn. */
async function selectReached(request: OrderRequest, entries: readonly OrderedEntry[]): Promise<LookAhead> {
  const { sql, workspace, input } = request
  const isPart = Boolean(input.slice ?? input.have_set)
  const most = isPart ? limits.graph.counted : limits.pullJob.files
  const roots = rootsOf(entries)
  const reading = await readingOf(request, entries)
  return inTurn({ sql, workspaceId: workspace.id }, async (turn) => {
    const order = { direction: 'needs', reading, rootIds: roots, most } as const
    const { steps, beyond } = await walk(sql, workspace.id, { ...order, beforePiece: () => turn.countPiece() })
    const all = Array.from(steps, ([id, { projectId }]) => ({ id, projectId }))
    const sets = beyond
      ? new Map<number, number>()
      : await selectSetsOf(sql, workspace.id, { reached: all, ...setReadingOf(reading) })
    const reached = await withoutKnownParts(request, all, sets)
    const isTooMany = !input.slice && reached.length > limits.pullJob.files
    if (!beyond && !isTooMany) return { roots: new Set(roots), reading, reached, sets }
    const what = beyond === 'edges' ? tooEntangled : `more than ${isTooMany ? limits.pullJob.files : most} files together`
    throw validationError([{ path: 'entries', message: `need ${what}; pull them in several jobs` }])
  })
}

/** What parts need was walked: it comes whether they do or not. */
async function withoutKnownParts(
  { sql, workspace, input }: OrderRequest,
  reached: Reached[],
  sets: ReadonlyMap<number, number>,
): Promise<Reached[]> {
  if (!input.have_set || sets.size === 0) return reached
  const unchanged = await selectUnchangedParts(sql, workspace.id, { have: input.have_set, sets: new Set(sets.values()) })
  return reached.filter(({ id }) => !unchanged.has(id))
}

/** The walk begins with the project that is asked for, else with the one that gets the files. A prop that is ordered in one version has that one everywhere. */
async function readingOf({ sql, workspace, input }: OrderRequest, entries: readonly OrderedEntry[]): Promise<Versions> {
  const projectId = await findProject(sql, workspace.id, input.project ?? input.target_project)
  const sets = await selectLastSet(sql, workspace.id)
  if (input.dependencies !== 'current') return { versions: 'as_pushed', projectId, pins: new Map(), sets }
  const versionsOf = Map.groupBy(entries, ({ lineage_id }) => lineage_id)
  const pins = new Map(
    [...versionsOf].flatMap(([id, [one, ...others]]) => (one && others.length === 0 ? [[id, one.object_id] as const] : [])),
  )
  return { versions: 'current', projectId, pins, sets }
}

/** The walk of an order, before anything is held for it. */
export async function lookAhead(request: OrderRequest): Promise<LookAhead> {
  const { entries } = await atOneMoment(request.sql, async (sql) => {
    const inside = { ...request, sql }
    return pinVersions(inside, await requireEntries(inside, await selectOrdered(inside)))
  })
  return selectReached(request, entries)
}

const rootsOf = (entries: readonly OrderedEntry[]): number[] => [...new Set(entries.map(({ object_id }) => object_id))]

interface FoundFiles {
  files: PullFile[]
  reading: Versions
  reached: readonly Reached[]
}

/** The files of the order; looked for again where other versions are ordered by now, or one of them is gone. */
async function selectFiles(request: OrderRequest, entries: readonly OrderedEntry[], ahead: LookAhead): Promise<FoundFiles> {
  const read = async ({ reached, reading, sets }: LookAhead): Promise<FoundFiles> => {
    const files = await selectPullFiles(
      request,
      reached.map(({ id }) => id),
    )
    return { files: files.map((file) => withSet(file, sets)), reading, reached }
  }
  const isSame = ahead.roots.symmetricDifference(new Set(rootsOf(entries))).size === 0
  const found = isSame ? await read(ahead) : undefined
  return found && found.files.length === ahead.reached.length ? found : read(await selectReached(request, entries))
}

const withSet = (file: PullFile, sets: LookAhead['sets']): PullFile =>
  sets.has(file.object_id) ? { ...file, set: sets.get(file.object_id) ?? null } : file

/** Of the files of a job. Most need a few of the others. */
const mostEdges = 250_000

/** VALIDATION where they need one another too often to be looked through. */
async function requireNeeds(
  { sql, workspace }: OrderRequest,
  { reached, reading }: Pick<FoundFiles, 'reached' | 'reading'>,
): Promise<ReadonlyMap<number, number[]>> {
  const edges = await selectEdgesWithin(sql, workspace.id, { from: reached, reading, most: mostEdges })
  if (edges) return needsOf(edges)
  const message = `name one another more than ${mostEdges.toLocaleString('en')} times, too often to leave older versions out; pull them in several jobs`
  throw validationError([{ path: 'entries', message }])
}

/** By path: which prop the project that gets the files has there. */
async function selectHere(
  { sql, workspace, input }: OrderRequest,
  clashes: readonly (readonly PullFile[])[],
): Promise<Map<string, string>> {
  const projectId = await findProject(sql, workspace.id, input.target_project)
  if (projectId === undefined) return new Map()
  const paths = clashes.flatMap(([file]) => (file && placeKey(file)) ?? [])
  const places = await findPlaces(sql, workspace.id, { projectId, paths })
  return new Map(Array.from(places, ([path, { lineage_id }]) => [path, lineage_id]))
}

const deprecationsOf = (entries: readonly OrderedEntry[]): PullWarning[] =>
  entries
    .filter(({ status }) => status === 'deprecated')
    .map(({ entry_id, name }) => ({
      type: 'deprecated_entry',
      message: `${name} is deprecated: look whether there is something newer.`,
      entry_id,
      name,
    }))
