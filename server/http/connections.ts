/** All connections of a server: who has them, and which one goes when there are too many. New ones are always taken. */
import type { Socket } from 'node:net'
import { clientOf } from '../front-door/client-address.ts'
import { Connection, type Handle, type Standing } from './connection.ts'

/** Of all connections, what one address may have when there are too many. */
const shareOfAddress = 1 / 4
/** Where every connection has a request under way, new ones are taken up to so many times as many. */
const mostOver = 9 / 8
/** Requests that wait for their turn, over all connections: some 5 KiB each. */
const mostWaiting = 8192
/** While there are too many connections, an answer that nobody reads waits for so long. */
const stalledMs = 5000

/** What has just connected had no time to ask. */
const youngMs = 1000

/** Those without a request go in this order, of each kind the one that has been so longest. */
const goFirst = [
  { kind: 'over', leastMs: 0 },
  { kind: 'silent', leastMs: youngMs },
  { kind: 'idle', leastMs: 0 },
  { kind: 'silent', leastMs: 0 },
] as const
type Free = Exclude<Standing, 'asked'>

/** Since when a connection is without a request. */
interface Since {
  ms: number
  /** Grows with the time, whatever the clock does. */
  order: number
}

/** Connections of an address, or of those whose address could be anyone's. */
interface Group {
  size: number
  /** In the order in which they came to be so. */
  free: Record<Free, Map<Connection, Since>>
}

const emptyGroup = (): Group => ({ size: 0, free: { over: new Map(), silent: new Map(), idle: new Map() } })

interface Place {
  connection: Connection
  address: string | undefined
  standing: Standing
}

export class Connections {
  readonly #most: number
  readonly #trustsProxy: boolean
  readonly #places = new Map<Socket, Place>()
  readonly #groups = new Map<string | undefined, Group>()
  readonly #nowMs: () => number
  #waiting = 0
  #times = 0

  /** `most`: of more, one without a request is ended. */
  constructor({ most, trustsProxy, nowMs }: { most: number; trustsProxy: boolean; nowMs: () => number }) {
    this.#most = most
    this.#trustsProxy = trustsProxy
    this.#nowMs = nowMs
  }

  get count(): number {
    return this.#places.size
  }

  /** Requests that wait for their turn. */
  get waiting(): number {
    return this.#waiting
  }

  *[Symbol.iterator](): Iterator<Connection> {
    for (const { connection } of this.#places.values()) yield connection
  }

  /** Of a socket that is open. */
  of(socket: Socket): Connection | undefined {
    return this.#places.get(socket)?.connection
  }

  add(socket: Socket, handle: Handle): void {
    if (this.#places.size >= this.#most && !this.#makeRoom() && this.#places.size >= this.#most * mostOver)
      return void socket.destroy()
    const connection = new Connection(socket, {
      handle,
      onStanding: (standing) => this.#stand(socket, standing),
      onWaiting: (change) => this.#wait(change),
    })
    const address = this.#trustsProxy ? undefined : clientOf(socket.remoteAddress)
    const place: Place = { connection, address, standing: 'silent' }
    this.#places.set(socket, place)
    this.#enter(place)
    socket.once('close', () => this.#remove(socket))
  }

  /** Where a proxy says who asks, that is whose connection it is. */
  isFrom(socket: Socket, ip: string): void {
    const place = this.#places.get(socket)
    const address = clientOf(ip)
    if (!this.#trustsProxy || !place || place.address === address) return
    this.#leave(place)
    place.address = address
    this.#enter(place)
  }

  #wait(change: number): void {
    this.#waiting += change
    while (change > 0 && this.#waiting > mostWaiting) {
      const [first, ...others] = this
      if (!first) return
      this.#end(others.reduce((most, one) => (one.waiting > most.waiting ? one : most), first))
    }
  }

  #stand(socket: Socket, standing: Standing): void {
    const place = this.#places.get(socket)
    if (!place) return
    this.#leave(place)
    place.standing = standing
    this.#enter(place)
  }

  #enter(place: Place): void {
    const group = this.#groups.get(place.address) ?? emptyGroup()
    this.#groups.set(place.address, group)
    group.size++
    if (place.standing === 'asked') return
    group.free[place.standing].set(place.connection, { ms: this.#nowMs(), order: ++this.#times })
  }

  #leave({ address, standing, connection }: Place): void {
    const group = this.#groups.get(address)
    if (!group) return
    if (standing !== 'asked') group.free[standing].delete(connection)
    if (--group.size === 0) this.#groups.delete(address)
  }

  #remove(socket: Socket): void {
    const place = this.#places.get(socket)
    if (!place) return
    this.#places.delete(socket)
    this.#leave(place)
  }

  #end(connection: Connection): void {
    this.#remove(connection.socket)
    connection.drop()
  }

  /** Of an address with more than its share first; one with a request under way only when its answer is not read. */
  #makeRoom(): boolean {
    const greedy = this.#greediest()
    const nowMs = this.#nowMs()
    const one = (greedy && firstFree([greedy], nowMs)) ?? firstFree([...this.#groups.values()], nowMs) ?? this.#longestStalled()
    if (one) this.#end(one)
    return one !== undefined
  }

  #greediest(): Group | undefined {
    let greediest: Group | undefined
    for (const [address, group] of this.#groups)
      if (address !== undefined && group.size > this.#most * shareOfAddress && group.size > (greediest?.size ?? 0))
        greediest = group
    return greediest
  }

  #longestStalled(): Connection | undefined {
    const before = this.#nowMs() - stalledMs
    let longest: Connection | undefined
    for (const one of this) if ((one.stalledSinceMs ?? before) < (longest?.stalledSinceMs ?? before)) longest = one
    return longest
  }
}

/** Which one has been without a request longest. */
function firstFree(groups: readonly Group[], nowMs: number): Connection | undefined {
  for (const { kind, leastMs } of goFirst) {
    let first: [Connection, Since] | undefined
    for (const { free } of groups) {
      const [one] = free[kind]
      if (one && nowMs - one[1].ms >= leastMs && one[1].order < (first?.[1].order ?? Number.POSITIVE_INFINITY)) first = one
    }
    if (first) return first[0]
  }
  return undefined
}
