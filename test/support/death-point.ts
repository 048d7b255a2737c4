/**
 * Loaded into a server before anything else (`node --import`): counts the steps in which it changes something outside of itself,
 * and lets it die (SIGKILL), or its disk be full, just before a chosen one. Steps count while requests are open whose address
 * matches. Those of the disk are changes and syncs of files in whichever thread, the embedded database's among them; those of the
 * wire are statements to the database and answers to clients.
 */
import { subscribe } from 'node:diagnostics_channel'
import fs from 'node:fs'
import { type IncomingMessage, ServerResponse } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import { Socket } from 'node:net'
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads'
import { fillDisk } from './ballast.ts'

export type StepKind = 'disk' | 'wire'
export type StepCounts = Record<StepKind, number>
/** Requests that count, as `PUT /storage/…`, and when to die: before that step, or when one of them is about to be answered. */
export interface DeathOrder {
  address: string
  before?: { kind: StepKind; step: number } | 'answer'
  /** Do not die at that step: take all that is left of the disk with the file that PH_TEST_BALLAST names. */
  fill?: boolean
}

type Call = (this: unknown, ...args: unknown[]) => unknown

const shared = 'death-point'
/** How many requests that count are open; steps of each kind so far; the ones before which to die; whether to fill the disk instead. */
const places = { open: 0, disk: 1, wire: 2, lastDisk: 3, lastWire: 4, fill: 5 }
const counters = isMainThread ? new Int32Array(new SharedArrayBuffer(24)) : (getEnvironmentData(shared) as Int32Array)

const writes = ['writeSync', 'writevSync', 'ftruncateSync', 'truncateSync']
const changes = [...writes, 'linkSync', 'renameSync', 'rmSync', 'unlinkSync', 'mkdirSync']
const syncs = ['fsyncSync', 'fdatasyncSync', 'fsync', 'fdatasync']

watchCalls()
if (isMainThread) {
  setEnvironmentData(shared, counters)
  watchSockets()
  obey()
}

function watchCalls(): void {
  const table = fs as unknown as Record<string, Call>
  for (const name of [...changes, ...syncs, 'openSync']) {
    const original = table[name] as Call
    table[name] = function (...args) {
      if (isStep(name, args)) step('disk', () => `${name} ${pathOf(args[0])}`)
      return original.apply(this, args)
    }
  }
  syncBuiltinESMExports()
}

/** Of the main thread: the embedded database answers in one of its own. */
function watchSockets(): void {
  const write = Socket.prototype.write as unknown as Call
  Socket.prototype.write = function (this: Socket, ...args: unknown[]) {
    step('wire', () => 'bytes to a socket')
    return write.apply(this, args)
  } as typeof Socket.prototype.write
}

/** Logs are no work, and opening something for reading changes nothing. */
function isStep(name: string, [first, second]: unknown[]): boolean {
  if (first === 1 || first === 2) return false
  if (name !== 'openSync') return true
  return typeof second === 'number' ? (second & fs.constants.O_CREAT) !== 0 : second !== undefined && second !== 'r'
}

function pathOf(what: unknown): string {
  if (typeof what !== 'number') return String(what)
  try {
    return fs.readlinkSync(`/proc/self/fd/${what}`)
  } catch {
    return `file ${what}`
  }
}

function step(kind: StepKind, label: () => string): void {
  if (Atomics.load(counters, places.open) <= 0) return
  const last = Atomics.load(counters, kind === 'disk' ? places.lastDisk : places.lastWire)
  if (Atomics.add(counters, places[kind], 1) + 1 !== last) return
  if (Atomics.load(counters, places.fill) === 1) fillDisk(process.env.PH_TEST_BALLAST ?? '')
  else die(label())
}

function die(label: string): void {
  fs.writeSync(2, `died before: ${label}\n`)
  process.kill(process.pid, 'SIGKILL')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}

/** In the turn in which the answer is logged: nothing has had time to be written. */
function failBehindNextAnswer(): void {
  subscribe('http.server.response.finish', () =>
    process.nextTick(() => {
      throw new Error('a failure that nobody caught')
    }),
  )
}

function obey(): void {
  let address = /^$/
  let before: DeathOrder['before']
  const counts = (request: IncomingMessage) => address.test(`${request.method} ${request.url}`)
  process.on('message', (order: DeathOrder | 'count' | 'fail') => {
    if (order === 'fail') failBehindNextAnswer()
    else if (order !== 'count') {
      address = new RegExp(order.address)
      before = order.before
      counters.fill(0)
      if (typeof before === 'object')
        Atomics.store(counters, before.kind === 'disk' ? places.lastDisk : places.lastWire, before.step)
      Atomics.store(counters, places.fill, order.fill ? 1 : 0)
    }
    process.send?.({ disk: Atomics.load(counters, places.disk), wire: Atomics.load(counters, places.wire) } satisfies StepCounts)
  })
  process.channel?.unref()
  subscribe('http.server.request.start', (event) => {
    if (counts((event as { request: IncomingMessage }).request)) Atomics.add(counters, places.open, 1)
  })
  const end = ServerResponse.prototype.end as unknown as Call
  ServerResponse.prototype.end = function (this: ServerResponse, ...args: unknown[]) {
    if (!counts(this.req)) return end.apply(this, args)
    if (before === 'answer') die(`the answer to ${this.req.method} ${this.req.url?.split('?')[0]}`)
    const result = end.apply(this, args)
    Atomics.sub(counters, places.open, 1)
    return result
  } as typeof ServerResponse.prototype.end
}
