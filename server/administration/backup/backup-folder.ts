/**
 * A folder of backups: `files/` holds every file once, by its SHA-256, for all of them; each backup is a folder with its database, the list of
 * its files, and `backup.json`, which is written last. A backup without one was interrupted, and counts for none.
 */
import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readdirSync } from 'node:fs'
import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { ApiError } from '../../../contract/errors.ts'
import { FolderSync } from '../../../system/folder-sync.ts'
import { type Lock, tryLock } from '../../../system/lock.ts'
import { writeWhole } from '../../../system/whole-file.ts'
import { sizeOf } from './copied-files.ts'
import { linesOf } from './lines.ts'
import { type BackedUpFile, damagedBackup, format, isManifest, type Manifest, readFileLine } from './manifest.ts'

const names = {
  mark: 'prop-house-backups.json',
  files: 'files',
  lock: 'in-use.sqlite',
  manifest: 'backup.json',
  partial: '.partial',
}
/** As in `2026-11-26T05-04-11Z`; a second one within the second has a number behind it. */
const backupName = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ(-\d+)?$/

/** Of a library in which millions of files were damaged. */
const mostManifestBytes = 256 * 1024 * 1024

export class BackupFolder {
  readonly dir: string

  constructor(dir: string) {
    this.dir = dir
  }

  /** Throws CONFLICT where something else lies there. */
  requireBackups(): void {
    if (this.#isMarked || !existsSync(this.dir)) return
    if (readdirSync(this.dir).some((name) => name !== names.lock && !name.startsWith('.') && name !== 'lost+found'))
      throw new ApiError('CONFLICT', `${this.dir} holds something else than backups.`, { reason: 'not_backups' })
  }

  /** For who writes: makes what is missing. Throws CONFLICT where the backups are those of another library. */
  async prepare(library: string): Promise<void> {
    const found = this.#isMarked ? await this.#readMark() : undefined
    if (found !== undefined && found.library !== library)
      throw new ApiError('CONFLICT', `${this.dir} holds backups of another library.`, { reason: 'not_backups' })
    if (found === undefined) await this.#write(names.mark, { format, library })
    await mkdir(this.#path(names.files), { recursive: true, mode: 0o700 })
  }

  /** Throws CONFLICT when another backup or restore is at it. */
  async lock(): Promise<Lock> {
    await mkdir(this.dir, { recursive: true, mode: 0o700 })
    const lock = tryLock(this.#path(names.lock))
    if (lock) return lock
    throw new ApiError('CONFLICT', `Another backup into ${this.dir} goes on, or a restore out of it.`, {
      reason: 'backup_under_way',
    })
  }

  /** For who only reads: nobody removes what it reads. Undefined where nothing can be written, and so nobody else is at it. */
  async lockToRead(): Promise<Lock | undefined> {
    try {
      return existsSync(this.dir) ? await this.lock() : undefined
    } catch (error) {
      if (error instanceof SQLite.SqliteError && /^SQLITE_(CANTOPEN|READONLY)/.test(error.code)) return undefined
      throw error
    }
  }

  /** Whole backups, the newest first. */
  list(): string[] {
    if (!this.#isMarked) return []
    const found = readdirSync(this.dir).filter((name) => backupName.test(name) && existsSync(this.#path(name, names.manifest)))
    return found.sort().reverse()
  }

  /** What killed backups left. */
  async removePartial(): Promise<void> {
    for (const name of readdirSync(this.dir)) if (name.endsWith(names.partial)) await rm(this.#path(name), { recursive: true })
    await rm(this.coming, { recursive: true, force: true })
  }

  /** Where files lie that are not wholly there yet. */
  get coming(): string {
    return this.#path(`incoming${names.partial}`)
  }

  /** A new backup, under a name that is none yet. */
  async begin(takenAt: string): Promise<{ name: string; dir: string }> {
    const plain = `${takenAt.slice(0, 19).replaceAll(':', '-')}Z`
    let name = plain
    for (let nth = 2; existsSync(this.#path(name)); nth++) name = `${plain}-${nth}`
    const dir = this.#path(`${name}${names.partial}`)
    await mkdir(dir, { mode: 0o700 })
    return { name, dir }
  }

  /** All else of it is there and on the disk. */
  async finish({ name, dir }: { name: string; dir: string }, manifest: Manifest): Promise<void> {
    await writeWhole(join(dir, names.manifest), (file) => file.writeFile(`${JSON.stringify(manifest, undefined, 2)}\n`), {
      mode: 0o600,
    })
    await new FolderSync().settle([dir])
    await rename(dir, this.#path(name))
    await new FolderSync().settle([this.dir])
    await new FolderSync().settleAbove(this.dir)
  }

  /** Throws CONFLICT where it is of a newer program, or its description was changed. */
  async manifestOf(name: string): Promise<Manifest> {
    const path = this.#path(name, names.manifest)
    const size = sizeOf(path)
    const found: unknown =
      size === undefined || size > mostManifestBytes
        ? undefined
        : await readFile(path, 'utf8')
            .then(JSON.parse)
            .catch(() => undefined)
    if (!isManifest(found)) throw damagedBackup(`${path} cannot be read: it is no description of a backup.`)
    if (found.format > format)
      throw new ApiError('CONFLICT', `The backup ${name} was taken by a newer Prop House (${found.version}). Update this one.`, {
        reason: 'newer_backup',
      })
    return found
  }

  partOf(name: string, part: 'database' | 'files'): string {
    return this.#path(name, partNames[part])
  }

  /** Where the bytes of a SHA-256 lie. */
  fileOf(sha256: string): string {
    return this.#path(names.files, sha256.slice(0, 2), sha256)
  }

  /** The list of a backup, some lines at a time. */
  async *filesOf(name: string): AsyncGenerator<BackedUpFile[]> {
    const path = this.partOf(name, 'files')
    let number = 0
    for await (const lines of linesOf(path)) yield lines.map((line) => readFileLine(line, { path, number: ++number }))
  }

  /**
   * Removes all but the newest backups, then every file that none of them names. Gives the names of those that went. The one that was just
   * taken stays, whatever the clock said.
   */
  async prune(keep: number, taken: string): Promise<string[]> {
    const others = this.list().filter((name) => name !== taken)
    const gone = others.slice(keep - 1)
    for (const name of gone) {
      await rename(this.#path(name), this.#path(`${name}${names.partial}`))
      await rm(this.#path(`${name}${names.partial}`), { recursive: true })
    }
    if (gone.length > 0) await this.#removeUnnamed()
    return gone
  }

  async #removeUnnamed(): Promise<void> {
    const named = new Set<string>()
    for (const name of this.list())
      for await (const files of this.filesOf(name)) for (const { sha256 } of files) named.add(sha256)
    for (const folder of readdirSync(this.#path(names.files)))
      for (const name of readdirSync(this.#path(names.files, folder)))
        if (!named.has(name)) await rm(this.#path(names.files, folder, name))
  }

  async #readMark(): Promise<{ library?: unknown }> {
    const path = this.#path(names.mark)
    try {
      const found: unknown = sizeOf(path) === undefined ? undefined : JSON.parse(await readFile(path, 'utf8'))
      if (typeof found === 'object' && found !== null) return found
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
    }
    throw new ApiError('CONFLICT', `${path} does not say which library its backups are of.`, { reason: 'not_backups' })
  }

  get #isMarked(): boolean {
    return existsSync(this.#path(names.mark))
  }

  #write(name: string, content: unknown): Promise<void> {
    return writeWhole(this.#path(name), (file) => file.writeFile(`${JSON.stringify(content)}\n`), { mode: 0o600 })
  }

  #path(...parts: string[]): string {
    return join(this.dir, ...parts)
  }
}

export const partNames = { database: 'database.ndjson.gz', files: 'files.ndjson.gz' }

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  return hash.digest('hex')
}
