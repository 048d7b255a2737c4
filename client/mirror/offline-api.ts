/**
 * The calls of a library that a mirror can answer, in the shape in which a server answers them: who asks need not know which of the
 * two it is. Whatever else is called throws ClientError `NOT_OFFLINE`.
 */
import type { EntryDetail, EntrySummary, EntryWithTags } from '../../contract/entries.ts'
import { ApiError } from '../../contract/errors.ts'
import type { FoundLineages, Lineage, LineageFace } from '../../contract/lineages.ts'
import type { Asker, Lock } from '../../contract/locks.ts'
import type { Member } from '../../contract/members.ts'
import type { Pack } from '../../contract/packs.ts'
import { ClientError } from '../client-error.ts'
import type { EntryQuestion } from '../entries/pages.ts'
import type { Api } from '../http/api.ts'
import type { Mirror } from './mirror.ts'
import { facetsOf } from './search/facets.ts'
import { type ListQuestion, searchMirror } from './search/search.ts'

type Calls = Record<string, Record<string, (input?: never) => Promise<unknown>>>

export function offlineApi(mirror: Mirror, nowMs: () => number = Date.now): Api {
  const calls = {
    entries: {
      list: async (question: ListQuestion = {}) => searchMirror(mirror, question),
      facets: async (question: EntryQuestion = {}) => facetsOf(mirror, question),
      get: async ({ entry_id }: { entry_id: number }) => requireEntry(mirror, entry_id),
      find: async ({ entry_ids }: { entry_ids: number[] }) => ({
        entries: entry_ids.flatMap((id) => detailOf(mirror, id) ?? []),
      }),
    },
    lineages: {
      get: async ({ lineage_id }: { lineage_id: string }) => requireLineage(mirror, lineage_id, nowMs()),
      find: async ({ lineage_ids }: { lineage_ids?: string[] | null }) => findLineages(mirror, lineage_ids ?? []),
    },
    locks: {
      list: async (question: LockQuestion = {}) => {
        const you = question.mine ? askerOf(mirror) : undefined
        const locks = locksOf(mirror, { ...question, ...(you && { holder: you.id }) }, nowMs())
        return { locks, next_cursor: null, ...(you && { you }) }
      },
    },
    packs: { list: async () => ({ packs: packsOf(mirror), next_cursor: null }) },
    collections: {
      list: async () => ({ collections: recordsIn(mirror, 'collections', "record ->> 'name'"), next_cursor: null }),
    },
    members: { me: async () => meOf(mirror) },
  }
  return withRefusals(calls as unknown as Calls) as unknown as Api
}

function withRefusals(calls: Calls): Calls {
  const refuse = async () => {
    throw new ClientError('NOT_OFFLINE', 'This cannot be answered offline.')
  }
  const verbsOf = (table: Calls[string] = {}) => new Proxy(table, { get: (known, verb: string) => known[verb] ?? refuse })
  return new Proxy(calls, { get: (known, noun: string) => verbsOf(known[noun]) })
}

const recordsIn = (mirror: Mirror, table: 'packs' | 'collections', order: 'id' | "record ->> 'name'"): unknown[] =>
  mirror.guard(() =>
    (mirror.loaded.prepare(`select record from ${table} order by ${order}`).pluck().all() as string[]).map((text) =>
      JSON.parse(text),
    ),
  )

/** Packs that pushes made since it was loaded are known by their entries, and so are new names. */
function packsOf(mirror: Mirror): Pack[] {
  const known = new Map((recordsIn(mirror, 'packs', 'id') as Pack[]).map((pack) => [pack.id, pack]))
  const newest = mirror.guard(() =>
    mirror.loaded
      .prepare('select r.summary from (select max(id) as id from entries group by pack_id) e join records r on r.id = e.id')
      .pluck()
      .all(),
  ) as string[]
  for (const text of newest) {
    const { pack } = JSON.parse(text) as EntrySummary
    known.set(pack.id, { ...unknownPack, ...known.get(pack.id), ...pack })
  }
  return [...known.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

const unknownPack = {
  source_path: null,
  source_type: '',
  engine_version: null,
  product_url: null,
  notes: null,
  created_by: null,
  date_added: '',
  updated_by: null,
  date_updated: '',
  entry_count: 0,
  object_count: 0,
}

function entryOf(mirror: Mirror, id: number): EntryWithTags | undefined {
  return mirror.guard(() => {
    const row = mirror.loaded.prepare('select summary, tags from records where id = ?').get(id) as
      | { summary: string; tags: string }
      | undefined
    return row && { ...(JSON.parse(row.summary) as EntrySummary), tags: JSON.parse(row.tags) }
  })
}

function lineageOf(mirror: Mirror, id: string): Lineage | undefined {
  const text = mirror.guard(
    () => mirror.loaded.prepare('select record from lineages where id = ?').pluck().get(id) as string | undefined,
  )
  return text === undefined ? undefined : (JSON.parse(text) as Lineage)
}

/** What is not known of it is empty: what was said, where it was gathered, what its version measures beyond the list. */
function detailOf(mirror: Mirror, id: number): EntryDetail | undefined {
  const entry = entryOf(mirror, id)
  if (!entry) return undefined
  const version = lineageOf(mirror, entry.lineage_id)?.objects.find(({ object_id }) => object_id === entry.object_id)
  const { object_id, content_hash, date_updated } = entry
  return {
    ...entry,
    ever_pulled: false,
    face: {
      object_id,
      content_hash,
      package_guid: null,
      lineage_anchor: 'minted',
      date_ingested: version?.date_ingested ?? date_updated,
      published_by: version?.published_by ?? null,
      ...(version?.version !== undefined && { version: version.version }),
      push_note: version?.push_note ?? null,
      missing_dependencies: version?.missing_dependencies ?? [],
      plugins: version?.plugins ?? [],
      pushed_from: version?.pushed_from ?? null,
      source_path: version?.source_path ?? null,
    },
    comments: [],
    collections: [],
    review: null,
    metadata_doc: null,
    preview_artifact_id: null,
    thumbnail_artifact_id: null,
  }
}

function requireEntry(mirror: Mirror, id: number): EntryDetail {
  const entry = detailOf(mirror, id)
  if (!entry) throw new ApiError('ENTRY_NOT_FOUND', `There is no entry ${id} in the mirror.`)
  return entry
}

/** With the lock that it has now: the feed tells of locks without telling the lineage anew. */
function requireLineage(mirror: Mirror, id: string, nowMs: number): Lineage {
  const lineage = lineageOf(mirror, id)
  if (!lineage)
    throw new ClientError(
      'NOT_OFFLINE',
      'Its versions are not known offline: the mirror has those of props that changed since it was loaded.',
    )
  const [lock = null] = locksOf(mirror, { lineage_id: id }, nowMs)
  return { ...lineage, lock }
}

function findLineages(mirror: Mirror, ids: readonly string[]): FoundLineages {
  const find = mirror.loaded.prepare('select id from entries where lineage_id = ?').pluck()
  const lineages = ids.flatMap((id): LineageFace[] => {
    const entry = entryOf(mirror, (find.get(id) as number | undefined) ?? 0)
    if (!entry) return []
    const { id: entry_id, object_id: face_object_id, content_hash: face_content_hash, origin_path, source_ext } = entry
    return [{ id, entry_id, face_object_id, face_content_hash, origin_path, source_ext }]
  })
  return { cursor: mirror.meta('cursor') ?? 0, lineages, versions: [] }
}

interface LockQuestion {
  holder?: number
  lineage_id?: string
  mine?: boolean
}

/** Active now, newest first: locks end by themselves, and the clock here knows it. */
function locksOf(mirror: Mirror, { holder, lineage_id }: LockQuestion, nowMs: number): Lock[] {
  return lockedWith(mirror, nowMs).filter(
    (lock) => (holder === undefined || lock.holder.id === holder) && (lineage_id === undefined || lock.lineage_id === lineage_id),
  )
}

export function lockedWith(mirror: Mirror, nowMs = Date.now()): Lock[] {
  const texts = mirror.guard(() => mirror.loaded.prepare('select record from locks order by id desc').pluck().all() as string[])
  return texts
    .map((text) => JSON.parse(text) as Lock)
    .filter(({ released_at, expires_at }) => released_at === null && Date.parse(expires_at) > nowMs)
}

/** Nothing can be changed offline. */
function askerOf(mirror: Mirror): Asker {
  const { id, role } = meOf(mirror)
  return { id, role, scope: 'read' }
}

function meOf(mirror: Mirror): Member {
  const me = mirror.meta('me')
  if (me === undefined) throw new ClientError('NOT_OFFLINE', 'Who you are is not known offline.')
  return JSON.parse(me) as Member
}
