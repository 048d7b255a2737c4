/** Makes the looks of entries from their thumbnails: a bounded step of background work in one workspace (server/work). */
import pLimit from 'p-limit'
import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { pictureBounds } from '../../contract/picture-bounds.ts'
import { FormatError } from '../../formats/format-error.ts'
import { pictureWithin } from '../../formats/pictures/decoding.ts'
import type { Database } from '../database/open.ts'
import type { Sql } from '../database/sql.ts'
import { inTransaction } from '../database/transaction.ts'
import { inDecodingTurn } from '../decoding.ts'
import { lockWorkspace } from '../rows/hold.ts'
import { artifactKey, type Storage } from '../storage/storage.ts'
import type { Look } from './embedder.ts'
import type { EmbedderFacts } from './embedder-answers.ts'
import { type EmbedderThread, ThreadEnded } from './embedder-thread.ts'
import {
  type DuePicture,
  hasThumbnails,
  type Progress,
  saveProgress,
  selectDue,
  selectProgress,
  selectWhereDue,
  type Where,
} from './progress.ts'
import { rounded } from './rounding.ts'

export interface MakingParts {
  database: Database
  embedder: EmbedderThread
  files: Pick<Storage, 'read'>
}

interface MakingStep {
  workspaceId: number
  now: Date
}

/** Of one step: a second's work, so that other work has its turn, and a server that stops does not wait. */
const mostPictures = 64
/** One is read from the disk while the thread is at another. */
const atOnce = 2

/** A vector, or why there is none. */
interface Made {
  object_id: number
  artifact_id: number
  /** In base64: the statement takes them as JSON. */
  vector: string | null
  failure: string | null
}

/** Where there is something to do. Nothing is asked of the embedder before there is a thumbnail. */
export async function selectWhereLooksAreDue({ database, embedder }: MakingParts): Promise<number[]> {
  if (embedder.isOff || !(embedder.facts ?? (await hasThumbnails(database)))) return []
  const facts = await embedder.open()
  return facts ? selectWhereDue(database, facts.name) : []
}

/** True when there is more to do at once. */
export async function makeLooks({ database, embedder, files }: MakingParts, { workspaceId, now }: MakingStep): Promise<boolean> {
  const facts = embedder.facts
  if (!facts) return false
  const where: Where = { workspaceId, embedder: facts.name }
  const progress = await selectProgress(database.sql, where)
  const due = await selectDue(database.sql, where, { progress, most: mostPictures })
  const made = await lookAtAll({ embedder, files, facts }, workspaceId, due.pictures)
  await store(database, where, { made, progress: due.after, now })
  return due.isMore || forgetUnused(database.sql, where, now)
}

type Eye = Pick<MakingParts, 'embedder' | 'files'> & { facts: EmbedderFacts }

/** Where the thread ends, those that it was at are tried again alone: only one of them may have ended it. */
async function lookAtAll(eye: Eye, workspaceId: number, pictures: readonly DuePicture[]): Promise<Made[]> {
  const inTurn = pLimit(atOnce)
  const look = async (picture: DuePicture): Promise<Made | DuePicture> => {
    try {
      return await lookAt(eye, workspaceId, picture)
    } catch (error) {
      if (error instanceof ThreadEnded) return picture
      throw error
    }
  }
  const made: Made[] = []
  for (const one of await Promise.all(pictures.map((picture) => inTurn(look, picture))))
    made.push('vector' in one ? one : await lookAtAlone(eye, workspaceId, one))
  return made
}

/** Twice: the first time it may have met a search for a picture that ends threads. */
async function lookAtAlone(eye: Eye, workspaceId: number, picture: DuePicture & { isAgain?: true }): Promise<Made> {
  try {
    return await lookAt(eye, workspaceId, picture)
  } catch (error) {
    if (!(error instanceof ThreadEnded)) throw error
    if (!picture.isAgain) return lookAtAlone(eye, workspaceId, { ...picture, isAgain: true })
    const { object_id, artifact_id } = picture
    return { object_id, artifact_id, vector: null, failure: `The embedder did not survive it: ${error.message}` }
  }
}

/** What is wrong with a picture is noted, and not tried again; what is wrong with the server fails the step. Throws ThreadEnded. */
async function lookAt({ embedder, files, facts }: Eye, workspaceId: number, picture: DuePicture): Promise<Made> {
  const { object_id, artifact_id, size } = picture
  const without = (failure: string): Made => ({ object_id, artifact_id, vector: null, failure })
  if (size > limits.thumbnail.bytes) return without(`It has ${size} bytes, more than a thumbnail may have.`)
  // The background has a share of its own: nobody's upload waits for the looks of their workspace.
  const owner = { workspace: 'looks', key: `workspace ${workspaceId}` }
  try {
    const look = await inDecodingTurn({ owner }, async () => {
      const bytes = await files.read(artifactKey(workspaceId, artifact_id), 0, size)
      pictureWithin(bytes, pictureBounds.thumbnail)
      return embedder.look(bytes)
    })
    return { object_id, artifact_id, vector: packed(look, facts).toString('base64'), failure: null }
  } catch (error) {
    if (error instanceof FormatError) return without(error.message)
    if (error instanceof ApiError && error.code === 'NOT_FOUND') return without('Its file is missing.')
    throw error
  }
}

/** The shape, then the colour. */
export function packed(look: Look, { dimensions }: Pick<EmbedderFacts, 'dimensions'>): Buffer {
  const { shape, colour } = rounded(look)
  if (shape.length !== dimensions.shape || colour.length !== dimensions.colour)
    throw new Error(`the embedder gave ${shape.length} and ${colour.length} numbers instead of those that it said`)
  return Buffer.concat([bytesOf(shape), bytesOf(colour)])
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Int8Array): Uint8Array => new Uint8Array(buffer, byteOffset, byteLength)

/**
 * Under the lock that deletions take, so that none is left of a version that is gone. The numbers come last, and are held until the commit:
 * they become visible in their order (server/feed.ts).
 */
async function store(
  database: Database,
  where: Where,
  { made, progress, now }: { made: readonly Made[]; progress: Progress; now: Date },
): Promise<void> {
  const { workspaceId } = where
  const save = async (sql: Sql) => {
    if (made.length > 0) await lockWorkspace(sql, workspaceId)
    await saveProgress(sql, where, { progress, now })
    if (made.length > 0) await insertLooks(sql, where, made)
  }
  await inTransaction(database.sql, save, workspaceId)
}

async function insertLooks(sql: Sql, { workspaceId, embedder }: Where, made: readonly Made[]): Promise<void> {
  const rows = sql.json(made.map((one) => ({ ...one })))
  await sql`
    with head as (
      update feed_heads set look_seq = look_seq + ${made.length} where workspace_id = ${workspaceId}
      returning look_seq - ${made.length}::bigint as before)
    insert into looks (workspace_id, embedder, object_id, artifact_id, vector, failure, look_seq)
    select ${workspaceId}, ${embedder}, r.object_id, r.artifact_id, decode(r.vector, 'base64'), r.failure, head.before + r.ordinality
      from head
     cross join rows from (jsonb_to_recordset(${rows}) as (object_id bigint, artifact_id bigint, vector text, failure text))
           with ordinality as r
     where exists (select 1 from artifacts a where a.workspace_id = ${workspaceId} and a.id = r.artifact_id)
    on conflict (workspace_id, embedder, object_id)
    do update set artifact_id = excluded.artifact_id, vector = excluded.vector, failure = excluded.failure, look_seq = excluded.look_seq`
}

const dayMs = 24 * 3_600_000
const forgottenRows = 1_000

/** Vectors of an embedder that no server has used for a day: during an update two versions of the program may run side by side. */
async function forgetUnused(sql: Sql, { workspaceId, embedder }: Where, now: Date): Promise<boolean> {
  const before = new Date(now.getTime() - dayMs).toISOString()
  const [unused] = await sql<{ embedder: string }[]>`
    select embedder from look_progress where workspace_id = ${workspaceId} and embedder <> ${embedder} and used_at < ${before} limit 1`
  if (!unused) return false
  const gone = await sql`
    delete from looks k using (
      select object_id from looks where workspace_id = ${workspaceId} and embedder = ${unused.embedder} limit ${forgottenRows}) old
     where k.workspace_id = ${workspaceId} and k.embedder = ${unused.embedder} and k.object_id = old.object_id`
  if (gone.count === forgottenRows) return true
  await sql`
    delete from look_progress where workspace_id = ${workspaceId} and embedder = ${unused.embedder} and used_at < ${before}`
  return true
}
