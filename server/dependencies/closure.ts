/** Everything that a version needs, and everything that needs it, as the library shows it. */

import pLimit from 'p-limit'
import type { ClosureMember, DependentsMember } from '../../contract/closure-members.ts'
import type { DependencyMode } from '../../contract/dependency-modes.ts'
import { type ApiError, validationError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { Fragment, Sql } from '../database/sql.ts'
import { atOneMoment } from '../database/transaction.ts'
import { type EntryFace, requireEntryFace } from '../rows/entry.ts'
import { selectLastSet, selectSetsOf } from '../rows/levels/sets.ts'
import { findProject } from '../rows/places.ts'
import { packageName, requireVersionOf, versionFacts } from '../rows/version.ts'
import { pieceEdges } from './edges.ts'
import { inTurn } from './heavy-walks.ts'
import { type Direction, nowhere, setReadingOf, type Versions } from './rows.ts'
import { type Beyond, type Step, tooEntangled, walk } from './walk.ts'

/** The current version of an entry, and what lies around it. */
export interface Around<M> {
  face: EntryFace
  /** The version that all of it is around. */
  rootId: number
  members: M[]
}

export interface ClosureOf {
  entryId: number
  objectId?: number | undefined
  /** `as_pushed` where it is left out. */
  versions?: DependencyMode | undefined
  /** By whose pushes references are read first; by the version's first push where it is left out. */
  project?: string | undefined
}

/**
 * Everything that a version needs, nearest first, itself at depth 0: the entry's current one, or the one that is named.
 * ENTRY_NOT_FOUND, OBJECT_NOT_FOUND, LINEAGE_CONFLICT otherwise; VALIDATION where it needs more than `limits.graph.files`, or they name one another more than `limits.graph.edges` times.
 */
export function readClosure(sql: Sql, workspaceId: number, of: ClosureOf): Promise<Around<ClosureMember>> {
  const sharing = sql`(select count(distinct s.object_id)::int from dependencies s where s.workspace_id = ${workspaceId} and s.needs_object_id = o.id)`
  const shown = sql`${sharing}, ${versionFacts(sql)}, o.source_path, ${packageName(sql)}, o.label`
  const facts = ['version', 'push_note', 'plugins', 'missing_dependencies'] as const
  const named = ['shared_with_count', ...facts, 'source_path', 'package_name', 'label'] as const
  const from = { ...of, direction: 'needs', shown, named, tooMany: tooManyNeeded } as const
  return readAround<ClosureMember>(sql, workspaceId, from)
}

/**
 * Everything that needs it, directly (depth 1) or through others; the version itself is left out. Of `current`: the current versions that refer to any
 * version of it. Throws as `readClosure` does.
 */
export async function readDependents(
  sql: Sql,
  workspaceId: number,
  of: Pick<ClosureOf, 'entryId' | 'versions'>,
): Promise<Around<DependentsMember>> {
  const named = ['entry_name', 'entry_status', 'package_name'] as const
  const shown = sql`e.name, e.status, ${packageName(sql)}`
  const from = { ...of, direction: 'users', shown, named, tooMany: tooManyUsers } as const
  const { members, ...around } = await readAround<DependentsMember>(sql, workspaceId, from)
  return { ...around, members: members.filter((member) => member.depth > 0) }
}

const tooManyNeeded: TooMany = (beyond) => refusal(`needs ${tooMuch(beyond)}`, 'ask for the closures of what it is made of')

const tooManyUsers: TooMany = (beyond) =>
  refusal(`is needed by ${tooMuch(beyond)}`, 'ask for the dependents of what needs it, one by one')

/** What a walk ended at, in words. */
const tooMuch = (beyond: Beyond): string =>
  beyond === 'files' ? `more than ${limits.graph.files.toLocaleString('en')} files, directly or through others` : tooEntangled

const refusal = (what: string, next: string) => validationError([{ path: 'entry_id', message: `${what}; ${next}` }])

/** By several statements, and several connections, which may see several moments. Where that shows, all is read again as of one. */
async function readAround<M extends Member>(sql: Sql, workspaceId: number, from: ClosureQuery<M>): Promise<Around<M>> {
  const read = async (sql: Sql) => {
    const face = await requireEntryFace(sql, workspaceId, { entryId: from.entryId, hold: false })
    const rootId = from.objectId ?? face.object_id
    if (rootId !== face.object_id) await requireVersionOf(sql, workspaceId, { objectId: rootId, lineageId: face.lineage_id })
    return { face, rootId, ...(await selectReached<M>(sql, workspaceId, { ...from, rootId, lineageId: face.lineage_id })) }
  }
  const first = await read(sql)
  return isConsistent(first) ? first : atOneMoment(sql, read)
}

/** Every version that edges lead to is there, the first one is the entry's if it is its current version, and no entry has two of them. */
function isConsistent({ face, rootId, members, reached }: Around<Member> & { reached: number }): boolean {
  const entryIds = members.flatMap(({ entry_id }) => entry_id ?? [])
  return (
    members.length === reached &&
    (rootId !== face.object_id || members[0]?.entry_id === face.entry_id) &&
    new Set(entryIds).size === entryIds.length
  )
}

type Member = Omit<DependentsMember, 'entry_name' | 'entry_status' | 'package_name'>

/** The refusal of more than a walk goes through. */
type TooMany = (beyond: Beyond) => ApiError

interface ClosureQuery<M extends Member> extends ClosureOf {
  direction: Direction
  /** Columns that only this direction has, and what they are called. */
  shown: Fragment
  named: readonly Exclude<keyof M, keyof Member>[]
  tooMany: TooMany
}

interface From<M extends Member> extends ClosureQuery<M> {
  rootId: number
  lineageId: string
}

/** `reached`: how many versions the walk came to, the first one included. */
async function selectReached<M extends Member>(
  sql: Sql,
  workspaceId: number,
  from: From<M>,
): Promise<{ members: M[]; reached: number }> {
  const { rootId, direction } = from
  const reading = await readingOf(sql, workspaceId, from)
  return inTurn({ sql, workspaceId }, async (turn) => {
    const order = { direction, reading, rootIds: [rootId], most: limits.graph.files, beforePiece: () => turn.countPiece() }
    const { steps, beyond, edges } = await walk(sql, workspaceId, order)
    if (beyond) throw from.tooMany(beyond)
    await turn.countFiles(steps.size)
    const parts = partsOf([...steps.keys()], edges)
    const found = await pLimit(mostPartsAtOnce).map(parts, (ids) => selectMembers(sql, workspaceId, { ids, shown: from.shown }))
    const members = found.flatMap((rows) => Array.from(rows, (row) => toMember(row, steps, from.named)))
    if (direction === 'needs') await addSets(sql, workspaceId, { members, reading, steps })
    return { members: members.sort((a, b) => a.depth - b.depth || a.object_id - b.object_id), reached: steps.size }
  })
}

/** Names the sets whose parts were walked. */
async function addSets(
  sql: Sql,
  workspaceId: number,
  {
    members,
    reading,
    steps,
  }: { members: (Member & { set?: number | null })[]; reading: Versions; steps: ReadonlyMap<number, Step> },
): Promise<void> {
  const levels = members.filter(({ asset_class }) => asset_class === 'World')
  if (levels.length === 0) return
  const reached = levels.map(({ object_id: id }) => ({ id, projectId: steps.get(id)?.projectId ?? nowhere }))
  const sets = await selectSetsOf(sql, workspaceId, { reached, ...setReadingOf(reading) })
  for (const level of levels) level.set = sets.get(level.object_id) ?? null
}

/** The version that was asked for stands for its prop wherever that is needed. */
async function readingOf<M extends Member>(
  sql: Sql,
  workspaceId: number,
  { project, versions = 'as_pushed', rootId, lineageId }: From<M>,
): Promise<Versions> {
  const projectId = project === undefined ? undefined : await findProject(sql, workspaceId, project)
  const sets = await selectLastSet(sql, workspaceId)
  return { versions, projectId, pins: new Map(versions === 'current' ? [[lineageId, rootId]] : []), sets }
}

/** Looking up many takes the database a while: connections share it, and what one has found is read while the others look. */
const mostPartIds = 1250
const mostPartsAtOnce = 4

/** Of each file its users are counted, at least as many as the walk looked at edges: a part counts about as many as a piece of the walk. */
function partsOf(ids: readonly number[], edges: number): number[][] {
  const size = Math.min(mostPartIds, Math.max(1, Math.floor((pieceEdges * ids.length) / (edges + 1))))
  return Array.from({ length: Math.ceil(ids.length / size) }, (_, at) => ids.slice(at * size, (at + 1) * size))
}

/** Looked up one by one (server/database/among.ts says why). The entry is there where the version is its current one. */
const selectMembers = (sql: Sql, workspaceId: number, { ids, shown }: { ids: number[]; shown: Fragment }) =>
  sql`
  select o.id, o.content_hash, o.lineage_id, o.asset_class, o.asset_name, o.origin_path, o.blob_size, o.engine_version, o.source_ext,
         e.id, o.thumbnail_artifact_id is not null, ${shown}
    from unnest(${ids}::bigint[]) as lookup (id)
   cross join lateral (select * from objects o where o.workspace_id = ${workspaceId} and o.id = lookup.id offset 0) o
    left join lateral (
      select e.id, e.name, e.status from lineages l join entries e on e.workspace_id = l.workspace_id and e.lineage_id = l.id
       where l.workspace_id = ${workspaceId} and l.face_object_id = lookup.id offset 0) e on true`.values()

function toMember<M extends Member>(row: unknown[], steps: ReadonlyMap<number, Step>, named: From<M>['named']): M {
  const step = steps.get(row[0] as number)
  const member = {
    object_id: row[0],
    content_hash: row[1],
    lineage_id: row[2],
    asset_class: row[3],
    asset_name: row[4],
    origin_path: row[5],
    blob_size: row[6],
    engine_version: row[7],
    source_ext: row[8],
    depth: step?.depth ?? 0,
    edge: step?.edge ?? 'root',
    via_object_id: step?.via ?? null,
    entry_id: row[9],
    has_thumbnail: row[10],
  } as M
  for (const [at, name] of named.entries())
    if (name !== 'label' || row[11 + at] !== null) member[name] = row[11 + at] as M[typeof name]
  return member
}
