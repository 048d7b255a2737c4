/** Previews and thumbnails that clients have not sent, where `PH_PREVIEWS` is on: one file at a time, in a thread, out of the server's own storage. */
import { Readable } from 'node:stream'
import { ApiError } from '../../contract/errors.ts'
import type { MediaKind } from '../../contract/media.ts'
import { isCertain, type MadeMedia, makerVersion } from '../../previews/threads/media-order.ts'
import { SourceThreads, type SourceThreadsOptions } from '../../previews/threads/source-threads.ts'
import type { SourceAnswer } from '../../previews/threads/source-worker.ts'
import type { Clock } from '../clock.ts'
import { takeIds } from '../database/ids.ts'
import type { Database } from '../database/open.ts'
import type { Sql } from '../database/sql.ts'
import { transact } from '../database/transaction.ts'
import { Feed } from '../feed.ts'
import { markUnavailable } from '../media/in-use.ts'
import { inspectMedia } from '../media/inspection.ts'
import { mediaForms } from '../media/media-kinds.ts'
import { recordMedia, type StoredMedia } from '../media/upload.ts'
import type { Logger } from '../monitoring/log.ts'
import { requireCurrent } from '../rows/artifact.ts'
import { firstWorkspace } from '../rows/workspace.ts'
import { ingestRefusal } from '../storage/counting/stored-bytes.ts'
import { artifactKey, blobKey, type Storage } from '../storage/storage.ts'
import { type Attempt, beginAttempt, forgetAttempt, giveUp } from './preview-attempts.ts'
import { BorrowedFiles, filesOfNeeded } from './preview-files.ts'
import { Runner, type Step, type WorkspaceJob } from './runner.ts'

interface PreviewParts {
  database: Database
  clock: Clock
  log: Logger
  storage: Storage
  /** Of the thread; for tests. */
  threads?: SourceThreadsOptions
}

const everyMs = 10_000
/** Of a file that is read for its preview: more than any reader takes. */
const mostSourceBytes = 4 * 1024 ** 3
/** Nothing is looked for in a workspace in which nothing has changed since nothing was found, but for once in so long. */
const quietMs = 600_000

interface Pass {
  /** The entry that was tried last. */
  after: number
  /** How far the change feed was when nothing was left, and when that was. */
  quiet?: { seq: number; sinceMs: number }
}

class PreviewWork {
  readonly #parts: PreviewParts
  readonly #threads: SourceThreads
  readonly #stopping = new AbortController()
  readonly #passes = new Map<number, Pass>()

  constructor(parts: PreviewParts) {
    this.#parts = parts
    this.#threads = new SourceThreads({ ...parts.threads, threads: 1 })
  }

  get job(): WorkspaceJob {
    return { name: 'previews', of: 'workspace', everyMs, run: (step) => this.#step(step) }
  }

  /** What is at work is left for the next start. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the server stops'))
    await this.#threads.end()
  }

  /** One file. True when there may be more. */
  async #step(step: Step): Promise<boolean> {
    const { sql } = this.#parts.database
    const { workspaceId, now } = step
    const pass = this.#passes.get(workspaceId) ?? { after: 0 }
    const seq = await selectHead(sql, workspaceId)
    if (pass.quiet?.seq === seq && now.getTime() - pass.quiet.sinceMs < quietMs) return false
    const workspace = await firstWorkspace(sql, sql`w.id = ${workspaceId}`)
    if (workspace?.state !== 'active' || (await ingestRefusal(sql, workspace))) return false
    const attempt = await beginAttempt(sql, { workspaceId, after: pass.after, now })
    if (attempt) {
      await this.#make(step, attempt)
      this.#passes.set(workspaceId, { after: attempt.entry_id })
      return true
    }
    // What came to entries that were passed over is found by another pass from the beginning.
    this.#passes.set(workspaceId, pass.after > 0 ? { after: 0 } : { after: 0, quiet: { seq, sinceMs: now.getTime() } })
    return pass.after > 0
  }

  async #make(step: Step, attempt: Attempt): Promise<void> {
    const { database } = this.#parts
    const { workspaceId } = step
    const borrowed = new BorrowedFiles(this.#parts.storage)
    try {
      const { content_hash: hash, file_name: name, preview, thumbnail } = attempt
      const path = await borrowed.pathOf(blobKey(workspaceId, hash), mostSourceBytes)
      if (path === undefined)
        return await this.#giveUp(step, attempt, 'Its bytes are not in the storage, or more than a preview is made of.')
      const needed = await filesOfNeeded(database.sql, { workspaceId, attempt, borrowed })
      const order = { want: 'media', path, name, hash, preview, thumbnail, needed } as const
      const answer = await this.#threads.run(order, this.#stopping.signal)
      await this.#record(step, attempt, answer)
    } catch (error) {
      // The disk or the database, or the end of the server: the file is not to blame. Without the database the row stays, as one try.
      await forgetAttempt(database.sql, workspaceId, attempt).catch(() => {})
      const isMoved = error instanceof ApiError && (error.status === 404 || error.status === 409)
      if (!isMoved && !this.#stopping.signal.aborted) throw error
    } finally {
      borrowed.giveBack()
    }
  }

  async #record(step: Step, attempt: Attempt, answer: SourceAnswer): Promise<void> {
    if (answer.kind !== 'media')
      return this.#giveUp(step, attempt, answer.kind === 'failed' ? answer.message : 'It gave nothing.')
    const { preview, thumbnail, lacks } = answer.media
    for (const file of filesOf(answer.media)) await this.#keep(step, attempt, file)
    if (lacks && attempt.preview && !preview && isCertain(lacks)) await this.#markUnavailable(step, attempt)
    // What can be had of it is there; what cannot is known by its row.
    const isWhole = (preview || !attempt.preview || (lacks && isCertain(lacks))) && (thumbnail || !attempt.thumbnail)
    if (isWhole) await forgetAttempt(this.#parts.database.sql, step.workspaceId, attempt)
    else
      await giveUp(this.#parts.database.sql, step.workspaceId, {
        ...attempt,
        reason: lacks?.message ?? 'There is nothing to draw.',
      })
  }

  async #giveUp({ workspaceId }: Step, attempt: Attempt, reason: string): Promise<void> {
    const { entry_id, object_id, content_hash, name } = attempt
    this.#parts.log.warn(
      { workspace_id: workspaceId, entry_id, object_id, content_hash, name, reason },
      'no preview could be made',
    )
    await giveUp(this.#parts.database.sql, workspaceId, { object_id, reason })
  }

  /** As an upload: received, looked into, recorded. */
  async #keep({ workspaceId }: Step, version: Attempt, { kind, bytes }: MediaFile): Promise<void> {
    const { storage, database } = this.#parts
    const [id] = await takeIds(database.sql, 'artifacts', 1)
    if (id === undefined) throw new Error('the database gave no id')
    const key = artifactKey(workspaceId, id)
    const { size } = await storage.receive(key, Readable.from(piecesOf(bytes)), { maxBytes: mediaForms[kind].maxBytes })
    const read = async (start: number, end: number) => Buffer.from(bytes.subarray(start, end))
    const owner = { workspace: `workspace ${workspaceId}`, key: 'server' }
    const stored: StoredMedia = { id, kind, size, ...(await inspectMedia(kind, { size, read }, owner)) }
    await storage.settle([key])
    const by = { ...version, ...producer, generator: kind, actorId: null }
    try {
      await transact(this.#writing(workspaceId), (inside) => recordMedia(inside, stored, by))
    } catch (error) {
      if (error instanceof ApiError) await storage.remove([key])
      throw error
    }
  }

  async #markUnavailable({ workspaceId }: Step, version: Attempt): Promise<void> {
    await transact(this.#writing(workspaceId), async (inside) =>
      markUnavailable(inside, await requireCurrent(inside.sql, workspaceId, { versions: [version], hold: true })),
    )
  }

  #writing(workspaceId: number) {
    const { database, clock } = this.#parts
    return { sql: database.sql, feed: new Feed(), workspace: { id: workspaceId }, actor: { id: 0 }, now: clock.now() }
  }
}

/** Beside the other background work: a file may take a minute, and nothing else waits for it. `look` is done when nothing is left. */
export function startPreviews(parts: PreviewParts, lookMs?: number): { look(): Promise<void>; stop(): Promise<unknown> } {
  const work = new PreviewWork(parts)
  const runner = new Runner(parts, [work.job])
  runner.start(lookMs)
  return { look: () => runner.look(), stop: () => Promise.all([work.stop(), runner.stop()]) }
}

const producer = { producer_tier: 'server', producer_tool: 'ph', generator_version: makerVersion }

interface MediaFile {
  kind: MediaKind
  bytes: Uint8Array
}

const filesOf = ({ preview, thumbnail }: MadeMedia): MediaFile[] => [
  ...(preview ? [preview] : []),
  ...(thumbnail ? [{ kind: 'thumbnail' as const, bytes: thumbnail }] : []),
]

const pieceBytes = 256 * 1024

/** Written piece by piece, so that requests come in between. */
function* piecesOf(bytes: Uint8Array): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes)
    yield Buffer.from(bytes.buffer, bytes.byteOffset + at, Math.min(pieceBytes, bytes.length - at))
}

async function selectHead(sql: Sql, workspaceId: number): Promise<number> {
  const [head] = await sql<{ change_seq: number }[]>`select change_seq from feed_heads where workspace_id = ${workspaceId}`
  return head?.change_seq ?? 0
}
