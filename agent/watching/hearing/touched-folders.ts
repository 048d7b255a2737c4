/** Which folders of a project were touched since a walk of all of it, so that another program need not walk it again (client/project/kept-walk.ts). */
import { randomUUID } from 'node:crypto'
import type { Heard } from '../../../client/project/kept-walk.ts'

/** Naming more of them saves nobody anything. */
const mostNamed = 2000

interface Walk {
  name: string
  /** Touches before it began. */
  touches: number
}

export class TouchedFolders {
  /** By the number of the last touch. */
  readonly #touched = new Map<string, number>()
  #touches = 0
  #begun: Walk | undefined
  #done: Walk | undefined
  #isBlind = false

  /** A file. */
  touch(file: string): void {
    this.#touched.set(file.slice(0, Math.max(0, file.lastIndexOf('/'))), ++this.#touches)
  }

  /** A folder with all below. */
  touchAll(folder: string): void {
    this.#touched.set(`${folder}/`, ++this.#touches)
  }

  /** Something happened that nobody can tell: no walk until now counts. */
  forget(): void {
    this.#begun = undefined
    this.#done = undefined
    this.#touched.clear()
  }

  /** There are files of whose changes nobody tells. */
  turnBlind(): void {
    this.forget()
    this.#isBlind = true
  }

  /** A name for a walk that begins now; undefined where none can count. */
  begin(): string | undefined {
    if (this.#isBlind) return undefined
    this.#begun = { name: randomUUID(), touches: this.#touches }
    return this.#begun.name
  }

  walked(name: string | undefined): void {
    const begun = this.#begun
    if (begun === undefined || begun.name !== name) return
    this.#done = begun
    for (const [folder, touch] of this.#touched) if (touch <= begun.touches) this.#touched.delete(folder)
  }

  heard(): Heard | undefined {
    const done = this.#done
    if (!done) return undefined
    const touched = [...this.#touched].flatMap(([folder, touch]) => (touch > done.touches ? folder : []))
    return touched.length > mostNamed ? undefined : { walk: done.name, touched }
  }
}
