/** Places for what takes long: bodies that come in, answers that are sent as they are read. So many at once, with a share for each client. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { GiveBack } from '../../serving/bodies/weighted-queue.ts'
import { Refusal } from '../../serving/refusal.ts'
import type { Clock } from '../clock.ts'
import type { Holder } from '../principal.ts'
import { clientOf } from './client-address.ts'

/** Who asks for a place, as far as it is known. */
export interface Asker {
  holder?: Pick<Holder, 'workspace' | 'actor'> | undefined
  session?: { accountId: number } | undefined
  ip: string
  /** Where an address names it instead of a key. */
  workspaceId?: number
}

/** What goes on in a place. */
export interface Stay {
  /** Bytes that have come or gone so far. */
  moved(): number
  /** Called once, when the place is needed for others. */
  end(): void
}

/** Those who share something: a key, a member, a workspace, an address. */
interface Group {
  name: string
  /** Of all places. */
  share: number
  /** Subject of the refusal, where it is theirs alone. */
  whose?: string
}

interface Taken extends Stay {
  groups: readonly Group[]
  sinceMs: number
}

/** Nobody loses a place before that, or while as much moves, what the systems of both sides may hold apart. */
const leastStayMs = 10_000
const bytesPerSecond = 64 * 1024
const betweenBytes = 4 * 1024 * 1024

/** Of all places: shares of keys and members begin to count here. */
const roomyUntil = 1 / 4

/** An answer that goes out. */
const sending = (response: ServerResponse): Stay => {
  const { socket } = response
  const before = socket?.bytesWritten ?? 0
  return { moved: () => (socket?.bytesWritten ?? before) - before, end: () => response.destroy() }
}

/** A body that comes in. */
const receiving = (request: IncomingMessage): Stay => {
  const { socket } = request
  const before = socket.bytesRead
  return { moved: () => socket.bytesRead - before, end: () => request.destroy() }
}

export class Places {
  /** As many may be taken. */
  readonly most: number
  readonly #words: string
  readonly #clock: Clock
  readonly #taken = new Set<Taken>()
  readonly #counts = new Map<string, number>()

  /** `words`: what takes a place, in the plural. */
  constructor({ most, words, clock }: { most: number; words: string; clock: Clock }) {
    this.most = most
    this.#words = words
    this.#clock = clock
  }

  /** Places that are taken. */
  get count(): number {
    return this.#taken.size
  }

  /** Throws 503 where a key or member has its share, or where others have taken all there is and none of them is slow. */
  take(asker: Asker, stay: Stay): GiveBack {
    const groups = groupsOf(asker)
    for (const group of groups.toReversed()) {
      if (!this.#isFull(group) || (group.whose !== undefined && this.#isRoomy())) continue
      if (group.whose !== undefined) throw this.#tooMany(group)
      if (!this.#endSlowest(group)) throw this.#allTaken()
    }
    const taken: Taken = { ...stay, groups, sinceMs: this.#nowMs() }
    this.#taken.add(taken)
    for (const { name } of groups) this.#counts.set(name, this.#countOf(name) + 1)
    return () => this.#giveBack(taken)
  }

  /** Until the answer has left, or its connection has closed. */
  takeForAnswer(asker: Asker, response: ServerResponse): void {
    response.once('close', this.take(asker, sending(response)))
  }

  /** Until the body has come. */
  takeForBody(asker: Asker, request: IncomingMessage): void {
    request.once('close', this.take(asker, receiving(request)))
  }

  /** While most places are free, a key may have more than its share: programs send hundreds of small bodies at once. */
  #isRoomy(): boolean {
    return this.#taken.size < this.most * roomyUntil
  }

  #isFull({ name, share }: Group): boolean {
    return this.#countOf(name) >= this.#shareOf(share)
  }

  #countOf(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  #giveBack(taken: Taken): void {
    if (!this.#taken.delete(taken)) return
    for (const { name } of taken.groups) {
      const left = this.#countOf(name) - 1
      if (left > 0) this.#counts.set(name, left)
      else this.#counts.delete(name)
    }
  }

  /** Of the member or address that has most of the group's places, what moves slowest; false where nothing is slow. */
  #endSlowest({ name }: Group): boolean {
    const within = [...this.#taken].filter(({ groups }) => groups.some((one) => one.name === name))
    const nowMs = this.#nowMs()
    const slow = within.filter((one) => nowMs - one.sinceMs >= leastStayMs && rateOf(one, nowMs) < bytesPerSecond)
    const most = Math.max(...slow.map((one) => this.#heaviness(one)))
    const slowest = slow
      .filter((one) => this.#heaviness(one) === most)
      .reduce<Taken | undefined>((found, one) => (found && rateOf(found, nowMs) <= rateOf(one, nowMs) ? found : one), undefined)
    if (!slowest) return false
    this.#giveBack(slowest)
    slowest.end()
    return true
  }

  /** How many places those have who have this one. */
  #heaviness({ groups }: Taken): number {
    const own = groups.find(({ whose }) => whose !== undefined) ?? groups.at(-1)
    return own ? this.#countOf(own.name) : 0
  }

  #tooMany({ share, whose }: Group): Refusal {
    return later(
      `${whose} has its share of ${this.#words} under way, which is ${this.#shareOf(share)}. Send this again in ${waitSeconds} s.`,
    )
  }

  #allTaken(): Refusal {
    return later(`The server has as many ${this.#words} under way as it can. Send this again in ${waitSeconds} s.`)
  }

  #shareOf(share: number): number {
    return Math.max(1, Math.floor(this.most * share))
  }

  #nowMs(): number {
    return this.#clock.now().getTime()
  }
}

const rateOf = ({ moved, sinceMs }: Taken, nowMs: number): number =>
  (Math.max(0, moved() - betweenBytes) * 1000) / Math.max(1, nowMs - sinceMs)

const waitSeconds = 2
const later = (message: string): Refusal => new Refusal(503, message, { 'Retry-After': String(waitSeconds) })

/** From all to one key. */
function groupsOf({ holder, session, ip, workspaceId = holder?.workspace.id }: Asker): Group[] {
  const client = clientOf(ip)
  const groups: Group[] = [{ name: 'all', share: 1 }]
  if (workspaceId !== undefined) groups.push({ name: `workspace ${workspaceId}`, share: 1 / 2 })
  if (client !== undefined) groups.push({ name: `address ${client}`, share: 1 / 2 })
  else if (workspaceId === undefined && !session) groups.push({ name: 'nobody', share: 1 / 2 })
  if (session) groups.push({ name: `person ${session.accountId}`, share: 1 / 4, whose: 'This account' })
  if (!holder) return groups
  const { id, keyId } = holder.actor
  return [
    ...groups,
    { name: `member ${holder.workspace.id}/${id}`, share: 1 / 4, whose: 'This member' },
    { name: `key ${keyId}`, share: 1 / 8, whose: 'This key' },
  ]
}
