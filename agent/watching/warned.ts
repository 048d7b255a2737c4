/** Which files were warned of within the last hour, of all projects, also before the agent was started anew. */
import { join } from 'node:path'
import { ClientError } from '../../client/client-error.ts'
import { StateFile } from '../../client/memory/state-file.ts'
import type { Surroundings } from '../surroundings.ts'

const quietMs = 60 * 60_000
/** So many files are kept in mind; who edits more of them at once hears of some again. */
const mostKept = 10_000

const layout = { version: 1, schema: new URL('./warned.sql', import.meta.url), tables: ['warned'] } as const

const unusable = (reason: string, cause: unknown): ClientError =>
  new ClientError('STATE_UNUSABLE', `What the agent remembers of warnings cannot be used: ${reason}.`, { cause })

export class Warned {
  readonly #file: StateFile
  readonly #log: Surroundings['log']
  /** By the clock that nobody sets, oldest first. */
  readonly #at = new Map<string, number>()

  constructor({ dir, log }: Pick<Surroundings, 'dir' | 'log'>) {
    this.#log = log
    this.#file = new StateFile(join(dir, 'warned.sqlite'), { layout, unusable })
    const [nowMs, sinceStartMs] = [Date.now(), performance.now()]
    const find = () => this.#file.db.prepare<[], [string, number]>('select path, at from warned order by at').raw().all()
    for (const [path, at] of this.#file.guard(find)) {
      // Of a clock that was set back meanwhile nothing else is known than that it was told.
      const ageMs = Math.max(0, nowMs - at)
      if (ageMs < quietMs) this.#at.set(path, sinceStartMs - ageMs)
    }
  }

  /** Those of the files that may be warned of now. They count as warned of from now on, so that a kill repeats no warning. */
  take(paths: readonly string[]): string[] {
    const nowMs = performance.now()
    const due = [...new Set(paths)].filter((path) => nowMs - (this.#at.get(path) ?? Number.NEGATIVE_INFINITY) >= quietMs)
    if (due.length === 0) return due
    for (const path of due) {
      this.#at.delete(path)
      this.#at.set(path, nowMs)
    }
    for (const [path, at] of this.#at) {
      if (this.#at.size <= mostKept && nowMs - at < quietMs) break
      this.#at.delete(path)
    }
    this.#remember(due)
    return due
  }

  close(): void {
    this.#file.close()
  }

  /** Where it cannot be written, people are warned all the same. */
  #remember(paths: readonly string[]): void {
    const { db } = this.#file
    const nowMs = Date.now()
    try {
      this.#file.write(() => {
        db.prepare('insert or replace into warned select value, ? from json_each(?)').run(nowMs, JSON.stringify(paths))
        db.prepare('delete from warned where at not between ? and ?').run(nowMs - quietMs, nowMs)
        db.prepare('delete from warned where path in (select path from warned order by at desc limit -1 offset ?)').run(mostKept)
      })
    } catch (error) {
      this.#log.warn(String(error))
    }
  }
}
