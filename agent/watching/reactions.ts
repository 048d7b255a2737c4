/** What follows when files stand differently: editors are told, people are warned, props are checked out. */
import { join } from 'node:path'
import type { Surroundings } from '../surroundings.ts'
import { AutoCheckOut } from './auto-check-out.ts'
import { type FileTable, isEdited, type RowChange, watchedFile } from './file-table.ts'
import type { ToldEvents } from './hearing/told-events.ts'
import type { Looks } from './looks.ts'
import type { Warned } from './warned.ts'
import { Warnings, type WatchedPlace } from './warnings.ts'
import type { WatchPace } from './watch-pace.ts'
import { moment, nameOf } from './words.ts'

/** So many files are told of one by one. */
const mostTold = 200
const dayMs = 24 * 60 * 60_000

/** What a project is watched with. */
export interface WatchMeans {
  looks: Looks
  pace: WatchPace
  warned: Warned
  told: ToldEvents
}

export interface Happened {
  changes: readonly RowChange[]
  /** Files that were saved just now. */
  saved: ReadonlySet<string>
  isOnline: boolean
}

export class Reactions {
  readonly #around: Surroundings
  readonly #table: FileTable
  readonly #warnings: Warnings
  readonly #autoCheckOut: AutoCheckOut
  /** Check-outs whose end was told. */
  readonly #ending = new Set<number>()

  constructor(around: Surroundings, table: FileTable, { looks, warned }: Pick<WatchMeans, 'looks' | 'warned'>) {
    this.#around = around
    this.#table = table
    this.#warnings = new Warnings(around.events, warned)
    this.#autoCheckOut = new AutoCheckOut(around, looks)
  }

  /** Gives whether something was checked out, so that who holds what has to be asked anew. */
  async to({ changes, saved, isOnline }: Happened, place: WatchedPlace & { autoCheckout: boolean }): Promise<boolean> {
    this.#tellChanges(changes, place)
    const savedRows = [...saved].map(this.#table.row)
    const overtaken = changes.filter((change) => isEdited(change.after) && isOvertaken(change)).map(({ after }) => after)
    this.#warnings.consider([...savedRows, ...overtaken], place)
    this.#tellEnding(place)
    if (!place.autoCheckout) return false
    const edited = [...savedRows, ...changes.filter(isNewlyEdited).map(({ after }) => after)]
    if (isOnline) return this.#autoCheckOut.take(edited, { ...place, all: this.#table.row })
    this.#autoCheckOut.wait(edited, place)
    return false
  }

  #tellChanges(changes: readonly RowChange[], { root, projectKey: project_key }: WatchedPlace): void {
    const { events } = this.#around
    if (changes.length > mostTold) events.tell('files', { project_key, root, files: changes.length })
    else for (const { after } of changes) events.tell('file', { project_key, ...watchedFile(after, { root, isPending: false }) })
  }

  /** Those of this person that end within a day; not those that were taken for a shorter time anyway. */
  #tellEnding({ root, projectKey: project_key }: WatchedPlace): void {
    const nowMs = Date.now()
    for (const { file, lock, mine } of this.#table.held()) {
      const [fromMs, untilMs] = [Date.parse(lock.created_at), Date.parse(lock.expires_at)]
      const leftMs = untilMs - nowMs
      if (!mine || leftMs > dayMs || leftMs <= 0 || leftMs * 2 > untilMs - fromMs || this.#ending.has(lock.id)) continue
      this.#ending.add(lock.id)
      const path = join(root, file)
      const message = `Your check-out of ${nameOf(path)} ends at ${moment(lock.expires_at)}. Check it in, or check it out again to keep it.`
      this.#around.events.tell('lock.ending', { project_key, file, path, until: lock.expires_at, message })
    }
  }
}

const isNewlyEdited = ({ before, after }: RowChange): boolean => isEdited(after) && !isEdited(before)

/** It was edited before anybody took it or made another version, or while nobody watched. */
function isOvertaken({ before, after }: RowChange): boolean {
  const isHeldAnew = after.lock !== undefined && !after.lock.mine && before.lock?.lock.id !== after.lock.lock.id
  return (
    isNewlyEdited({ before, after }) ||
    isHeldAnew ||
    (after.differing?.state === 'diverged' && before.differing?.state !== 'diverged')
  )
}
