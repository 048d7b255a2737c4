/**
 * Hears of changes below a folder, by node's own `fs.watch`: of the whole tree where the system can (Windows, macOS), else of each folder.
 * bench/README.md says what other watchers take for 50,000 files.
 */
import { type Dirent, type FSWatcher, lstatSync, readdirSync, statSync, watch } from 'node:fs'
import { basename, join, sep } from 'node:path'
import { setImmediate as breathe } from 'node:timers/promises'
import { systemCode } from '../../../client/client-error.ts'
import { rulesFile } from '../../../client/project/ignoring/rules-file.ts'
import { FolderPlaces } from './folder-places.ts'

export interface TreeListener {
  /** A file that a look would find was made, changed or removed. */
  touched(file: string): void
  /** Something may have been missed: look at everything, soon. */
  missed(): void
  /** Other files count now: watch anew. */
  changedRules(): void
  /** A folder came, with all that lies in it; of its files it is told one by one. */
  renewed(folder: string): void
  /** Something below is watched under another name only, or not at all. */
  overlooked(): void
  /** The system told something, whatever it was. */
  told(): void
  /** The system watches nothing more: look again and again instead. */
  refused(why: string): void
}

const hasTreeWatch = process.platform === 'win32' || process.platform === 'darwin'
const breathMs = 25

export class TreeWatch {
  readonly places: FolderPlaces
  readonly #root: string
  readonly #listener: TreeListener
  readonly #folders = new Map<string, FSWatcher>()
  /** Device and inode of every folder that is watched: a second way to it is not taken, so circles end. */
  readonly #seen = new Map<string, string>()
  #isClosed = false
  #isRefused = false

  constructor(root: string, listener: TreeListener) {
    this.#root = root
    this.#listener = listener
    this.places = new FolderPlaces(root)
  }

  /** Resolves when everything is watched that can be. Throws where the root cannot be. */
  async open(): Promise<void> {
    if (hasTreeWatch) return this.#watch('', { recursive: true })
    await this.#enter('', () => {})
  }

  close(): void {
    this.#isClosed = true
    for (const watcher of this.#folders.values()) watcher.close()
    this.#folders.clear()
  }

  /** Watches a folder and all below; tells of every file in it. A folder that cannot be read is left to the looks. */
  async #enter(start: string, tell: (file: string) => void): Promise<void> {
    const folders = [start]
    let breathedAt = performance.now()
    for (let folder = folders.pop(); folder !== undefined && !this.#isClosed; folder = folders.pop()) {
      // Watched before it is read: what comes in between is heard of.
      if (this.#isNew(folder)) {
        this.#watch(folder, {})
        for (const entry of this.#list(folder)) {
          const file = folder === '' ? entry.name : `${folder}/${entry.name}`
          if (this.#isFolder(entry, file)) folders.push(file)
          else if (this.places.takes(file)) tell(file)
        }
      }
      if (performance.now() - breathedAt < breathMs) continue
      await breathe()
      breathedAt = performance.now()
    }
  }

  #isNew(folder: string): boolean {
    if (this.#folders.has(folder) || !this.places.at(folder)) return false
    try {
      const path = join(this.#root, folder)
      // Where it leads to may become another folder, of which nobody tells.
      if (folder !== '' && lstatSync(path).isSymbolicLink()) this.#listener.overlooked()
      const { dev, ino } = statSync(path, { bigint: true })
      const id = `${dev}:${ino}`
      const before = this.#seen.get(id)
      if (before !== undefined && before !== folder && this.#folders.has(before)) {
        this.#listener.overlooked()
        return false
      }
      this.#seen.set(id, folder)
      return true
    } catch {
      return false
    }
  }

  #list(folder: string): Dirent[] {
    try {
      return readdirSync(join(this.#root, folder), { withFileTypes: true })
    } catch {
      return []
    }
  }

  #isFolder(entry: Dirent, file: string): boolean {
    return entry.isDirectory() || (entry.isSymbolicLink() && isFolderAt(join(this.#root, file)))
  }

  #watch(folder: string, options: { recursive?: boolean }): void {
    if (this.#isRefused) return
    try {
      const watcher = watch(join(this.#root, folder), { ...options, persistent: false })
      watcher.on('change', (kind, name) => this.#heard(folder, { kind, name: name === null ? null : String(name) }))
      watcher.on('error', () => this.#lost(folder))
      this.#folders.set(folder, watcher)
    } catch (error) {
      this.#refuse(folder, error)
    }
  }

  #refuse(folder: string, error: unknown): void {
    const code = systemCode(error)
    if (code === 'ENOSPC' || code === 'EMFILE' || code === 'ENOSYS' || code === 'EPERM') {
      this.#isRefused = true
      this.#listener.refused(
        code === 'ENOSPC'
          ? 'the system watches no more folders (fs.inotify.max_user_watches is used up)'
          : `the system says ${code}`,
      )
    } else if (folder === '') throw error
    else this.#listener.overlooked()
  }

  #heard(folder: string, { kind, name }: { kind: string; name: string | null }): void {
    if (this.#isClosed) return
    this.#listener.told()
    if (name === null) {
      this.#listener.missed()
      return
    }
    const path = name.split(sep).join('/')
    const file = folder === '' ? path : `${folder}/${path}`
    if (basename(file) === rulesFile) this.#listener.changedRules()
    else if (kind === 'rename' && this.#cameOrWent(file)) return
    else if (this.places.takes(file)) this.#listener.touched(file)
  }

  /** Whether it is, or was, a folder. */
  #cameOrWent(file: string): boolean {
    const isFolder = isFolderAt(join(this.#root, file))
    const wasFolder = this.#folders.has(file)
    if (wasFolder && !isFolder) {
      this.#leave(file)
      this.#listener.missed()
    }
    if (!isFolder) return wasFolder
    // Renamed away and made anew at once, both are heard of too late to tell.
    if (wasFolder) this.#leave(file)
    this.#listener.renewed(file)
    if (hasTreeWatch) {
      if (this.places.at(file)) this.#listener.missed()
    } else this.#enter(file, (one) => this.#listener.touched(one)).catch(() => this.#lost(file))
    return true
  }

  #leave(folder: string): void {
    this.places.forget(folder)
    for (const [one, watcher] of this.#folders)
      if (one === folder || one.startsWith(`${folder}/`)) {
        watcher.close()
        this.#folders.delete(one)
      }
  }

  #lost(folder: string): void {
    if (folder !== '') this.#leave(folder)
    this.#listener.overlooked()
    this.#listener.missed()
  }
}

function isFolderAt(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
