/** `ph push`: brings folders and files into the library, as new versions of what they were edited from. Start here. */
import { ClientError } from '../client-error.ts'
import { projectStateFile, pullLock } from '../folders.ts'
import { createApi } from '../http/api.ts'
import { openWire } from '../http/open-http.ts'
import { findVanished, isUntouched, nameUnread, type SortedFiles, sortFound } from '../memory/changes.ts'
import { type FeedPosition, findFeedEnd } from '../memory/feed.ts'
import { takeInNews } from '../memory/news.ts'
import { ProjectMemory } from '../memory/project-memory.ts'
import { findNamedPaths } from '../project/paths.ts'
import type { Problem } from '../project/problem.ts'
import { type Scan, scan } from '../project/scan.ts'
import { findPackages, missingPackages } from './library-packages.ts'
import type { PushOptions, PushParts } from './options.ts'
import { type AnsweredBefore, type PushReport, recalledProblems, summarize } from './report.ts'

export type { PushOptions } from './options.ts'

/**
 * Pushes. Files that cannot go are named in the report and do not stop the others; what concerns the push as a whole is
 * thrown: ApiError from the library, ClientError from here. An aborted `signal` throws its reason; what was committed stays,
 * and the next push goes on from there.
 */
export async function push(options: PushOptions): Promise<PushReport> {
  const namedPaths = findNamedPaths(options.paths)
  const stopping = new AbortController()
  const signal = options.signal ? AbortSignal.any([options.signal, stopping.signal]) : stopping.signal
  const tell = options.tell ?? (() => {})
  const { url, folders } = options
  const http = openWire({ ...options, signal }, tell)
  const state = projectStateFile(folders, url, namedPaths.root)
  const memory = new ProjectMemory(state, { address: url, root: namedPaths.root })
  try {
    if (!options.dryRun && memory.pulls.list().length > 0) await settlePulls({ memory, root: namedPaths.root, signal }, state)
    if (options.askAgain && !options.dryRun) (await import('./held/answers.ts')).forgetAnswers(memory)
    const stop = (reason: unknown) => stopping.abort(reason)
    const api = createApi(http)
    return await new Push({ options, namedPaths, http, api, memory, stateFile: state, tell, signal, stop }).run()
  } finally {
    memory.close()
    await http.close(signal.aborted ? 'destroy' : 'finish')
  }
}

/** An interrupted pull may have placed files of which this project does not know yet which versions they are. One under way does know. */
async function settlePulls(parts: { memory: ProjectMemory; root: string; signal: AbortSignal }, state: string): Promise<void> {
  const [{ takeFreeLock }, { settleInterrupted }] = await Promise.all([
    import('../memory/process-lock.ts'),
    import('../pull/placing/recovery.ts'),
  ])
  const lock = takeFreeLock(pullLock(state))
  try {
    if (lock) await settleInterrupted(parts)
  } finally {
    lock?.release()
  }
}

class Push {
  readonly #parts: PushParts
  readonly #startedMs = performance.now()

  constructor(parts: PushParts) {
    this.#parts = parts
  }

  async run(): Promise<PushReport> {
    const { namedPaths, tell, signal, options, memory } = this.#parts
    // The question is on its way while the folders are walked.
    const feed = this.#followFeed()
    feed.catch(() => {})
    tell({ kind: 'phase', phase: 'scan' })
    const found = await scan(namedPaths.root, namedPaths.starts, { signal })
    tell({ kind: 'found', files: found.files.length, bytes: found.files.reduce((sum, { size }) => sum + size, 0) })
    const inContent = options.contentOnly ? found.files.filter(({ mount }) => mount) : found.files
    const sorted = sortFound(inContent, options.all ?? false)
    if (sorted.props.length === 0 && found.problems.length === 0) throw nothingThere(options.paths, sorted)
    const position = await feed
    const seenFiles = memory.seenFiles()
    const vanished = findVanished(found.files, seenFiles, namedPaths)
    const isAnswered = !this.#asksForMore && vanished.length === 0 && isUntouched(sorted.props, seenFiles)
    if (position && isAnswered && !(await this.#hasArrived(sorted))) return this.#untouched(found, sorted, position)
    memory.setGone(vanished)
    const { PushWork } = await import('./push-changes.ts')
    const done = await new PushWork(this.#parts).run(sorted, position ?? (await findFeedEnd(this.#parts.api)))
    return this.#report({ ...done, found, problems: [...found.problems, ...nameUnread(sorted), ...done.problems] })
  }

  /** More may have to be done than what was found says: named files take others along, a group takes in what is there. */
  get #asksForMore(): boolean {
    const { options, namedPaths } = this.#parts
    return options.variantGroup !== undefined || (!options.noDeps && namedPaths.starts.some(({ isFolder }) => !isFolder))
  }

  /** Whether the library by now has packages that these files miss. */
  async #hasArrived(sorted: SortedFiles): Promise<boolean> {
    const { memory, api } = this.#parts
    const files = new Set(sorted.props.map(({ file }) => file))
    const remembered = recalledProblems(memory).filter((one) => one.files.some((file) => files.has(file)))
    return (await findPackages(api, missingPackages(remembered))).size > 0
  }

  /** Takes in what happened at the library since the last push. Undefined when memory does not count any more. */
  async #followFeed(): Promise<FeedPosition | undefined> {
    const { memory } = this.#parts
    const position = await takeInNews(this.#parts.api, memory)
    if (position) return position
    memory.unsettleAll()
    const { confirmBases } = await import('../memory/confirm-bases.ts')
    await confirmBases(this.#parts.api, memory)
    return undefined
  }

  /** Nothing changed on either side: what was worth naming last time still is. */
  #untouched(found: Scan, sorted: SortedFiles, position: FeedPosition): PushReport {
    const { memory } = this.#parts
    if ((memory.recall('feed') as FeedPosition).cursor !== position.cursor) memory.remember('feed', position)
    const files = new Set(sorted.props.map(({ file }) => file))
    const remembered = recalledProblems(memory).filter((one) => one.files.some((file) => files.has(file)))
    const problems = [...found.problems, ...nameUnread(sorted), ...remembered]
    const leftOut = new Set(
      remembered.filter(({ weight }) => weight === 'failed' || weight === 'left-out').flatMap((one) => one.files),
    )
    return this.#report({ found, problems, unchanged: sorted.props.filter(({ file }) => !leftOut.has(file)).length })
  }

  #report(what: {
    found: Scan
    problems: Problem[]
    unchanged: number
    items?: PushReport['items']
    thumbnails?: number
    bytes?: PushReport['bytes']
    answeredBefore?: AnsweredBefore[]
  }): PushReport {
    const { items = [], thumbnails = 0, problems, unchanged, bytes = { read: 0, uploaded: 0 }, answeredBefore = [] } = what
    const { options, namedPaths } = this.#parts
    return {
      root: namedPaths.root,
      url: options.url,
      dry_run: options.dryRun ?? false,
      found: what.found.files.length,
      unchanged,
      items,
      problems,
      summary: summarize(items, { problems, unchanged, thumbnails }),
      bytes,
      ...(answeredBefore.length > 0 ? { answered_before: answeredBefore } : {}),
      ...(options.note !== undefined && !items.some(({ status }) => status === 'new') ? { note_dropped: true } : {}),
      ...(options.dryRun ? {} : { previews_due: this.#parts.memory.recall('previews') !== null }),
      took_ms: Math.round(performance.now() - this.#startedMs),
    }
  }
}

function nothingThere(paths: readonly string[], { unknown, sidecars, executables }: SortedFiles): ClientError {
  const others = unknown.length + sidecars.length + executables.length
  const message = `There is no prop in ${paths.join(', ')}`
  if (others === 0) return new ClientError('NOTHING_TO_PUSH', `${message}.`)
  return new ClientError(
    'NOTHING_TO_PUSH',
    `${message} (${others === 1 ? '1 file of an unsupported type' : `${others} files of unsupported types`}).`,
    {
      next: unknown.length > 0 ? 'Name a folder or files that hold props, or push files of every kind with --all.' : undefined,
    },
  )
}
