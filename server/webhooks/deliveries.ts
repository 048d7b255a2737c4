/**
 * Sends what endpoints are to be told of. Each workspace has its own steps, one at a time: a step writes down what became of requests that
 * have ended, queues new events and takes what is due, in one transaction; the requests go on outside of it. So a slow endpoint has its
 * own requests under way and nothing else, and what is done meanwhile goes into one step.
 */

import { limits } from '../../contract/limits.ts'
import { oneAtATime } from '../../system/one-at-a-time.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/open.ts'
import type { Sql } from '../database/sql.ts'
import { inTransaction } from '../database/transaction.ts'
import { type Claimed, claimDue, type Found, holdEndpoints, selectWorkspaces } from './claims.ts'
import { bodyOf } from './message.ts'
import { endDeliveryLeases, type Outcome, recordOutcomes } from './outcomes.ts'
import { queueEvents } from './queueing.ts'
import { Sender } from './sender.ts'

interface DeliveryParts {
  database: Database
  clock: Clock
  sender: Sender
}

interface Opening extends Pick<DeliveryParts, 'database' | 'clock'> {
  settings: { webhookAllowPrivate: boolean }
  nameServers?: readonly string[] | undefined
}

export async function openDeliveries({ database, clock, settings, nameServers }: Opening): Promise<Deliveries> {
  if (database.kind === 'embedded') await endDeliveryLeases(database.sql)
  const sender = new Sender({ clock, allowPrivate: settings.webhookAllowPrivate, nameServers })
  return new Deliveries({ database, clock, sender })
}

/** Requests of one server that are under way, to all endpoints together. */
const mostUnderWay = 1_000
/**
 * What one step writes down and takes. The embedded database has one session, and who asks for a page waits for the step: it is short
 * there, at the price of a third of the rate.
 */
const mostInStep = { embedded: 8, postgresql: mostUnderWay }
/** For requests. Closed: none is begun any more. */
interface Room {
  free: number
  isClosed: boolean
}

/** Between the commit of an event and the look that it causes, so that many commits cause one. */
const soonMs = 50

export class Deliveries {
  readonly sender: Sender
  readonly #parts: DeliveryParts
  readonly #steps = new Map<number, WorkspaceSteps>()
  readonly #room: Room = { free: mostUnderWay, isClosed: false }
  readonly #stopListening: () => void
  #soon: NodeJS.Timeout | undefined
  /** Workspaces of which something was committed since the last look that such a commit caused. */
  readonly #moved = new Set<number>()
  /** Workspaces that have an endpoint, as the last look at all of them found: commits elsewhere cause no look. */
  #withEndpoints = new Set<number>()
  #isStopped = false

  constructor(parts: DeliveryParts) {
    this.#parts = parts
    this.sender = parts.sender
    const { onFeedMoved } = parts.database.sql.writers
    const moved = (workspaceId: number) => this.#withEndpoints.has(workspaceId) && this.lookSoon(workspaceId)
    onFeedMoved.add(moved)
    this.#stopListening = () => onFeedMoved.delete(moved)
  }

  /** Done when each workspace that has work has done a step: steps follow each other until nothing is due. */
  async look(): Promise<void> {
    if (this.#isStopped) return
    const { database, clock } = this.#parts
    const found = await selectWorkspaces(database.sql, clock.now())
    this.#withEndpoints = new Set(found.map(({ workspace_id }) => workspace_id))
    await this.#go(found)
  }

  async #go(found: readonly Found[]): Promise<void> {
    const ids = [...found.flatMap((one) => (one.has_work ? one.workspace_id : [])), ...this.#unrecorded()]
    const failures: unknown[] = []
    await Promise.all(
      [...new Set(ids)].map((id) =>
        this.#stepsOf(id)
          .go()
          .catch((error: unknown) => failures.push(error)),
      ),
    )
    if (failures.length > 0) throw failures[0]
  }

  /** For what was just committed in a workspace that has an endpoint. One that fails is followed by the next look. */
  lookSoon(workspaceId: number): void {
    if (this.#isStopped) return
    this.#withEndpoints.add(workspaceId)
    this.#moved.add(workspaceId)
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined
      this.#lookAtMoved().catch(() => {})
    }, soonMs).unref()
  }

  async #lookAtMoved(): Promise<void> {
    if (this.#isStopped) return
    const { database, clock } = this.#parts
    const ids = [...this.#moved]
    this.#moved.clear()
    await this.#go(await selectWorkspaces(database.sql, clock.now(), ids))
  }

  /** Requests under way are broken off, and what has ended is written down: what was not sent is free for other servers at once. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#stopListening()
    clearTimeout(this.#soon)
    this.#room.isClosed = true
    await this.sender.stop()
    await Promise.all([...this.#steps.values()].map((steps) => steps.end()))
  }

  #unrecorded(): number[] {
    return [...this.#steps].flatMap(([id, steps]) => (steps.isUnrecorded ? id : []))
  }

  #stepsOf(workspaceId: number): WorkspaceSteps {
    const known = this.#steps.get(workspaceId)
    if (known) return known
    const steps = new WorkspaceSteps(this.#parts, { workspaceId, room: this.#room })
    this.#steps.set(workspaceId, steps)
    return steps
  }
}

class WorkspaceSteps {
  readonly #parts: DeliveryParts
  readonly #workspaceId: number
  /** Shared by all workspaces. */
  readonly #room: Room
  readonly #mostInStep: number
  readonly #doStep = oneAtATime(() => this.#tryStep())
  readonly #underWay = new Set<Promise<void>>()
  #ended: Outcome[] = []
  #failure: unknown

  constructor(parts: DeliveryParts, { workspaceId, room }: { workspaceId: number; room: Room }) {
    this.#parts = parts
    this.#workspaceId = workspaceId
    this.#room = room
    this.#mostInStep = mostInStep[parts.database.kind]
  }

  get isUnrecorded(): boolean {
    return this.#ended.length > 0
  }

  /** Throws what the step failed for. */
  async go(): Promise<void> {
    await this.#doStep()
    if (this.#failure !== undefined) throw this.#failure
  }

  async end(): Promise<void> {
    do {
      await Promise.all(this.#underWay)
      await this.#doStep()
    } while (this.#underWay.size > 0 || (this.#ended.length > 0 && this.#failure === undefined))
  }

  /** What a failed step was to write down waits for the next look. */
  async #tryStep(): Promise<void> {
    const outcomes = this.#ended.splice(0, this.#mostInStep)
    this.#failure = undefined
    try {
      const { claimed, isMore } = await this.#step(outcomes)
      for (const one of claimed) this.#send(one)
      const goesOn = this.#ended.length > 0 || (isMore && this.#room.free > 0)
      if (goesOn && !this.#room.isClosed) void this.#doStep()
    } catch (error) {
      this.#ended = [...outcomes, ...this.#ended]
      this.#failure = error
    }
  }

  async #step(outcomes: readonly Outcome[]): Promise<{ claimed: readonly Claimed[]; isMore: boolean }> {
    const most = this.#room.isClosed ? 0 : this.#room.free
    const reported = [...new Set(outcomes.map((one) => one.webhook_id))]
    if (most === 0 && reported.length === 0) return { claimed: [], isMore: false }
    const where = { workspaceId: this.#workspaceId, now: this.#parts.clock.now() }
    const done = async (sql: Sql) => {
      const held = await holdEndpoints(sql, where, { reported, most: Math.ceil(most / limits.webhook.atOnce) })
      await recordOutcomes(sql, { ...where, outcomes })
      if (held.length === 0 || most === 0) return { claimed: [], isMore: false }
      const ids = held.map(({ id }) => id)
      const behind = held.flatMap(({ id, is_behind }) => (is_behind ? id : []))
      const isMore = behind.length > 0 && (await queueEvents(sql, { ...where, ids: behind }))
      const atMost = Math.min(most, this.#mostInStep)
      const claimed = await claimDue(sql, { ...where, ids, most: atMost })
      return { claimed, isMore: isMore || claimed.length === atMost }
    }
    return inTransaction(this.#parts.database.sql, done, this.#workspaceId)
  }

  #send(claimed: Claimed): void {
    this.#room.free--
    const sending = this.#outcomeOf(claimed).then((outcome) => {
      this.#room.free++
      this.#underWay.delete(sending)
      this.#ended.push(outcome)
      void this.#doStep()
    })
    this.#underWay.add(sending)
  }

  async #outcomeOf(claimed: Claimed): Promise<Outcome> {
    const { webhook_id, id, attempt } = claimed
    if (!claimed.is_kept)
      return {
        webhook_id,
        id,
        attempt,
        result: 'failed',
        error: 'Its event is so old that the server does not have it any more.',
      }
    const sent = await this.#parts.sender.send(messageOf(claimed))
    return { webhook_id, id, attempt, result: sent.result, error: sent.result === 'failed' ? sent.error : null }
  }
}

function messageOf(claimed: Claimed) {
  const { event_id, event_type, actor, entry_id, lineage_id, object_id, batch_key, payload, created_at } = claimed
  const event = { id: event_id, type: event_type, actor, entry_id, lineage_id, object_id, batch_key, payload, created_at }
  return {
    url: claimed.url,
    secret: claimed.secret,
    eventType: event_type,
    delivery: `${claimed.id}.${claimed.attempt}`,
    body: bodyOf(claimed.format, event, claimed.entry_name),
  }
}
