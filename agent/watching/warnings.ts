/** Warns who edits a file that someone else holds, or whose base is old: once per file and hour. */
import { join } from 'node:path'
import type { FileReason } from '../../contract/agent-files.ts'
import type { EventLog } from '../running/event-log.ts'
import { isEdited, type Row } from './file-table.ts'
import type { Warned } from './warned.ts'
import { lockReason, stateReason } from './words.ts'

export interface WatchedPlace {
  root: string
  projectKey: string
}

/** What is wrong with editing it; undefined where nothing is. */
export function worry({ file, differing, lock }: Row, { root, projectKey }: WatchedPlace): FileReason | undefined {
  const place = { path: join(root, file), projectKey }
  if (lock && !lock.mine) return lockReason(lock, true, place)
  return differing?.state === 'diverged' ? stateReason(differing, place) : undefined
}

export class Warnings {
  readonly #events: EventLog
  readonly #warned: Warned

  constructor(events: EventLog, warned: Warned) {
    this.#events = events
    this.#warned = warned
  }

  /** Files that were edited, or edits that someone else’s work has overtaken. */
  consider(rows: readonly Row[], place: WatchedPlace): void {
    const { root, projectKey: project_key } = place
    const worries = new Map<string, FileReason & { file: string }>()
    for (const row of rows) {
      const reason = isEdited(row) ? worry(row, place) : undefined
      if (reason) worries.set(join(root, row.file), { file: row.file, ...reason })
    }
    for (const path of this.#warned.take([...worries.keys()])) {
      const worry = worries.get(path)
      if (worry) this.#events.tell('warning', { project_key, path, ...worry })
    }
  }
}
