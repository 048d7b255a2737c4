/** How many connections one process keeps, and how many of them may be busy with what takes long: so that others find a place. */
import { readFileSync } from 'node:fs'

/** A program keeps up to eight open for each of its users. */
const wantedConnections = 4096
/** Files, sockets to a database and threads have as many besides. */
const otherFiles = 512

/** `openFiles`: how many this process may have; undefined where the system does not say. Each connection may have a file of its own. */
export const connectionsFor = (openFiles: number | undefined): number =>
  openFiles === undefined
    ? wantedConnections
    : Math.min(wantedConnections, Math.max(64, Math.floor((openFiles - otherFiles) / 2)))

/** `Max open files            1024                 524288               files`; Node takes the second at its start. */
function allowedFiles(): number | undefined {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return soft === undefined ? undefined : Number(soft)
  } catch {
    return undefined
  }
}

export interface Capacity {
  /** Of more the one that has been without a request longest is ended. */
  connections: number
  /** Requests whose body has not come altogether. */
  bodies: number
  /** Answers that are sent as they are read: files, exports, the client. */
  answers: number
  /** Streams of changes. */
  live: number
}

export const capacityOf = (connections: number): Capacity => ({
  connections,
  bodies: Math.floor(connections / 2),
  answers: Math.floor(connections / 8),
  live: Math.floor(connections / 2),
})

export const usualCapacity = (): Capacity => capacityOf(connectionsFor(allowedFiles()))
