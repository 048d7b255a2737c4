/** What push, pull and status are all given to reach a workspace, and the connection made of it. */
import type { Folders } from '../folders.ts'
import { Http, type WaitEvent } from './http.ts'
import type { Pause } from './pause.ts'

export interface Wire {
  /** Address of the workspace; see `normalizeAddress`. */
  url: string
  key: string | undefined
  folders: Folders
  clientName?: string
  /** See HttpOptions. */
  leavesRoom?: boolean
  pause?: Pause
  signal?: AbortSignal
}

/** Opens a connection that tells its waits as events. Who opens it closes it. */
export function openWire(wire: Wire, tell: (event: { kind: 'wait' } & WaitEvent) => void): Http {
  const { url, key, folders, leavesRoom, clientName, pause, signal } = wire
  return new Http({
    url,
    key,
    folders,
    leavesRoom,
    clientName,
    pause,
    signal,
    onWait: (event) => tell({ kind: 'wait', ...event }),
  })
}
