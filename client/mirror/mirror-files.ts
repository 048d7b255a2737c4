/**
 * The files of a mirror. Each load makes a file of its own, which takes the place of the one before when it is whole: who reads goes on
 * reading, and half a load is never read. `mirror-3.sqlite` is the third one that was loaded.
 */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

const ends = ['', '-wal', '-shm', '-journal']
const name = /^mirror-(\d+)\.sqlite$/

export class MirrorFiles {
  readonly folder: string

  constructor(folder: string) {
    this.folder = folder
  }

  get lock(): string {
    return join(this.folder, 'writing.lock')
  }

  get loading(): string {
    return join(this.folder, 'loading.sqlite')
  }

  make(): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 })
  }

  /** The number of the newest that was loaded whole. */
  newest(): number | undefined {
    const numbers = this.#numbers()
    return numbers.length === 0 ? undefined : Math.max(...numbers)
  }

  path(number: number): string {
    return join(this.folder, `mirror-${number}.sqlite`)
  }

  /** What was loaded, closed and whole, becomes the newest. What it was loaded for stays until it is removed. */
  adopt(): number {
    const next = (this.newest() ?? 0) + 1
    sync(this.loading)
    renameSync(this.loading, this.path(next))
    if (process.platform !== 'win32') sync(this.folder)
    return next
  }

  removeLoading(): void {
    remove(this.loading)
  }

  /** All but the newest: where the system keeps files that someone reads, the next one who loads removes them. */
  removeOld(): void {
    const newest = this.newest()
    for (const number of this.#numbers()) if (number !== newest) this.removeOne(number)
  }

  removeOne(number: number): void {
    try {
      remove(this.path(number))
    } catch {}
  }

  /** Of everything that lies there. */
  bytes(): number {
    if (!existsSync(this.folder)) return 0
    return readdirSync(this.folder).reduce(
      (sum, file) => sum + (statSync(join(this.folder, file), { throwIfNoEntry: false })?.size ?? 0),
      0,
    )
  }

  #numbers(): number[] {
    if (!existsSync(this.folder)) return []
    return readdirSync(this.folder).flatMap((file) => {
      const number = name.exec(file)?.[1]
      return number === undefined ? [] : Number(number)
    })
  }
}

function remove(path: string): void {
  for (const end of ends) rmSync(path + end, { force: true })
}

function sync(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
