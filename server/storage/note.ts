/** A short text that lies beside the files of a library: it stays when another state of the database is put beneath them. */
import { readFile } from 'node:fs/promises'
import { writeWhole } from '../../system/whole-file.ts'
import { explainDisk } from '../disk/failure.ts'

export interface Note {
  /** Undefined where none was written. */
  read(): Promise<string | undefined>
  write(text: string): Promise<void>
}

export class FileNote implements Note {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  async read(): Promise<string | undefined> {
    try {
      return await readFile(this.#path, 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw explainDisk(error, this.#path)
    }
  }

  async write(text: string): Promise<void> {
    try {
      await writeWhole(this.#path, (file) => file.writeFile(text), { mode: 0o600, folderMode: 0o700 })
    } catch (error) {
      throw explainDisk(error, this.#path)
    }
  }
}
