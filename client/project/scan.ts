/** Walks what is to be pushed: finds files with their size and times, names what cannot be read, reads no file. */
import { type Dirent, readdirSync, type Stats, statSync } from 'node:fs'
import { relative, sep } from 'node:path'
import { setImmediate as breathe } from 'node:timers/promises'
import { systemCode } from '../client-error.ts'
import { statKey } from './fingerprint.ts'
import { IgnoreRules, rulesFile } from './ignore-rules.ts'
import { type Problem, problem } from './problem.ts'
import { isContentFolder, type Mount, mountAt } from './unreal-project.ts'

/** A file that was found. `file` is its path below the project's root with `/`; `ext` lower case without dot. */
export interface FoundFile {
  file: string
  ext: string
  /** Bytes. */
  size: number
  /** What changes when the file does; see `statKey`. */
  stat: string
  mount: Mount | undefined
}

export interface Scan {
  files: FoundFile[]
  problems: Problem[]
}

export interface ScanStart {
  /** Absolute path of a folder or a file below the root. */
  path: string
  mount: Mount | undefined
}

/** The event loop is let go at least this often. */
const breathMs = 25

/**
 * Every file below the starts, folder by folder in the order of their names, links followed. What cannot be read and what leads in circles
 * becomes a problem; a start that is not there is thrown as the system says it.
 */
export async function scan(root: string, starts: ScanStart[], signal?: AbortSignal): Promise<Scan> {
  const walk = new Walk(root)
  for (const start of starts) await walk.from(start, signal)
  return { files: walk.files, problems: walk.allProblems() }
}

/** A folder still to be read. */
interface Folder {
  path: string
  file: string
  mount: Mount | undefined
  rules: IgnoreRules
}

class Walk {
  readonly files: FoundFile[] = []
  readonly #problems: Problem[] = []
  readonly #ignored: string[] = []
  readonly #root: string
  /** Device and inode of every folder seen, with its path: a second way to it is not walked, so circles end. */
  readonly #seen = new Map<string, string>()
  readonly #found = new Set<string>()
  /** Linked folders wait until everything is walked that can be reached directly. */
  #linked: Folder[] = []

  constructor(root: string) {
    this.#root = root
  }

  async from({ path, mount }: ScanStart, signal?: AbortSignal): Promise<void> {
    const file = relative(this.#root, path).split(sep).join('/')
    const stats = statSync(path)
    if (!stats.isDirectory()) return this.#addFile({ path, file, mount })
    const folders: Folder[] = [{ path, file, mount, rules: IgnoreRules.forStart(this.#root, file) }]
    let breathedAt = performance.now()
    for (let folder = folders.pop(); folder; folder = folders.pop() ?? this.#linked.pop()) {
      signal?.throwIfAborted()
      folders.push(...this.#enter(folder).reverse())
      if (performance.now() - breathedAt < breathMs) continue
      await breathe()
      breathedAt = performance.now()
    }
  }

  allProblems(): Problem[] {
    const ignored = problem('ignored-folder', this.#ignored, 'Folders that hold no props of their own.')
    return this.#ignored.length > 0 ? [...this.#problems, ignored] : this.#problems
  }

  /** Takes in the files of a folder; gives the folders in it. */
  #enter(folder: Folder): Folder[] {
    const entries = this.#list(folder)
    const isListed = entries.some(({ name }) => name === rulesFile) && folder.file !== ''
    const rules = isListed ? folder.rules.within(folder.path, `${folder.file}/`) : folder.rules
    const hasDescriptor = entries.some(({ name }) => /\.(uproject|uplugin)$/i.test(name))
    const inner: Folder[] = []
    for (const entry of entries) {
      if (entry.name.startsWith('.')) continue
      const path = folder.path + sep + entry.name
      const file = folder.file === '' ? entry.name : `${folder.file}/${entry.name}`
      const kind = this.#kindOf(entry, { path, file })
      if (kind === 'file' && !rules.ignoresFile(file)) this.#addFile({ path, file, mount: folder.mount })
      if (kind !== 'folder' || this.#isIgnored({ ...folder, rules }, entry.name, file)) continue
      const mount = folder.mount ?? (isContentFolder(entry.name, hasDescriptor) ? mountAt(path, this.#root) : undefined)
      const list = entry.isSymbolicLink() ? this.#linked : inner
      list.push({ path, file, mount, rules })
    }
    return inner
  }

  #list({ path, file }: Folder): Dirent[] {
    try {
      const { dev, ino } = statSync(path, { bigint: true })
      const id = `${dev}:${ino}`
      const before = this.#seen.get(id)
      if (before !== undefined) {
        if (before === file) return []
        this.#problems.push(
          problem('link-loop', file, `${file} leads to ${before || 'the folder it is in'}, which was walked already.`),
        )
        return []
      }
      this.#seen.set(id, file)
      return readdirSync(path, { withFileTypes: true }).sort(byName)
    } catch (error) {
      this.#problems.push(problem('unreadable-folder', file, `${file || path} cannot be opened (${systemCode(error)}).`))
      return []
    }
  }

  /** What an entry is, links followed; undefined for what cannot be pushed, which is then named. */
  #kindOf(entry: Dirent, { path, file }: { path: string; file: string }): 'file' | 'folder' | undefined {
    if (entry.isFile()) return 'file'
    if (entry.isDirectory()) return 'folder'
    if (entry.isSymbolicLink()) return this.#kindOfTarget(path, file)
    this.#problems.push(problem('special-file', file, `${file} is a pipe, socket or device.`))
    return undefined
  }

  #kindOfTarget(path: string, file: string): 'file' | 'folder' | undefined {
    try {
      const stats: Stats = statSync(path)
      if (stats.isDirectory()) return 'folder'
      if (stats.isFile()) return 'file'
      this.#problems.push(problem('special-file', file, `${file} leads to a pipe, socket or device.`))
    } catch (error) {
      const why = systemCode(error) === 'ELOOP' ? 'leads to itself' : 'leads to a file that is not there'
      this.#problems.push(problem('dead-link', file, `The symbolic link ${file} ${why}.`))
    }
    return undefined
  }

  #isIgnored(parent: Folder, name: string, file: string): boolean {
    const atTopOfContent = parent.mount !== undefined && parent.path === parent.mount.folder
    if (!parent.rules.ignoresFolder(file, { name, atTopOfContent })) return false
    this.#ignored.push(file)
    return true
  }

  #addFile({ path, file, mount }: Omit<Folder, 'rules'>): void {
    if (this.#found.has(file)) return
    try {
      const stats = statSync(path, { bigint: true })
      this.#found.add(file)
      this.files.push({ file, ext: extensionOf(file), size: Number(stats.size), stat: statKey(stats), mount })
    } catch (error) {
      this.#problems.push(problem('unreadable-file', file, `${file} cannot be looked at (${systemCode(error)}).`))
    }
  }
}

/** Lower case, without the dot; empty where there is none. */
export function extensionOf(file: string): string {
  const dot = file.lastIndexOf('.')
  return dot > file.lastIndexOf('/') + 1 ? file.slice(dot + 1).toLowerCase() : ''
}

const byName = (a: Dirent, b: Dirent): number => (a.name < b.name ? -1 : 1)
