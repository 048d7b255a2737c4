/** Previews of what editors check in through the agent: made behind the answer, of one project after the other. */
import type { Surroundings } from '../surroundings.ts'

export class ProjectPreviews {
  readonly #around: Pick<Surroundings, 'wire' | 'log'>
  readonly #isOn: boolean
  /** Roots of projects. */
  readonly #due = new Set<string>()
  readonly #stopping = new AbortController()
  #working: Promise<void> | undefined

  constructor(around: Pick<Surroundings, 'wire' | 'log'>, { isOn }: { isOn: boolean }) {
    this.#around = around
    this.#isOn = isOn
  }

  /** What is left of it when the agent ends is made after the next push or check-in of the project. */
  make(root: string): void {
    if (!this.#isOn || this.#stopping.signal.aborted) return
    this.#due.add(root)
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined
      // One may have come when the last of them was just done.
      const [next] = this.#due
      if (next !== undefined) this.make(next)
    })
  }

  async close(): Promise<void> {
    this.#stopping.abort(new Error('the agent ends'))
    await this.#working
  }

  async #work(): Promise<void> {
    const { wire, log } = this.#around
    const { signal } = this.#stopping
    const { makeProjectMedia } = await import('../../client/previews/project-previews.ts')
    for (const root of this.#due) {
      this.#due.delete(root)
      if (signal.aborted) return
      const { report, error } = await makeProjectMedia({ ...wire, root, signal })
      const { made, thumbnails, failed } = report
      if (made + thumbnails > 0) log.info(`made ${made} previews and ${thumbnails} thumbnails of ${root}`)
      for (const { name, message } of failed) log.warn(`no preview of ${name}: ${message}`)
      if (error !== undefined && !signal.aborted) log.warn({ err: error }, `previews of ${root} are made after the next push`)
    }
  }
}
