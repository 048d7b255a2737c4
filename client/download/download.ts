/** `ph download` of many: entries, with what they need where that is asked for, laid out in a folder as they were pushed. Start here. */
import { randomUUID } from 'node:crypto'
import { copyFileSync, mkdirSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { kindOf, whyNotKept } from '../../contract/file-kinds.ts'
import type { PullWarning } from '../../contract/pull-jobs.ts'
import { ClientError } from '../client-error.ts'
import type { Http } from '../http/http.ts'
import type { TellPull } from '../progress.ts'
import { whyNotOnWindows } from '../project/places/placeable.ts'
import { elsewhere, ProjectPlaces } from '../project/places/project-places.ts'
import { compareProject, type Decision } from '../pull/compare.ts'
import { type MissingInProject, missingInProject, namedObject } from '../pull/missing-in-project.ts'
import type { Obstacle } from '../pull/obstacle.ts'
import type { PullOptions } from '../pull/options.ts'
import { checkReplaced } from '../pull/preflight.ts'
import { provide } from '../pull/stage-files.ts'
import { companionsIn, mayNameOthers } from './companions.ts'
import { type DownloadLayout, type DownloadSet, layOut } from './layout.ts'
import { differs, renameToFree } from './one-file.ts'
import { DownloadSources, type SourceCalls, type Wish } from './sources.ts'
import { DownloadStaging } from './staging.ts'
import type { LaidFile, RefusedFile } from './taken-paths.ts'

export interface ManyOptions extends Pick<PullOptions, 'folders' | 'cacheBytes'> {
  calls: SourceCalls
  http: Http
  wish: Wish
  /** Absolute path of the folder, which is made. */
  to: string
  /** Replace files that hold something else. */
  force: boolean
  tell: TellPull
  signal: AbortSignal
}

export interface DownloadedFile {
  /** Absolute. */
  path: string
  /** Below the folder, with `/`. */
  file: string
  /** `present`: it was there already, byte for byte. */
  outcome: 'downloaded' | 'replaced' | 'present'
  content_hash: string
  size: number
  object_id: number
  version: number | null
}

export interface DownloadReport extends MissingInProject, Pick<DownloadLayout, 'apart' | 'unresolved' | 'guessed' | 'left_out'> {
  /** Absolute. */
  to: string
  entries: { entry_id: number; name: string }[]
  with_deps: boolean
  files: DownloadedFile[]
  /** Names that other systems cannot have, and folders that are here in several spellings. */
  warnings: PullWarning[]
}

/** Longer lists are cut in messages; `details` has all. */
const mostNamed = 5

/**
 * Brings all or nothing: no file is placed before all of them arrived, were checked and can be placed. Throws ClientError
 * `FILE_DIFFERS`, `NOT_PLACED`, and what the library and the system say.
 */
export async function downloadMany(options: ManyOptions): Promise<DownloadReport> {
  const { wish, to, tell, calls } = options
  tell({ kind: 'phase', phase: 'order' })
  const sources = new DownloadSources(calls, wish)
  const sets = await sources.sets()
  const staging = new DownloadStaging(to)
  try {
    const work = new Work(options, sources, staging)
    const { apart, unresolved, guessed, left_out: unnamed, refused, files: laid } = await work.layOut(sets)
    if (refused.length > 0) throw notPlaced(refused.map(sentenceOf))
    const { files, misnamed } = placeable(to, laid)
    const left_out = [...unnamed, ...misnamed]
    if (files.length === 0 && left_out.length > 0) throw notPlaced(left_out.map(sentenceOf))
    const objects = [...new Map(files.map(({ object }) => [object.object_id, object])).values()]
    return {
      to,
      entries: sets.map(({ entry_id, name }) => ({ entry_id, name })),
      with_deps: wish.withDeps,
      files: await work.bring(files),
      ...{ apart, unresolved, guessed, left_out },
      warnings: [...work.spellings, ...windowsWarnings(files)],
      ...missingInProject(objects.map(namedObject), undefined),
    }
  } finally {
    staging.remove()
  }
}

class Work {
  readonly #options: ManyOptions
  readonly #sources: DownloadSources
  readonly #staging: DownloadStaging
  /** Known once files were brought. */
  spellings: PullWarning[] = []

  constructor(options: ManyOptions, sources: DownloadSources, staging: DownloadStaging) {
    this.#options = options
    this.#sources = sources
    this.#staging = staging
  }

  /** What a file names is in its bytes, so those that may name others come first. */
  async layOut(sets: readonly DownloadSet[]): Promise<DownloadLayout> {
    const objects = sets.flatMap(({ members }) => members).filter(mayNameOthers)
    // Before any byte comes: what must not be placed.
    const first = layOut(sets, () => [])
    if (first.refused.length > 0 || objects.length === 0) return first
    placeable(this.#options.to, first.files)
    await this.#fetch(objects.map((object) => ({ path: object.content_hash, object })))
    const named = new Map<number, string[]>()
    for (const object of objects)
      named.set(object.object_id, await companionsIn(join(this.#staging.folder, object.content_hash), object.source_ext ?? ''))
    return layOut(sets, ({ object_id }) => named.get(object_id) ?? [])
  }

  async bring(files: readonly LaidFile[]): Promise<DownloadedFile[]> {
    const { to, force, signal, tell } = this.#options
    tell({ kind: 'phase', phase: 'compare' })
    const pullFiles = files.map(({ path, object }) => ({ path, object, name: path, destination: path }))
    const content = { path: to, file: '.' }
    const { decisions, obstacles, warnings } = await compareProject(pullFiles, {
      content,
      memory: undefined,
      library: undefined,
      signal,
    })
    this.spellings = warnings
    const different = decisions.filter(({ action }) => action === 'conflict')
    if (different.length > 0 && !force) throw filesDiffer(different)
    throwObstacles([...obstacles, ...(await checkReplaced(different, signal))])
    await this.#fetch(decisions.filter(({ action }) => action !== 'identical').map(({ pullFile }) => pullFile))
    tell({ kind: 'phase', phase: 'place' })
    signal.throwIfAborted()
    const totalFiles = decisions.length
    const uses = Map.groupBy(decisions, ({ pullFile }) => pullFile.object.content_hash)
    const done: DownloadedFile[] = []
    for (const decision of decisions) {
      const isLast = uses.get(decision.pullFile.object.content_hash)?.at(-1) === decision
      done.push(await this.#place(decision, isLast))
      tell({ kind: 'place', files: done.length, totalFiles })
    }
    return done
  }

  /** Stages what is not staged yet, each file once. */
  async #fetch(files: readonly LaidFile[]): Promise<void> {
    const { tell, signal, http, folders, cacheBytes } = this.#options
    const objects = new Map(files.map(({ object }) => [object.content_hash, object]))
    const staged = this.#staging.names()
    const contents = [...objects.values()]
      .filter(({ content_hash }) => !staged.has(content_hash))
      .map((object) => ({ hash: object.content_hash, size: object.blob_size, title: namedObject(object).name }))
    if (contents.length === 0) return
    tell({ kind: 'phase', phase: 'fetch' })
    await this.#sources.prepare(contents.map(({ hash }) => hash))
    const parts = { options: { folders, cacheBytes }, http, tell }
    const order = { contents, addresses: this.#sources, stagingFolder: this.#staging.folder, signal }
    throwObstacles((await provide(parts, order)).obstacles)
  }

  /** The bytes may go to several places: all but the last get a copy. */
  async #place({ pullFile: { path: file, object }, path, action }: Decision, isLast: boolean): Promise<DownloadedFile> {
    const { content_hash, blob_size: size, object_id, version = null } = object
    const report = { path, file, content_hash, size, object_id, version }
    if (action === 'identical') return { ...report, outcome: 'present' }
    const staged = join(this.#staging.folder, content_hash)
    const copy = isLast ? staged : join(this.#staging.folder, `copy-${randomUUID()}`)
    if (!isLast) copyFileSync(staged, copy)
    mkdirSync(dirname(path), { recursive: true })
    if (action === 'add') await renameToFree(copy, path)
    else renameSync(copy, path)
    return { ...report, outcome: action === 'add' ? 'downloaded' : 'replaced' }
  }
}

const sentenceOf = ({ what, why }: RefusedFile): string => `${what} ${why}.`

/**
 * In a project all of them have to be props in Content folders: otherwise none is placed, and those that are not are named. A file whose
 * name Windows cannot have is left out there by itself, unless it is a program or script under that name.
 */
function placeable(to: string, files: readonly LaidFile[]): { files: LaidFile[]; misnamed: RefusedFile[] } {
  const places = new ProjectPlaces(files.map(({ path }) => join(to, path)))
  const faults = new Map(files.map((file) => [file, places.whyNot(join(to, file.path))]))
  const misplaced = files.filter((file) => faults.get(file) !== undefined)
  const others = misplaced.filter(
    ({ path }) => whyNotOnWindows(path) === undefined || whyNotKept({ kind: kindOf(path) }) !== undefined,
  )
  if (others.length > 0)
    throw notPlaced(
      others.map((file) => `${join(to, file.path)} ${faults.get(file)}.`),
      elsewhere,
    )
  return {
    files: files.filter((file) => faults.get(file) === undefined),
    misnamed: misplaced.map((file) => ({ what: file.path, why: faults.get(file) ?? '' })),
  }
}

/** What is placed here and left out there. */
function windowsWarnings(files: readonly LaidFile[]): PullWarning[] {
  const paths = files.flatMap(({ path }) => (whyNotOnWindows(path) === undefined ? [] : path))
  if (paths.length === 0) return []
  const more = paths.length > mostNamed ? ` and ${paths.length - mostNamed} more` : ''
  const message = `Windows cannot have these names, and a download there leaves them out: ${paths.slice(0, mostNamed).join(', ')}${more}.`
  return [{ type: 'not_on_windows', message, files: paths }]
}

function filesDiffer(decisions: readonly Decision[]): ClientError {
  const [first] = decisions
  if (first && decisions.length === 1) return differs(first.path)
  const paths = decisions.map(({ path }) => path)
  const more = paths.length > mostNamed ? ` and ${paths.length - mostNamed} more` : ''
  const message = `${paths.length} files are there already and hold something else: ${paths.slice(0, mostNamed).join(', ')}${more}.`
  const next = 'Move them away, choose another folder with --to, or replace them with --force.'
  return new ClientError('FILE_DIFFERS', message, { next, details: { files: paths } })
}

function throwObstacles(obstacles: readonly Obstacle[]): void {
  const [first] = obstacles
  if (!first) return
  const next = first.next
    .replace(', or pull to another folder with --root', ', or choose another folder with --to')
    .replace('then pull again', 'then download again')
  throw notPlaced(
    obstacles.map(({ message }) => message),
    next,
  )
}

function notPlaced(messages: readonly string[], next?: string): ClientError {
  const more = messages.length > mostNamed ? ` And ${messages.length - mostNamed} more.` : ''
  return new ClientError('NOT_PLACED', `Nothing was placed. ${messages.slice(0, mostNamed).join(' ')}${more}`, {
    ...(next === undefined ? {} : { next }),
    details: { errors: messages.map((message) => ({ path: 'entries', message })) },
  })
}
