/** Attacks by connections, seeded and bounded: each keeps so many of a kind open to one server on this machine, and opens another where one is closed. */
import { connect, type Socket } from 'node:net'
import { asText } from './bare-connections.ts'
import { pick, type Random, seeded } from './random-library.ts'

export interface Target {
  url: string
  slug: string
  /** The attacker's. */
  keys: readonly string[]
  /** A presigned address of a large file. */
  download: string
}

export interface Attack {
  /** Connections so far, those that were opened again included. */
  readonly opened: number
  stop(): void
}

/** What one connection does. */
interface Kind {
  /** At full strength. */
  count: number
  /** Sent at once. */
  text: (target: Target, random: Random) => string
  /** Sent every second. */
  drip?: string
  /** Bytes that are read every second; nothing without. */
  reads?: number
}

const keyOf = ({ keys }: Target, random: Random) => `Authorization: Bearer ${pick(random, keys)}`
const at = ({ slug }: Target, path: string) => `/w/${slug}/api/v1${path}`
const lineOf = ({ download }: Target) => `GET ${new URL(download).pathname}${new URL(download).search}`
const all = Number.POSITIVE_INFINITY

export const kinds = {
  'the client, 1,000 times ahead, unread': { count: 40, text: () => asText('GET /install/prop-house.tgz').repeat(1000) },
  'downloads, 1,000 times ahead, unread': { count: 40, text: (target) => asText(lineOf(target)).repeat(1000) },
  'exports, 20 times ahead, unread': {
    count: 60,
    text: (target, random) => asText(`GET ${at(target, '/catalog/export')}`, [keyOf(target, random)]).repeat(20),
  },
  'streams of changes': {
    count: 1500,
    reads: all,
    text: (target, random) => asText(`GET ${at(target, '/catalog/changes/live')}`, [keyOf(target, random)]),
  },
  'saying nothing': { count: 4200, text: () => '' },
  'headers, a letter a second': { count: 400, drip: 'a', text: () => 'GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ' },
  'half a request, unread 408': { count: 400, text: () => 'GET / HTTP/1.1\r\nHost: x\r\n' },
  'downloads, 2 KiB a second': { count: 300, reads: 2048, text: (target) => asText(lineOf(target)) },
  'bodies, 1.5 KiB a second': {
    count: 400,
    drip: 'x'.repeat(1536),
    reads: all,
    text: (target, random) =>
      asText(`PUT ${at(target, `/blobs/${'a'.repeat(64)}`)}`, [keyOf(target, random), 'Content-Length: 1000000']),
  },
  'requests of all keys': {
    count: 8,
    reads: all,
    text: (target, random) =>
      Array.from({ length: 100 }, () => asText(`GET ${at(target, '/auth/me')}`, [keyOf(target, random)])).join(''),
  },
} satisfies Record<string, Kind>

export type AttackName = keyof typeof kinds

/** Opened together, then a pause. */
const batch = 100
const pauseMs = 50

/** `share`: of the full strength. */
export function attack(name: AttackName, target: Target, { seed, share = 1 }: { seed: number; share?: number }): Attack {
  const kind: Kind = kinds[name]
  const random = seeded(seed)
  const count = Math.max(1, Math.round(kind.count * share))
  const open = new Set<Socket>()
  const timers = new Set<NodeJS.Timeout>()
  let opened = 0
  let isOver = false
  const soon = (work: () => void, ms: number) => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      if (!isOver) work()
    }, ms)
    timers.add(timer)
  }
  const begin = () => {
    opened++
    const socket = openOne(kind, target, random)
    open.add(socket)
    socket.once('close', () => {
      open.delete(socket)
      if (!isOver) soon(begin, 1000 + random(4000))
    })
  }
  for (let n = 0; n < count; n++) soon(begin, Math.floor(n / batch) * pauseMs)
  return {
    get opened() {
      return opened
    },
    stop() {
      isOver = true
      for (const timer of timers) clearTimeout(timer)
      for (const socket of open) socket.destroy()
    },
  }
}

function openOne({ text, drip, reads }: Kind, target: Target, random: Random): Socket {
  const { hostname, port } = new URL(target.url)
  const socket = connect(Number(port), hostname, () => socket.write(text(target, random)))
  socket.on('error', () => {})
  if (reads === all) socket.resume()
  else if (reads === undefined) socket.pause()
  if (drip === undefined && (reads === undefined || reads === all)) return socket
  const second = setInterval(() => {
    if (drip !== undefined && socket.writable) socket.write(drip)
    if (reads !== undefined && reads !== all) socket.read(Math.min(reads, socket.readableLength))
  }, 1000)
  return socket.once('close', () => clearInterval(second))
}
