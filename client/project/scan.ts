/** Walks what is to be pushed: finds files with their size and times, names what cannot be read, reads no file. */
import { type BigIntStats, type Dirent, readdirSync, type Stats, statSync } from 'node:fs'
import { relative, sep } from 'node:path'
import { setImmediate as breathe } from 'node:timers/promises'
import { systemCode } from '../client-error.ts'
import { statKey } from './fingerprint.ts'
import { IgnoreRules } from './ignore-rules.ts'
import { rulesFile } from './ignoring/rules-file.ts'
import type { KeptEntry, KeptFolder, KeptFolders } from './kept-walk.ts'
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
  /** For the next walk; empty unless `keep` says so. */
  folders: KeptFolders
}

export interface ScanStart {
  /** Absolute path of a folder or a file below the root. */
  path: string
  mount: Mount | undefined
}

export interface ScanOptions {
  signal?: AbortSignal | undefined
  /** Folders in which no file was touched since another walk. */
  untouched?: KeptFolders | undefined
  /** Give what the next walk need not look at. */
  keep?: boolean
}

/** The event loop is let go at least this often. */
const breathMs = 25

/**
 * Every file below the starts, folder by folder in the order of their names, links followed. What cannot be read and what leads in circles
 * becomes a problem; a start that is not there is thrown as the system says it.
 */
export async function scan(root: string, starts: ScanStart[], options: ScanOptions = {}): Promise<Scan> {
  const walk = new Walk(root, options)
  for (const start of starts) await walk.from(start, options.signal)
  return { files: walk.files, problems: walk.allProblems(), folders: walk.folders }
}

/** A folder still to be read. */
interface Folder {
  path: string
  file: string
  mount: Mount | undefined
  rules: IgnoreRules
}

/** What lies in a folder. `known`: of a file that nobody touched since it was looked at. */
interface Entry {
  name: string
  kind: 'file' | 'folder' | 'link' | 'special'
  known?: Pick<FoundFile, 'size' | 'stat'>
}

interface Listed {
  entries: Entry[]
  /** Fingerprint of the folder; undefined where it cannot be kept for the next walk. */
  stat?: string | undefined
}

class Walk {
  readonly files: FoundFile[] = []
  readonly folders: Record<string, KeptFolder> = {}
  readonly #problems: Problem[] = []
  readonly #ignored: string[] = []
  readonly #root: string
  readonly #options: ScanOptions
  /** Of the disk that the walk began on. */
  #dev: bigint | undefined
  /** Device and inode of every folder seen, with its path: a second way to it is not walked, so circles end. */
  readonly #seen = new Map<string, string>()
  readonly #found = new Set<string>()
  /** Linked folders wait until everything is walked that can be reached directly. */
  #linked: Folder[] = []

  constructor(root: string, options: ScanOptions) {
    this.#root = root
    this.#options = options
  }

  async from({ path, mount }: ScanStart, signal?: AbortSignal): Promise<void> {
    const file = relative(this.#root, path).split(sep).join('/')
    const stats = statSync(path)
    if (!stats.isDirectory()) {
      this.#addFile({ path, file, mount })
      return
    }
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
    const { entries, stat } = this.#list(folder)
    const isListed = entries.some(({ name }) => name === rulesFile) && folder.file !== ''
    const rules = isListed ? folder.rules.within(folder.path, `${folder.file}/`) : folder.rules
    const hasDescriptor = entries.some(({ name }) => /\.(uproject|uplugin)$/i.test(name))
    const inner: Folder[] = []
    const kept: (KeptEntry | undefined)[] = []
    for (const { name, kind: given, known } of entries) {
      if (name.startsWith('.')) {
        if (name === rulesFile) kept.push([name])
        continue
      }
      const path = folder.path + sep + name
      const file = folder.file === '' ? name : `${folder.file}/${name}`
      const kind = this.#kindOf(given, { path, file })
      const isTaken = kind === 'file' && !rules.ignoresFile(file)
      const added = isTaken ? this.#addFile({ path, file, mount: folder.mount }, known) : ([name] as const)
      kept.push(given === 'folder' ? name : given === 'file' ? added : undefined)
      if (kind !== 'folder' || this.#isIgnored({ ...folder, rules }, name, file)) continue
      const mount = folder.mount ?? (isContentFolder(name, hasDescriptor) ? mountAt(path, this.#root) : undefined)
      const list = given === 'link' ? this.#linked : inner
      list.push({ path, file, mount, rules })
    }
    this.#keep(folder, stat, kept)
    return inner
  }

  /** Unless there is more in it than folders and files with one name each: who hears of changes may not hear of theirs. */
  #keep({ file }: Folder, stat: string | undefined, entries: readonly (KeptEntry | undefined)[]): void {
    if (!this.#options.keep || stat === undefined) return
    const plain = entries.filter((entry) => entry !== undefined)
    if (plain.length === entries.length) this.folders[file] = { stat, entries: plain }
  }

  #list({ path, file }: Folder): Listed {
    try {
      const stats = statSync(path, { bigint: true })
      const id = `${stats.dev}:${stats.ino}`
      const before = this.#seen.get(id)
      if (before !== undefined) {
        if (before === file) return { entries: [] }
        this.#problems.push(
          problem('link-loop', file, `${file} leads to ${before || 'the folder it is in'}, which was walked already.`),
        )
        return { entries: [] }
      }
      this.#seen.set(id, file)
      this.#dev ??= stats.dev
      const stat = stats.dev === this.#dev ? statKey(stats) : undefined
      const known = this.#options.untouched?.[file]
      if (known && known.stat === stat) return { entries: known.entries.map(keptEntry), stat }
      return { entries: readdirSync(path, { withFileTypes: true }).sort(byName).map(entryOf), stat }
    } catch (error) {
      this.#problems.push(problem('unreadable-folder', file, `${file || path} cannot be opened (${systemCode(error)}).`))
      return { entries: [] }
    }
  }

  /** What an entry is, links followed; undefined for what cannot be pushed, which is then named. */
  #kindOf(kind: Entry['kind'], { path, file }: { path: string; file: string }): 'file' | 'folder' | undefined {
    if (kind === 'link') return this.#kindOfTarget(path, file)
    if (kind !== 'special') return kind
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

  /** Gives what the next walk need not look at; undefined where it has to. */
  #addFile({ path, file, mount }: Omit<Folder, 'rules'>, known?: Entry['known']): KeptEntry | undefined {
    if (this.#found.has(file)) return undefined
    try {
      const stats = known ? undefined : statSync(path, { bigint: true })
      const { size, stat } = known ?? fingerprint(stats as BigIntStats)
      this.#found.add(file)
      this.files.push({ file, ext: extensionOf(file), size, stat, mount })
      return stats && stats.nlink > 1n ? undefined : [file.slice(file.lastIndexOf('/') + 1), size, stat]
    } catch (error) {
      this.#problems.push(problem('unreadable-file', file, `${file} cannot be looked at (${systemCode(error)}).`))
      return undefined
    }
  }
}

const fingerprint = (stats: BigIntStats) => ({ size: Number(stats.size), stat: statKey(stats) })

const entryOf = (entry: Dirent): Entry => ({
  name: entry.name,
  kind: entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : entry.isSymbolicLink() ? 'link' : 'special',
})

function keptEntry(entry: KeptEntry): Entry {
  if (typeof entry === 'string') return { name: entry, kind: 'folder' }
  const [name, size, stat] = entry
  return size === undefined || stat === undefined ? { name, kind: 'file' } : { name, kind: 'file', known: { size, stat } }
}

/** Lower case, without the dot; empty where there is none. */
export function extensionOf(file: string): string {
  const dot = file.lastIndexOf('.')
  return dot > file.lastIndexOf('/') + 1 ? file.slice(dot + 1).toLowerCase() : ''
}

const byName = (a: Dirent, b: Dirent): number => (a.name < b.name ? -1 : 1)
