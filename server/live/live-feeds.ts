/**
 * Streams of what moves (GET /catalog/changes/live). All that are open in this process share one look at the database: two statements,
 * however many streams and workspaces there are, and none while there is no stream. It looks after every commit of its own, and where other
 * processes commit to the same database twice a second besides. LISTEN and NOTIFY would be no cheaper: commits that notify go through
 * PostgreSQL one after the other, poolers lose them, and so does a connection that breaks, so that someone has to look anyway.
 */
import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { oneAtATime } from '../../system/one-at-a-time.ts'
import { onAccessChange } from '../accounts/access-changes.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/open.ts'
import { closedStates } from '../front-door/states.ts'
import type { Holder } from '../principal.ts'
import { Listener } from './listener.ts'
import { type HeardRow, type KeyName, mostMoved, type Requester, selectHeard, selectMoved } from './look.ts'

/** For what other processes commit. */
const everyMs = 500
/** Between two looks, however much is committed here. */
const leastPauseMs = 50
/** A member has as many streams as so many keys; a workspace half of all. */
const keysOfMember = 20

export class LiveFeeds {
  readonly #database: Database
  readonly #clock: Clock
  readonly #unheardMs: number
  readonly #most: number
  readonly #listeners = new Set<Listener>()
  readonly #stops: (() => void)[]
  readonly #doLook = oneAtATime(() => this.#look())
  #soon: NodeJS.Timeout | undefined
  #ticks: NodeJS.Timeout | undefined
  /** When the first look began that the database has not answered. */
  #unheardSinceMs: number | undefined

  /** `unheardMs`: who listens has to know when nobody here has known for so long what moved, and who may still listen. */
  constructor({ database, clock, unheardMs, most }: { database: Database; clock: Clock; unheardMs: number; most: number }) {
    this.#database = database
    this.#clock = clock
    this.#unheardMs = unheardMs
    this.#most = most
    const { onFeedMoved } = database.sql.writers
    const lookSoon = () => this.#lookSoon()
    onFeedMoved.add(lookSoon)
    this.#stops = [() => onFeedMoved.delete(lookSoon), onAccessChange(lookSoon)]
  }

  /** Streams that are open. */
  get count(): number {
    return this.#listeners.size
  }

  /** Throws RATE_LIMITED where the key, its member or the workspace has too many, UNAVAILABLE where all have. Who does not read what is answered ends it by the signal, or by `return`. */
  async open(holder: Holder, signal: AbortSignal): Promise<Listener> {
    this.#requireRoom(holder)
    const listener = new Listener(holder, () => this.#remove(listener))
    this.#listeners.add(listener)
    signal.addEventListener('abort', () => listener.end(), { once: true })
    if (signal.aborted) listener.end()
    try {
      const [row] = await selectHeard(this.#database.sql, [nameOf(listener)])
      if (row && mayListen(row)) listener.begin(row)
      else listener.end()
    } catch (error) {
      listener.end()
      throw error
    }
    this.#tick()
    // What moved since that statement was told to those only that had begun.
    this.#lookSoon()
    return listener
  }

  close(): void {
    for (const stop of this.#stops) stop()
    this.#endAll()
  }

  #requireRoom({ actor, workspace }: Holder): void {
    const ofWorkspace = [...this.#listeners].map(({ holder }) => holder).filter((one) => one.workspace.id === workspace.id)
    const ofMember = ofWorkspace.filter((one) => one.actor.id === actor.id)
    const ofKey = ofMember.filter((one) => one.actor.keyId === actor.keyId)
    if (ofKey.length >= limits.liveStreams) throw tooMany('This key', limits.liveStreams, 'or use another key')
    const mostOfMember = Math.min(keysOfMember * limits.liveStreams, Math.floor(this.#most / 4))
    if (ofMember.length >= mostOfMember) throw tooMany('This member', mostOfMember, 'whichever key it was opened with')
    const mostOfWorkspace = Math.floor(this.#most / 2)
    if (ofWorkspace.length >= mostOfWorkspace) throw tooMany('This workspace', mostOfWorkspace, 'or ask for the changes instead')
    if (this.#listeners.size >= this.#most) throw full()
  }

  #endAll(): void {
    for (const listener of this.#listeners) listener.end()
  }

  #remove(listener: Listener): void {
    this.#listeners.delete(listener)
    if (this.#listeners.size > 0) return
    clearInterval(this.#ticks)
    clearTimeout(this.#soon)
    this.#ticks = this.#soon = this.#unheardSinceMs = undefined
  }

  #tick(): void {
    if (this.#listeners.size === 0) return
    this.#ticks ??= setInterval(() => {
      const sinceMs = this.#unheardSinceMs
      if (sinceMs !== undefined && performance.now() - sinceMs > this.#unheardMs) this.#endAll()
      else if (sinceMs !== undefined || this.#database.kind !== 'embedded') void this.#doLook()
    }, everyMs).unref()
  }

  #lookSoon(): void {
    if (this.#listeners.size === 0) return
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined
      void this.#doLook()
    }, leastPauseMs).unref()
  }

  /** One that fails is followed by the next. */
  async #look(): Promise<void> {
    const listeners = [...this.#listeners].filter(({ hasBegun }) => hasBegun)
    if (listeners.length === 0) return
    this.#unheardSinceMs ??= performance.now()
    try {
      await this.#tell(listeners)
      this.#unheardSinceMs = undefined
    } catch {}
  }

  async #tell(listeners: readonly Listener[]): Promise<void> {
    const { sql } = this.#database
    const rows = await selectHeard(sql, listeners.map(nameOf))
    const rowOf = new Map(rows.map((row) => [row.key_id, row]))
    const moved: { listener: Listener; row: HeardRow }[] = []
    for (const listener of listeners) {
      const row = rowOf.get(listener.holder.actor.keyId)
      if (!row || !mayListen(row)) listener.end()
      else {
        listener.tellHead(row)
        if (row.job_seq > listener.jobSeq) moved.push({ listener, row })
      }
    }
    if (moved.length === 0) return
    const jobs = await selectMoved(sql, moved.map(requesterOf), this.#clock.now())
    const jobsOf = Map.groupBy(jobs, (job) => `${job.workspace_id} ${job.requested_by}`)
    for (const { listener, row } of moved) {
      const { workspaceId, memberId } = requesterOf({ listener })
      listener.tellJobs(jobsOf.get(`${workspaceId} ${memberId}`) ?? [], jobs.length < mostMoved ? row.job_seq : 0)
    }
    if (jobs.length === mostMoved) this.#lookSoon()
  }
}

const nameOf = ({ holder: { workspace, actor } }: Listener): KeyName => ({ workspaceId: workspace.id, keyId: actor.keyId })

const requesterOf = ({ listener: { holder, jobSeq } }: { listener: Listener }): Requester => ({
  workspaceId: holder.workspace.id,
  memberId: holder.actor.id,
  after: jobSeq,
})

const mayListen = ({ state }: HeardRow): boolean => !closedStates.includes(state)

const tooMany = (whose: string, most: number, otherwise: string) =>
  new ApiError(
    'RATE_LIMITED',
    `${whose} has ${most} streams of changes open, as many as it may. Close one of them first, ${otherwise}.`,
  )

const full = () =>
  new ApiError(
    'UNAVAILABLE',
    'The server has as many streams of changes open as it can. Ask for the changes instead, or come back.',
    {
      reason: 'busy',
      retry_after_seconds: 5,
    },
  )
