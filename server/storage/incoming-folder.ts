/** Where the uploads of one process lie until they are whole. */
import { join } from 'node:path'
import { ProcessFolder } from '../../system/process-folder.ts'
import { explained } from '../disk/failure.ts'

export class IncomingFolder {
  readonly #folder: ProcessFolder
  #count = 0

  /** Below `parent`, as ProcessFolder says. */
  constructor(parent: string) {
    this.#folder = explained(parent, () => new ProcessFolder(parent))
  }

  /** A name that was never used before. */
  newPath(): string {
    this.#count += 1
    return join(this.#folder.dir, String(this.#count))
  }

  close(): void {
    this.#folder.close()
  }
}
