/**
 * Loaded into a program of ours before anything else (`node --import`): counts the steps in which it changes something on the disk
 * or sends and takes bytes on the wire, in whichever thread, and lets it die (SIGKILL) just before the one that PH_TEST_DEATH names, as
 * `{"kind": "disk", "step": 12}`. `place` are the steps of the disk that move files into a project or out of its way. With
 * `"how": "interrupt"` it gets a Ctrl-C (SIGINT) instead, with `"how": "cut"` its connections end there and no other one lasts; with `"how": "save"`
 * someone saves a file of their own at `saved`, and it goes on; with `"how": "parent"` who started it dies, and it goes on. When it ends by itself it says on stderr how many steps there were:
 * `steps: {"disk": …, "wire": …, "place": …}`.
 */
import fs, { promises } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads'
import Database from 'better-sqlite3'

export type ClientStep = 'disk' | 'wire' | 'place'
export type ClientSteps = Record<ClientStep, number>
export type Ending = 'kill' | 'interrupt' | 'cut' | 'save' | 'parent'
export interface ClientDeath {
  kind: ClientStep
  step: number
  /** A pattern: only steps count of which this is true, such as `^renameSync .*Content/`. */
  at?: string
  how?: Ending
  saved?: string
}

// biome-ignore lint/suspicious/noExplicitAny: it stands before functions of any kind
type Call = (this: any, ...args: any[]) => any
type Table = Record<string, Call>

const shared = 'client-death'
/** Steps so far, of all threads, by kind. */
const counters = isMainThread ? new Int32Array(new SharedArrayBuffer(12)) : (getEnvironmentData(shared) as Int32Array)
const kinds = ['disk', 'wire', 'place'] as const
const last = JSON.parse(process.env.PH_TEST_DEATH ?? 'null') as ClientDeath | null
const changes = ['link', 'rename', 'rm', 'rmdir', 'mkdir', 'chmod', 'copyFile', 'open']
const moves = new Set(['linkSync', 'renameSync', 'rmSync', 'openSync', 'writeSync', 'ftruncateSync'])
const writes = ['writeSync', 'ftruncateSync', 'fsyncSync']

await watchDisk()
before('wire', wireTable(), ['write', 'push'])
if (isMainThread) {
  setEnvironmentData(shared, counters)
  watchDatabase()
  process.once('exit', () => fs.writeSync(2, `steps: ${JSON.stringify(stepsSoFar())}\n`))
}

async function watchDisk(): Promise<void> {
  before('disk', fs as unknown as Table, [...changes.map((name) => `${name}Sync`), ...writes])
  before('disk', promises as unknown as Table, changes)
  const file = await promises.open(import.meta.filename)
  before('disk', Object.getPrototypeOf(file) as Table, ['sync', 'datasync', 'chmod'])
  await file.close()
  syncBuiltinESMExports()
}

function watchDatabase(): void {
  const memory = new Database(':memory:')
  before('disk', Object.getPrototypeOf(memory.prepare('select 1')) as Table, ['run'])
  memory.close()
}

function wireTable(): Table {
  const wire = Socket.prototype as unknown as Table
  wire.push ??= (Readable.prototype as unknown as Table).push as Call
  return wire
}

function before(kind: 'disk' | 'wire', table: Table, names: readonly string[]): void {
  for (const name of names) {
    const original = table[name] as Call
    table[name] = function (...args) {
      if (isChange(name, args)) {
        const label = `${name} ${args.map(pathOf).join(' ')}`
        step(kind, label)
        if (isMainThread && isMove(name, label)) step('place', label)
      }
      if (kind === 'wire' && this !== process.stdout && isCut())
        this.destroy(Object.assign(new Error('the test cut it'), { code: 'ECONNRESET' }))
      return original.apply(this, args)
    }
  }
}

/** Syncing what is staged is no move yet. */
const isMove = (name: string, label: string): boolean =>
  moves.has(name) && /\/(Staging-|Content\/)/.test(label) && !/^openSync .* r[+]$/.test(label)

/** Its own output is no work, and opening something for reading changes nothing. */
function isChange(name: string, [first, second]: unknown[]): boolean {
  if (name.startsWith('open')) return second !== undefined && second !== 'r'
  return first !== 1 && first !== 2
}

/** Of an open file too: what is written is written somewhere. */
function pathOf(what: unknown): string {
  if (typeof what === 'string') return what
  if (typeof what !== 'number') return ''
  try {
    return fs.readlinkSync(`/proc/self/fd/${what}`)
  } catch {
    return ''
  }
}

/** From its step on, whatever is sent or taken. */
const isCut = (): boolean => last?.how === 'cut' && (counters[kinds.indexOf(last.kind)] ?? 0) >= last.step

const stepsSoFar = (): ClientSteps => ({ disk: counters[0] ?? 0, wire: counters[1] ?? 0, place: counters[2] ?? 0 })

let matched = 0

function step(kind: ClientStep, label: string): void {
  const number = Atomics.add(counters, kinds.indexOf(kind), 1) + 1
  if (last?.kind !== kind || last.how === 'cut') return
  if (last.at !== undefined && !new RegExp(last.at).test(label)) return
  if ((last.at === undefined ? number : ++matched) !== last.step) return
  if (last.how === 'save') return void fs.writeFileSync(last.saved ?? '', 'mine')
  if (last.how === 'interrupt') return void process.kill(process.pid, 'SIGINT')
  if (last.how === 'parent') return void process.kill(process.ppid, 'SIGKILL')
  fs.writeSync(2, `died before: ${label}\n`)
  process.kill(process.pid, 'SIGKILL')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}
