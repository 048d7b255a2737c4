/** Checks props out at their first save, in projects whose people chose that. What someone else holds stays theirs. */
import { join } from 'node:path'
import { heldByOthers, planCheckOut } from '../../client/check-out/plan.ts'
import { takeProps } from '../../client/check-out/take.ts'
import { ClientError } from '../../client/client-error.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Surroundings } from '../surroundings.ts'
import type { Row } from './file-table.ts'
import type { Looks } from './looks.ts'
import type { WatchedPlace } from './warnings.ts'
import { nameOf } from './words.ts'

/** One question for so many; a project that was changed by a program as a whole is not checked out as a whole. */
const mostAtOnce = 100

export class AutoCheckOut {
  readonly #around: Pick<Surroundings, 'wire' | 'events' | 'log'>
  readonly #looks: Looks
  /** Changed files that were checked out, or refused: not again before they are as the library has them. */
  readonly #settled = new Set<string>()
  /** Saved while the server was away. */
  readonly #waiting = new Set<string>()

  constructor(around: Pick<Surroundings, 'wire' | 'events' | 'log'>, looks: Looks) {
    this.#around = around
    this.#looks = looks
  }

  /** Changed files that nobody holds: said to wait, until the server is back. */
  wait(rows: readonly Row[], place: WatchedPlace): void {
    for (const row of rows) {
      const { file } = row
      if (!this.#isDue(row) || this.#waiting.has(file)) continue
      this.#waiting.add(file)
      this.#tell(
        { file, state: 'waiting', message: `${nameOf(file)} is checked out as soon as the server is reached again.` },
        place,
      )
    }
  }

  /** Gives whether something was checked out. `saved`: just now; those that wait are taken with them. */
  async take(saved: readonly Row[], { all, ...place }: WatchedPlace & { all: (file: string) => Row }): Promise<boolean> {
    for (const file of [...this.#settled, ...this.#waiting])
      if (all(file).differing === undefined) {
        this.#settled.delete(file)
        this.#waiting.delete(file)
      }
    const files = new Set([...saved.map(({ file }) => file), ...this.#waiting])
    const due = [...files].map(all).filter((row) => this.#isDue(row))
    this.#waiting.clear()
    const taken = due.length > 0 ? await this.#takeAll(due.slice(0, mostAtOnce), place) : []
    this.#leave(due.slice(mostAtOnce), place)
    for (const file of taken) this.#tell({ file, state: 'taken', message: `${nameOf(file)} is checked out to you now.` }, place)
    return taken.length > 0
  }

  /** A project that a program changed as a whole: its person decides. */
  #leave(rows: readonly Row[], place: WatchedPlace): void {
    const [first] = rows
    if (!first) return
    for (const { file } of rows) this.#settled.add(file)
    const message = `${rows.length} more files were changed at once and are not checked out by themselves: see \`ph status\`, and \`ph checkout <files>\`.`
    this.#tell({ file: first.file, state: 'refused', message }, place)
  }

  #isDue = ({ file, differing, lock }: Row): boolean => differing?.state === 'modified' && !lock && !this.#settled.has(file)

  /** What someone took meanwhile is left to them, and met as a warning. */
  async #takeAll(rows: readonly Row[], place: WatchedPlace): Promise<string[]> {
    const files = rows.map(({ file }) => file)
    try {
      const taken = await this.#looks.ask(async (api) => {
        const paths = files.map((file) => join(place.root, file))
        const plan = await planCheckOut(paths, { wire: this.#around.wire, api, cwd: place.root, closure: false })
        const theirs = new Set(heldByOthers(plan).map(({ lineage_id }) => lineage_id))
        const props = plan.props.filter(({ lineage_id }) => !theirs.has(lineage_id))
        if (props.length > 0) await takeProps(api, { ...plan, props }, {})
        return new Set(props.flatMap((prop) => prop.files.map(({ file }) => file)))
      })
      for (const file of taken) this.#settled.add(file)
      return files.filter((file) => taken.has(file))
    } catch (error) {
      if (!(error instanceof ApiError) && !(error instanceof ClientError && error.code !== 'UNREACHABLE')) throw error
      const isTaken = error instanceof ApiError && error.code === 'LOCKED'
      if (!isTaken) for (const file of files) this.#settled.add(file)
      const message = `${files.length === 1 ? nameOf(files[0] ?? '') : `${files.length} files`} could not be checked out: ${error.message}`
      this.#around.log.warn(message)
      if (!isTaken) this.#tell({ file: files[0] ?? '', state: 'refused', message }, place)
      return []
    }
  }

  #tell(
    { file, state, message }: { file: string; state: 'taken' | 'waiting' | 'refused'; message: string },
    place: WatchedPlace,
  ): void {
    const { root, projectKey: project_key } = place
    this.#around.events.tell('auto_checkout', { project_key, file, path: join(root, file), state, message })
  }
}
