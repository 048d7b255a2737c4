/** The files that rows of the library name: the bytes of versions, their pictures and previews, what people attached. */
import type { Sql } from '../database/sql.ts'
import { artifactKey, attachmentKey, blobKey, readKey } from './storage.ts'

export interface NamedFile {
  key: string
  /** Bytes. */
  size: number
  /** Where it is known. */
  sha256: string | null
  /** When its row was made. Of one key and one such time there is one file, also where a database was brought back from a backup. */
  madeAt: string
  /** A check found it damaged or missing, and nobody has brought its bytes since. */
  isDamaged: boolean
}

const kinds = ['blobs', 'media', 'attachments', 'strokes'] as const
type Kind = (typeof kinds)[number]

/** Where a page ended: the kind, the workspace, the id. */
interface Place {
  kind: Kind
  workspaceId: number
  id: number
}

const start: Place = { kind: 'blobs', workspaceId: 0, id: 0 }

/** Files of one page. */
const pageFiles = 5_000

export interface NamedPage {
  files: NamedFile[]
  /** For `after` of the next page; undefined after the last one. */
  next: string | undefined
}

interface Row {
  workspace_id: number
  id: number
  size: number
  sha256: string | null
  made_at: Date
}

/** `onlyInUse`: without previews and pictures that were replaced and that no drawing is on. */
export async function selectNamedFiles(
  sql: Sql,
  { after, onlyInUse }: { after?: string | undefined; onlyInUse: boolean },
): Promise<NamedPage> {
  const place = readPlace(after)
  const rows = await rowsOf(sql, place, onlyInUse)
  const files = rows.map((row) => toFile(place.kind, row))
  const last = rows.at(-1)
  const next =
    rows.length === pageFiles && last ? { ...place, workspaceId: last.workspace_id, id: last.id } : following(place.kind)
  const known = await knownOf(sql, files)
  return {
    files: files.map((file) => ({ ...file, ...known(file) })),
    next: next && `${next.kind}:${next.workspaceId}:${next.id}`,
  }
}

/** All pages, one after the other. */
export async function* eachNamedFile(sql: Sql, onlyInUse: boolean): AsyncGenerator<NamedFile[]> {
  for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
    const page: NamedPage = await selectNamedFiles(sql, { after, onlyInUse })
    yield page.files
    after = page.next
  }
}

export async function countNamedFiles(sql: Sql): Promise<{ files: number; bytes: number }> {
  const [row] = await sql<{ files: number; bytes: number }[]>`
    select count(*) as files, coalesce(sum(size), 0)::bigint as bytes from (
      select blob_size as size from objects
       union all select a.size from artifacts a where ${isInUse(sql)}
       union all select size from attachments
       union all select strokes_size from attachments where strokes_id is not null) as named`
  return { files: row?.files ?? 0, bytes: row?.bytes ?? 0 }
}

function readPlace(after: string | undefined): Place {
  const [, kind, workspaceId, id] = /^(\w+):(\d+):(\d+)$/.exec(after ?? '') ?? []
  const known = kinds.find((one) => one === kind)
  return known ? { kind: known, workspaceId: Number(workspaceId), id: Number(id) } : start
}

function following(kind: Kind): Place | undefined {
  const next = kinds[kinds.indexOf(kind) + 1]
  return next && { kind: next, workspaceId: 0, id: 0 }
}

const isInUse = (sql: Sql) => sql`
  a.finished_at is not null and (
    exists (select 1 from objects o where o.workspace_id = a.workspace_id and o.id = a.object_id
                                      and a.id in (o.thumbnail_artifact_id, o.preview_artifact_id))
    or exists (select 1 from annotations n where n.workspace_id = a.workspace_id and n.preview_artifact_id = a.id))`

function rowsOf(sql: Sql, { kind, workspaceId, id }: Place, onlyInUse: boolean) {
  const after = sql`(workspace_id, id) > (${workspaceId}, ${id})`
  const page = sql`order by workspace_id, id limit ${pageFiles}`
  if (kind === 'blobs')
    return sql<Row[]>`
      select workspace_id, id, blob_size as size, content_hash as sha256, date_ingested as made_at from objects where ${after} ${page}`
  if (kind === 'media')
    return sql<Row[]>`
      select workspace_id, id, coalesce(size, 0)::bigint as size, null as sha256, created_at as made_at from artifacts a
       where ${after} and ${onlyInUse ? isInUse(sql) : sql`finished_at is not null`} ${page}`
  if (kind === 'attachments')
    return sql<Row[]>`
      select workspace_id, id, size, null as sha256, created_at as made_at from attachments where ${after} ${page}`
  return sql<Row[]>`
    select workspace_id, strokes_id as id, strokes_size as size, null as sha256, created_at as made_at from attachments
     where strokes_id is not null and (workspace_id, strokes_id) > (${workspaceId}, ${id})
     order by workspace_id, strokes_id limit ${pageFiles}`
}

function toFile(kind: Kind, { workspace_id, id, size, sha256, made_at }: Row): Omit<NamedFile, 'isDamaged'> {
  const key =
    kind === 'blobs'
      ? blobKey(workspace_id, sha256 ?? '')
      : kind === 'media'
        ? artifactKey(workspace_id, id)
        : attachmentKey(workspace_id, id)
  return { key, size, sha256, madeAt: made_at.toISOString() }
}

/** What earlier checks wrote down of these files. */
async function knownOf(sql: Sql, files: readonly { key: string }[]) {
  const asked = sql`
    unnest(${files.map(({ key }) => readKey(key).workspaceId)}::bigint[], ${files.map(({ key }) => key)}::text[]) as r (workspace_id, key)`
  const damaged = await sql<{ key: string }[]>`
    select d.key from ${asked} join damaged_files d on d.workspace_id = r.workspace_id and d.key = r.key`
  const sums = await sql<{ key: string; sha256: string }[]>`
    select s.key, s.sha256 from ${asked} join file_sums s on s.workspace_id = r.workspace_id and s.key = r.key`
  const damagedKeys = new Set(damaged.map(({ key }) => key))
  const sumOf = new Map(sums.map(({ key, sha256 }) => [key, sha256]))
  return ({ key, sha256 }: Omit<NamedFile, 'isDamaged'>) => ({
    isDamaged: damagedKeys.has(key),
    sha256: sha256 ?? sumOf.get(key) ?? null,
  })
}
