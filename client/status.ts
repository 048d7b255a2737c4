/** `ph status`: every file of a project beside the library, reading only what changed. Start here. */
import { existsSync, realpathSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { Faces, type KnownRow, relation } from './faces.ts'
import { Fingerprints } from './fingerprints.ts'
import { type Folders, projectStateFile } from './folders.ts'
import { sortFound } from './found-files.ts'
import { Http } from './http.ts'
import { askLibrary, type Files, followSince, type LookParts } from './library-look.ts'
import type { Tell } from './push-events.ts'
import { findPlaces, type NamedPaths } from './push-paths.ts'
import type { Problem } from './push-problem.ts'
import { type FoundFile, scan } from './scan.ts'
import { statusCalls } from './status-calls.ts'
import { judge, type StatusFile, type StatusReport, summaryOf, toStatusFile } from './status-report.ts'
import { locate } from './unreal-project.ts'

export interface StatusOptions {
  /** Absolute paths of folders and files; none: the Content folders of the project that `cwd` lies in. */
  paths: string[]
  cwd: string
  url: string
  key: string | undefined
  folders: Folders
  clientName?: string
  /** Report every file, identical ones too. */
  all?: boolean
  tell?: Tell
  signal?: AbortSignal
}

/**
 * Compares. Changes nothing but what is remembered here; a key with read scope is enough. Files that cannot be read are
 * problems of the report. Throws ApiError from the library, ClientError from here (`PATH_NOT_FOUND`, `SEVERAL_PROJECTS`,
 * `STATE_UNUSABLE`), and the reason of an aborted `signal`.
 */
export async function status(options: StatusOptions): Promise<StatusReport> {
  const { url, key, clientName, signal, cwd, paths, tell = () => {} } = options
  const places = findPlaces(paths.length > 0 ? paths : [locate(realpathSync(cwd)).root])
  const http = new Http({ url, key, clientName, signal, onWait: (event) => tell({ kind: 'wait', ...event }) })
  const state = projectStateFile(options.folders, url, places.root)
  const fingerprints = new Fingerprints(state, { address: url, root: places.root })
  try {
    const faces = new Faces(state)
    const look: LookParts = { root: places.root, calls: statusCalls(http, signal), fingerprints, faces }
    return await new Comparison({ options, places, look, tell }).run().finally(() => faces.close())
  } finally {
    fingerprints.close()
    await http.close('destroy')
  }
}

interface Parts {
  options: StatusOptions
  places: NamedPaths
  look: LookParts
  tell: Tell
}

class Comparison {
  readonly #parts: Parts
  readonly #startedMs = performance.now()
  readonly #problems: Problem[] = []
  /** Files whose bytes were read just now, whatever their fingerprint says. */
  readonly #fresh = new Set<string>()
  #read = { files: 0, bytes: 0 }

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async run(): Promise<StatusReport> {
    const { places, options, look, tell } = this.#parts
    // The question is on its way while the folders are walked.
    const followed = followSince(look)
    followed.catch(() => {})
    tell({ kind: 'phase', phase: 'scan' })
    const found = await scan(places.root, places.starts, options.signal)
    this.#problems.push(...found.problems.filter(({ kind }) => kind !== 'ignored-folder'))
    tell({ kind: 'found', files: found.files.length, bytes: found.files.reduce((sum, { size }) => sum + size, 0) })
    if (!(await followed)) look.faces.clear()
    let rows = look.faces.rows()
    const files = this.#choose(found.files, rows)
    if (await this.#readChanged(files, rows)) rows = look.faces.rows()
    const strangers = await askLibrary(look, files, rows)
    if (strangers) rows = look.faces.rows()
    return this.#report(files, rows, strangers ?? new Map())
  }

  /** Props, and what was pushed before although it is none. Of a whole project, what lies in its Content folders. */
  #choose(found: readonly FoundFile[], rows: readonly KnownRow[]): Files {
    const { wanted, sidecars, unknown } = sortFound(found, false)
    const isWhole = this.#parts.options.paths.length === 0 && found.some(({ mount }) => mount)
    const based = new Set<string>()
    for (const [file, , bits] of rows) if (bits & relation.based) based.add(file)
    const others = new Set([...sidecars, ...unknown].filter((file) => based.has(file)))
    const files = new Map<string, FoundFile>()
    for (const one of wanted) if (!isWhole || one.mount || based.has(one.file)) files.set(one.file, one)
    if (others.size > 0) for (const one of found) if (others.has(one.file)) files.set(one.file, one)
    return files
  }

  /** Reads what is new or was touched. Says whether there was anything. */
  async #readChanged(files: Files, rows: readonly KnownRow[]): Promise<boolean> {
    const { look, tell, options } = this.#parts
    const untouched = new Set<string>()
    for (const [file, stat] of rows) if (files.get(file)?.stat === stat) untouched.add(file)
    if (untouched.size === files.size) return false
    const changed = [...files.values()].filter(({ file }) => !untouched.has(file))
    const { gather } = await import('./push-gather.ts')
    tell({ kind: 'phase', phase: 'read' })
    const { root, fingerprints } = look
    const gathered = await gather(changed, { root, fingerprints, tell, signal: options.signal })
    for (const { found } of gathered.files) this.#fresh.add(found.file)
    this.#problems.push(...gathered.problems)
    this.#read = gathered.read
    return true
  }

  #report(files: Files, rows: readonly KnownRow[], strangers: ReadonlyMap<string, StatusFile>): StatusReport {
    const { options, places } = this.#parts
    const { states, leftOut, failed } = this.#judgeAll(files, rows, strangers)
    for (const file of this.#missing(files, rows, strangers)) states.set(file, 'missing')
    const wanted = new Set<string>()
    for (const [file, state] of states) if (options.all || state !== 'identical') wanted.add(file)
    return {
      root: places.root,
      url: options.url,
      files: this.#describe(wanted, states, strangers),
      problems: this.#problems,
      summary: summaryOf(states.values(), { left_out: leftOut, failed }),
      read: this.#read,
      took_ms: Math.round(performance.now() - this.#startedMs),
    }
  }

  #judgeAll(files: Files, rows: readonly KnownRow[], strangers: ReadonlyMap<string, StatusFile>) {
    const states = new Map<string, StatusFile['state']>()
    let leftOut = 0
    let readable = 0
    for (const [file, stat, bits] of rows) {
      const found = files.get(file)
      if (!found || (found.stat !== stat && !this.#fresh.has(file))) continue
      readable++
      const stranger = strangers.get(file)
      if (stranger) states.set(file, stranger.state)
      else if (bits & relation.leftOut) leftOut++
      else states.set(file, bits & relation.there ? judge(bits) : 'unknown')
    }
    return { states, leftOut, failed: files.size - readable }
  }

  /** What was pushed or pulled here, is in the library, and is nowhere in the project any more, not even at another place. */
  #missing(files: Files, rows: readonly KnownRow[], strangers: ReadonlyMap<string, StatusFile>): string[] {
    const { root, starts } = this.#parts.places
    const folders = starts.flatMap(({ path, isFolder }) => (isFolder ? [relative(root, path).split(sep).join('/')] : []))
    const isBelow = (file: string) => folders.some((folder) => folder === '' || file.startsWith(`${folder}/`))
    const isHere = (file: string) => files.has(file) || existsSync(join(root, file))
    const absent = rows.filter(([file, , bits]) => bits & relation.there && !files.has(file) && isBelow(file) && !isHere(file))
    if (absent.length === 0) return []
    const lost = new Set(absent.map(([, , , lineageId]) => lineageId))
    for (const [file, , , lineageId] of rows) if (lost.has(lineageId) && isHere(file)) lost.delete(lineageId)
    for (const { lineage_id, known_by } of strangers.values()) if (known_by !== 'path') lost.delete(lineage_id)
    return absent.flatMap(([file, , , lineageId]) => (lost.has(lineageId) ? [file] : []))
  }

  #describe(
    wanted: ReadonlySet<string>,
    states: ReadonlyMap<string, StatusFile['state']>,
    strangers: ReadonlyMap<string, StatusFile>,
  ): StatusFile[] {
    if (wanted.size === 0) return []
    const files = this.#parts.look.faces.details(wanted).map((detail) => {
      return strangers.get(detail.file) ?? toStatusFile(detail, states.get(detail.file) ?? 'unknown')
    })
    return files.sort((a, b) => (a.file < b.file ? -1 : 1))
  }
}
