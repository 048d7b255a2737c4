/** `ph status`: every file of a project beside the library, reading only what changed. Start here. */

import { existsSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import type { FileState } from '../../contract/file-states.ts'
import { withPartNames } from '../entries/part-names.ts'
import { projectStateFile } from '../folders.ts'
import { createApi } from '../http/api.ts'
import { openWire, type Wire } from '../http/open-http.ts'
import { isExecutable, mayBeProp, nameExecutables } from '../memory/changes.ts'
import { type KnownRow, relation } from '../memory/current-versions.ts'
import { ProjectMemory } from '../memory/project-memory.ts'
import type { TellPush } from '../progress.ts'
import { findNamedPaths, type NamedPaths, placeInProject } from '../project/paths.ts'
import type { Problem } from '../project/problem.ts'
import type { FoundFile } from '../project/scan.ts'
import { findProjectName, locate } from '../project/unreal-project.ts'
import { waitingJobs } from '../pull/orders/waiting-jobs.ts'
import { withFacePaths, withReverted } from './advice.ts'
import { askLibrary, bringUpToDate, type Files, type LookParts } from './ask-library.ts'
import { type ComparedRows, compareWithMemory } from './compare.ts'
import { type LibraryLocks, locksOfFiles, readLocks } from './file-locks.ts'
import { findLevelNews } from './level-news.ts'
import { type FileLock, isSettled, judge, type StatusFile, type StatusReport, summaryOf, toStatusFile } from './report.ts'
import { type WalkOptions, walk } from './walk.ts'

export interface StatusOptions extends Wire, WalkOptions {
  /** Absolute paths of folders and files; none: the Content folders of the project that `cwd` lies in. */
  paths: string[]
  cwd: string
  /** What the project is called where no descriptor says it. */
  project?: string
  /** Report every file, current ones too. */
  all?: boolean
  /** Ask the library nothing: files beside what was last heard of it. Check-outs and waiting jobs are not known then. */
  remembered?: boolean
  /** Ask about files alone: who looks at some of them needs neither all check-outs nor the waiting jobs. */
  filesOnly?: boolean
  tell?: TellPush
}

/**
 * Compares. Changes nothing but what is remembered here; a key with read scope is enough. Files that cannot be read are
 * problems of the report. Throws ApiError from the library, ClientError from here (`PATH_NOT_FOUND`, `SEVERAL_PROJECTS`,
 * `STATE_UNUSABLE`), and the reason of an aborted `signal`.
 */
export async function status(options: StatusOptions): Promise<StatusReport> {
  const { url, cwd, paths, tell = () => {} } = options
  const namedPaths = findNamedPaths(paths.length > 0 ? paths : [locate(placeInProject(cwd)).root])
  const http = openWire(options, tell)
  const state = projectStateFile(options.folders, url, namedPaths.root)
  const memory = new ProjectMemory(state, { address: url, root: namedPaths.root })
  try {
    const api = createApi(http)
    const look: LookParts = { root: namedPaths.root, api, memory, faces: memory.faces }
    const project = findProjectName(namedPaths.root) ?? options.project
    const isAlone = options.remembered || options.filesOnly
    const jobs = project === undefined || isAlone ? Promise.resolve([]) : waitingJobs(api, project)
    // Met where it is awaited.
    jobs.catch(() => {})
    const locks = isAlone ? Promise.resolve({ locks: [], me: undefined }) : readLocks(api)
    locks.catch(() => {})
    const levels = options.remembered ? Promise.resolve([]) : findLevelNews(api, memory.levels, project)
    levels.catch(() => {})
    const compared = await new Comparison({ options, namedPaths, look, tell, locks, levels }).run()
    return { ...compared, levels: await levels, project: project ?? null, waiting: await jobs }
  } finally {
    memory.close()
    await http.close('destroy')
  }
}

interface Parts {
  options: StatusOptions
  namedPaths: NamedPaths
  look: LookParts
  tell: TellPush
  locks: Promise<LibraryLocks>
  /** Heard of before any file is judged. */
  levels: Promise<unknown>
}

type Compared = Omit<StatusReport, 'project' | 'waiting' | 'levels'>
type Judged = Omit<Compared, 'locks'>

/** All that a report is made of. */
interface Seen {
  files: Files
  rows: readonly KnownRow[]
  compared: ComparedRows
  /** Files of no lineage, and what is known of them. */
  untracked: ReadonlyMap<string, StatusFile>
}

class Comparison {
  readonly #parts: Parts
  readonly #startedMs = performance.now()
  readonly #problems: Problem[] = []
  /** Files whose bytes were read just now, whatever their fingerprint says. */
  readonly #fresh = new Set<string>()
  #read = { files: 0, bytes: 0 }
  /** Files that no library takes. */
  #executables = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async run(): Promise<Compared> {
    const { namedPaths, options, look, tell, levels } = this.#parts
    // The question is on its way while the folders are walked.
    const upToDate = options.remembered ? Promise.resolve() : bringUpToDate(look)
    upToDate.catch(() => {})
    tell({ kind: 'phase', phase: 'scan' })
    const found = await walk(namedPaths, options)
    this.#problems.push(...found.problems.filter(({ kind }) => kind !== 'ignored-folder'))
    tell({ kind: 'found', files: found.files.length, bytes: found.files.reduce((sum, { size }) => sum + size, 0) })
    await Promise.all([upToDate, levels])
    let rows = look.faces.rows()
    const files = this.#choose(found.files, rows)
    const comparing = { fresh: this.#fresh, names: options.all ?? false }
    let compared = compareWithMemory(files, rows, comparing)
    if (compared.untouched < files.size) {
      await this.#readChanged(files, rows)
      rows = look.faces.rows()
    }
    const untracked = options.remembered ? undefined : await askLibrary(look, files, rows)
    if (untracked) rows = look.faces.rows()
    if (untracked || compared.untouched < files.size) compared = compareWithMemory(files, rows, comparing)
    const seen = { files, rows, compared, untracked: untracked ?? new Map() }
    const report = this.#report(seen)
    const named = withPartNames(namedPaths.root, report.files)
    const advised = options.remembered ? named : await this.#advise(named)
    return { ...report, files: advised, locks: await this.#locks(seen, advised), took_ms: this.#tookMs() }
  }

  async #advise(files: StatusFile[]): Promise<StatusFile[]> {
    const { api } = this.#parts.look
    return withFacePaths(await withReverted(files, api), api, findProjectName(this.#parts.namedPaths.root))
  }

  /**
   * Props, and what was pushed before although it is none. Of a whole project, what lies in its Content folders. What no library takes is
   * named, also where an earlier one took it.
   */
  #choose(found: readonly FoundFile[], rows: readonly KnownRow[]): Files {
    const isWhole = this.#parts.options.paths.length === 0 && found.some(({ mount }) => mount)
    const isInScope = ({ mount }: FoundFile) => !isWhole || mount !== undefined
    const executables = new Set(found.filter(isExecutable))
    const named = [...executables].filter(isInScope).map(({ file }) => file)
    this.#problems.push(...nameExecutables(named))
    this.#executables = named.length
    const others = new Set<string>()
    for (const one of found) if (!mayBeProp(one.ext) || !isInScope(one)) others.add(one.file)
    if (others.size > 0) for (const [file, , bits] of rows) if (bits & relation.based) others.delete(file)
    const files = new Map<string, FoundFile>()
    for (const one of found) if (!others.has(one.file) && !executables.has(one)) files.set(one.file, one)
    return files
  }

  /** Reads what is new or was touched. */
  async #readChanged(files: Files, rows: readonly KnownRow[]): Promise<void> {
    const { look, tell, options } = this.#parts
    const stats = new Map(rows.map(([file, stat]) => [file, stat]))
    const changed = [...files.values()].filter(({ file, stat }) => stats.get(file) !== stat)
    const { readAndRemember } = await import('../memory/read-changed.ts')
    tell({ kind: 'phase', phase: 'read' })
    const { root, memory } = look
    const onRead = ({ file }: { file: string }) => this.#fresh.add(file)
    const { problems, read } = await readAndRemember(changed, { root, memory, tell, signal: options.signal, onRead })
    this.#problems.push(...problems)
    this.#read = read
  }

  #report(seen: Seen): Judged {
    const { options, namedPaths } = this.#parts
    const { files, compared, untracked } = seen
    const states = new Map<string, FileState>(compared.currentFiles.map((file) => [file, 'current']))
    let leftOut = 0
    for (const [file, , bits] of compared.others) {
      const untrackedFile = untracked.get(file)
      if (bits & relation.redirector) states.set(file, 'redirector')
      else if (!untrackedFile && bits & relation.leftOut) leftOut++
      else states.set(file, untrackedFile?.state ?? (bits & (relation.there | relation.deleted) ? judge(bits) : 'untracked'))
    }
    for (const file of this.#missing(seen)) states.set(file, 'missing')
    const failed = files.size - compared.current - compared.others.length
    const summary = summaryOf(states.values(), { left_out: leftOut + this.#executables, failed })
    if (!options.all) summary.current += compared.current
    return {
      root: namedPaths.root,
      url: options.url,
      files: this.#describe(states, untracked),
      problems: this.#problems,
      summary,
      read: this.#read,
      took_ms: this.#tookMs(),
    }
  }

  /** Files that memory knows belong to its lineages; what is known of others was found out just now. */
  async #locks({ files, rows, untracked }: Seen, differing: readonly StatusFile[]): Promise<FileLock[]> {
    const found = await this.#parts.locks
    if (found.locks.length === 0) return []
    const lineages = new Map<string, string | null>()
    for (const [file, , bits, lineageId] of rows)
      if (files.has(file) && !(bits & relation.redirector)) lineages.set(file, lineageId)
    for (const { file, lineage_id } of [...differing, ...untracked.values()]) lineages.set(file, lineage_id)
    return locksOfFiles(lineages, found)
  }

  #tookMs = (): number => Math.round(performance.now() - this.#startedMs)

  /** What was pushed or pulled here, is in the library, and is nowhere in the project any more, not even at another place. */
  #missing({ files, rows, compared, untracked }: Seen): string[] {
    const { root, starts } = this.#parts.namedPaths
    const folders = starts.flatMap(({ path, isFolder }) => (isFolder ? [relative(root, path).split(sep).join('/')] : []))
    const isBelow = (file: string) => folders.some((folder) => folder === '' || file.startsWith(`${folder}/`))
    const isHere = (file: string) => files.has(file) || existsSync(join(root, file))
    const absent = compared.absent.filter(([file, , bits]) => !(bits & relation.deleted) && isBelow(file) && !isHere(file))
    if (absent.length === 0) return []
    const lost = new Set(absent.map(([, , , lineageId]) => lineageId))
    for (const [file, , bits, lineageId] of rows)
      if (!(bits & relation.redirector) && lost.has(lineageId) && isHere(file)) lost.delete(lineageId)
    for (const { lineage_id, known_by } of untracked.values()) if (known_by !== 'path') lost.delete(lineage_id)
    return absent.flatMap(([file, , , lineageId]) => (lost.has(lineageId) ? [file] : []))
  }

  /** Those that differ, or all: current ones are among the states only when they are wanted, but for untracked files. */
  #describe(states: ReadonlyMap<string, FileState>, untracked: ReadonlyMap<string, StatusFile>): StatusFile[] {
    const { all } = this.#parts.options
    const shown = new Map([...states].filter(([, state]) => all || !isSettled(state)))
    if (shown.size === 0) return []
    const details = this.#parts.look.faces.details(new Set(shown.keys()))
    const files = details.map((one) => untracked.get(one.file) ?? toStatusFile(one, shown.get(one.file) ?? 'untracked'))
    return files.sort((a, b) => (a.file < b.file ? -1 : 1))
  }
}
