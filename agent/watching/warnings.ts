/** Warns who edits a file that someone else holds, or whose base is old: once per file and hour. */
import { join } from 'node:path'
import type { FileReason } from '../../contract/agent-files.ts'
import type { EventLog } from '../running/event-log.ts'
import { isEdited, type Row } from './file-table.ts'
import { lockReason, stateReason } from './words.ts'

const quietMs = 60 * 60_000
/** So many files are kept in mind; who edits more of them at once hears of some again. */
const mostKept = 10_000

export interface WatchedPlace {
  root: string
  projectKey: string
}

/** What is wrong with editing it; undefined where nothing is. */
export function worry({ file, differing, lock }: Row, { root, projectKey }: WatchedPlace): FileReason | undefined {
  const place = { path: join(root, file), projectKey }
  if (lock && !lock.mine) return lockReason(lock, true, place)
  return differing?.state === 'both' ? stateReason(differing, place) : undefined
}

export class Warnings {
  readonly #events: EventLog
  /** When each file was warned of, by the clock that nobody sets. */
  readonly #warned = new Map<string, number>()

  constructor(events: EventLog) {
    this.#events = events
  }

  /** Files that were edited, or edits that someone else’s work has overtaken. */
  consider(rows: readonly Row[], place: WatchedPlace): void {
    for (const row of rows) {
      const reason = isEdited(row) ? worry(row, place) : undefined
      if (reason) this.#warn(row.file, reason, place)
    }
  }

  #warn(file: string, { kind, message, command }: FileReason, { root, projectKey: project_key }: WatchedPlace): void {
    const path = join(root, file)
    const nowMs = performance.now()
    const before = this.#warned.get(path)
    if (before !== undefined && nowMs - before < quietMs) return
    this.#warned.delete(path)
    this.#warned.set(path, nowMs)
    const [oldest] = this.#warned.keys()
    if (this.#warned.size > mostKept && oldest !== undefined) this.#warned.delete(oldest)
    this.#events.tell('warning', { project_key, file, path, kind, message, command })
  }
}
