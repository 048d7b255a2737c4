/** `ph push`: brings folders and files into the library, as new versions of what they were edited from. Start here. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ClientError } from './client-error.ts'
import { type FeedMark, findFeedEnd, followFeed } from './feed-check.ts'
import { Fingerprints } from './fingerprints.ts'
import { type Folders, projectStateFile } from './folders.ts'
import { answerHeld, type HeldAnswers } from './held-answers.ts'
import { Http } from './http.ts'
import { ThumbnailUploader } from './media-upload.ts'
import { PackageSearch } from './package-search.ts'
import { type PushCalls, pushCalls } from './push-calls.ts'
import type { Tell } from './push-events.ts'
import { type PushFile, pathOf } from './push-file.ts'
import { findVanished, type Gathered, gather, isUntouched, type Sorted, sortFound } from './push-gather.ts'
import { findPlaces, type NamedPaths } from './push-paths.ts'
import { nameUnread, type PlanOptions, type PushPlan, planPush } from './push-plan.ts'
import type { Problem } from './push-problem.ts'
import { type PushReport, summarize } from './push-report.ts'
import { PushRound } from './push-round.ts'
import { type FoundFile, type Scan, scan } from './scan.ts'
import { Uploader } from './upload.ts'

export interface PushOptions extends PlanOptions {
  /** Absolute paths of folders and files. */
  paths: string[]
  url: string
  key: string | undefined
  folders: Folders
  clientName?: string
  /** Push files of every kind, also those that are no props by their names. */
  all?: boolean
  /** Leave out what named files need. */
  noDeps?: boolean
  /** Ask the library what would happen, and change nothing. */
  dryRun?: boolean
  /** What to do with items that look like new versions of something but do not say so. */
  held?: HeldAnswers
  tell?: Tell
  signal?: AbortSignal
}

/**
 * Pushes. Files that cannot go are named in the report and do not stop the others; what concerns the push as a whole is
 * thrown: ApiError from the library, ClientError from here. An aborted `signal` throws its reason; what was committed stays,
 * and the next push goes on from there.
 */
export async function push(options: PushOptions): Promise<PushReport> {
  const places = findPlaces(options.paths)
  const stopping = new AbortController()
  const signal = options.signal ? AbortSignal.any([options.signal, stopping.signal]) : stopping.signal
  const tell = options.tell ?? (() => {})
  const { url, key, clientName } = options
  const http = new Http({ url, key, clientName, signal, onWait: (event) => tell({ kind: 'wait', ...event }) })
  const state = projectStateFile(options.folders, url, places.root)
  const fingerprints = new Fingerprints(state, { address: url, root: places.root })
  try {
    const stop = (reason: unknown) => stopping.abort(reason)
    return await new Push({ options, places, http, fingerprints, tell, signal, stop }).run()
  } finally {
    fingerprints.close()
    await http.close(signal.aborted ? 'destroy' : 'finish')
  }
}

interface Parts {
  options: PushOptions
  places: NamedPaths
  http: Http
  fingerprints: Fingerprints
  tell: Tell
  signal: AbortSignal
  stop: (reason: unknown) => void
}

class Push {
  readonly #parts: Parts
  readonly #calls: PushCalls
  readonly #startedMs = performance.now()

  constructor(parts: Parts) {
    this.#parts = parts
    this.#calls = pushCalls(parts.http, parts.signal)
  }

  async run(): Promise<PushReport> {
    const { places, tell, signal, options, fingerprints } = this.#parts
    // The question is on its way while the folders are walked.
    const feed = this.#followFeed()
    feed.catch(() => {})
    tell({ kind: 'phase', phase: 'scan' })
    const found = await scan(places.root, places.starts, signal)
    tell({ kind: 'found', files: found.files.length, bytes: found.files.reduce((sum, { size }) => sum + size, 0) })
    const sorted = sortFound(found.files, options.all ?? false)
    if (sorted.wanted.length === 0 && found.problems.length === 0) throw nothingThere(options.paths, sorted)
    const mark = await feed
    const marks = fingerprints.marks()
    const vanished = findVanished(found.files, marks, places)
    const isAnswered = !this.#asksForMore && vanished.length === 0 && isUntouched(sorted.wanted, marks)
    if (mark && isAnswered) return this.#untouched(found, sorted)
    fingerprints.markGone(vanished)
    return this.#send(found, sorted, mark ?? (await findFeedEnd(this.#calls)))
  }

  /** More may have to be done than what was found says: named files take others along, a group takes in what is there. */
  get #asksForMore(): boolean {
    const { options, places } = this.#parts
    return options.variantGroup !== undefined || (!options.noDeps && places.starts.some(({ isFolder }) => !isFolder))
  }

  /** Takes in what happened at the library since the last push. Undefined when memory does not count any more. */
  async #followFeed(): Promise<FeedMark | undefined> {
    const { fingerprints } = this.#parts
    const mark = fingerprints.recall('feed') as FeedMark | null | undefined
    const news = mark ? await followFeed(this.#calls, mark) : undefined
    if (!news) fingerprints.unsettleAll()
    else if (news.goneObjects.length + news.goneEntries.length > 0) fingerprints.forgetObjects(news.goneObjects, news.goneEntries)
    return news?.mark
  }

  /** Nothing changed on either side: what was worth naming last time still is. */
  #untouched(found: Scan, sorted: Sorted): PushReport {
    const files = new Set(sorted.wanted.map(({ file }) => file))
    const remembered = this.#recalledProblems().filter((one) => one.files.some((file) => files.has(file)))
    const problems = [...found.problems, ...nameUnread(sorted), ...remembered]
    const leftOut = new Set(remembered.filter(({ weight }) => weight !== 'note').flatMap((one) => one.files))
    return this.#report({ found, problems, unchanged: sorted.wanted.filter(({ file }) => !leftOut.has(file)).length })
  }

  async #send(found: Scan, sorted: Sorted, mark: FeedMark | undefined): Promise<PushReport> {
    const { options, tell } = this.#parts
    tell({ kind: 'phase', phase: 'read' })
    const gathered = await this.#gatherAll(sorted)
    const search = this.#search(gathered.files)
    const plan = planPush(gathered.files, this.#elsewhere(search), options)
    tell({ kind: 'phase', phase: 'send' })
    const { round, sent, thumbnails } = await this.#sendPlanned(plan)
    const lasting = [...plan.problems, ...thumbnails.result.problems]
    const problems = [...found.problems, ...gathered.problems, ...nameUnread(sorted), ...round.problems, ...lasting]
    if (!options.dryRun) await this.#settle({ plan, round, thumbnails, mark, files: gathered.files, problems: lasting })
    return this.#report({
      found,
      problems,
      unchanged: plan.settled.length,
      items: round.fates.reports(),
      thumbnails: thumbnails.result.uploaded,
      bytes: { read: gathered.read.bytes, uploaded: sent.bytes, ...(options.dryRun ? { to_upload: round.missingBytes } : {}) },
    })
  }

  /** Reads what was found; then, as long as there is more, what the named files among it need. */
  async #gatherAll(sorted: Sorted): Promise<Gathered> {
    const { places, options } = this.#parts
    const gathered = await gather(sorted.wanted, { ...this.#parts, root: places.root })
    if (options.noDeps) return gathered
    const named = new Set(places.starts.filter(({ isFolder }) => !isFolder).map(({ path }) => path))
    let open = gathered.files.filter((file) => named.has(join(places.root, pathOf(file))))
    const search = this.#search(open)
    const seen = new Set(sorted.wanted.map(({ file }) => file))
    while (open.length > 0) {
      const needed: FoundFile[] = []
      for (const file of open)
        for (const found of await search.findNeeds(file)) {
          if (seen.has(found.file)) continue
          seen.add(found.file)
          needed.push(found)
        }
      const more = await gather(needed, { ...this.#parts, root: places.root })
      gathered.files.push(...more.files)
      gathered.problems.push(...more.problems)
      gathered.read.bytes += more.read.bytes
      open = more.files
    }
    return gathered
  }

  #search = (files: readonly PushFile[]): PackageSearch =>
    new PackageSearch(this.#parts.places.root, [...new Set(files.map(({ found }) => found.mount))])

  #elsewhere(search: PackageSearch) {
    const { fingerprints, places } = this.#parts
    return {
      inLibrary: (name: string) => fingerprints.findByPackage(name)?.base?.hash,
      onDisk: (name: string) => {
        const known = fingerprints.findByPackage(name)?.file
        return known !== undefined && existsSync(join(places.root, known)) ? known : search.findPackage(name)?.file
      },
    }
  }

  async #sendPlanned(plan: PushPlan) {
    const { http, tell, signal, fingerprints, options, places, stop } = this.#parts
    const calls = this.#calls
    const uploader = new Uploader({ http, calls, tell, signal })
    const thumbnails = new ThumbnailUploader({ http, calls, root: places.root, tell, signal })
    const { max_items: maxItems } = plan.toSend.length > 0 ? await calls.limits() : { max_items: 1 }
    const { variantGroup, dryRun = false } = options
    const parts = { root: places.root, calls, uploader, thumbnails, fingerprints, tell, maxItems, variantGroup, dryRun, stop }
    const round = new PushRound(parts)
    await round.run(plan.toSend)
    if (options.held) await answerHeld(round, options.held)
    return { round, thumbnails, sent: uploader.sent }
  }

  /**
   * Remembers what needs nothing more, and up to which point of the library's history that was seen. The position comes last:
   * whoever is killed before has an older one, from which everything is found again.
   */
  async #settle(done: Done): Promise<void> {
    const { plan, round, thumbnails, mark, problems } = done
    const { fingerprints } = this.#parts
    const news = mark && (await followFeed(this.#calls, mark))
    const items = plan.toSend.filter(({ item }) => round.isComplete(item.content_hash, thumbnails.result.done))
    const files = [...plan.settled, ...plan.leftOut, ...items.flatMap((one) => one.files)]
    const seen = new Set(done.files.map(pathOf))
    const others = this.#recalledProblems().filter((one) => !one.files.some((file) => seen.has(file)))
    fingerprints.settle(files.map((file) => ({ file: pathOf(file), hash: file.hash })))
    fingerprints.remember('problems', [...others, ...problems])
    if (news) fingerprints.forgetObjects(news.goneObjects, news.goneEntries)
    fingerprints.remember('feed', news?.mark ?? null)
  }

  #recalledProblems = (): Problem[] => (this.#parts.fingerprints.recall('problems') as Problem[] | undefined) ?? []

  #report(what: {
    found: Scan
    problems: Problem[]
    unchanged: number
    items?: PushReport['items']
    thumbnails?: number
    bytes?: PushReport['bytes']
  }): PushReport {
    const { items = [], thumbnails = 0, problems, unchanged, bytes = { read: 0, uploaded: 0 } } = what
    const { options, places } = this.#parts
    return {
      root: places.root,
      url: options.url,
      dry_run: options.dryRun ?? false,
      found: what.found.files.length,
      unchanged,
      items,
      problems,
      summary: summarize(items, { problems, unchanged, thumbnails }),
      bytes,
      took_ms: Math.round(performance.now() - this.#startedMs),
    }
  }
}

interface Done {
  plan: PushPlan
  round: PushRound
  thumbnails: ThumbnailUploader
  mark: FeedMark | undefined
  files: PushFile[]
  /** What follows from the files themselves, and stays true as long as they do. */
  problems: Problem[]
}

function nothingThere(paths: readonly string[], { unknown, sidecars }: Sorted): ClientError {
  const others = unknown.length + sidecars.length
  const found = others > 0 ? ` (${others} files are of other kinds)` : ''
  return new ClientError('NOTHING_TO_PUSH', `There is no prop in ${paths.join(', ')}${found}.`)
}
