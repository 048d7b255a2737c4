/** Watches one project: looks at all of it now and then, at what changes when it stands still, and at what the library says is new. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { mayBeProp } from '../../client/memory/changes.ts'
import { extensionOf } from '../../client/project/scan.ts'
import type { FileLock, StatusReport } from '../../client/status/report.ts'
import type { WatchReport } from '../../contract/agent.ts'
import type { Project } from '../projects/projects.ts'
import type { Surroundings } from '../surroundings.ts'
import { FileTable, type RowChange, type Scope } from './file-table.ts'
import { nearestFolder } from './folder-places.ts'
import { readNews } from './library-news.ts'
import { isAway, type Looks } from './looks.ts'
import { Reactions } from './reactions.ts'
import { Standstill } from './standstill.ts'
import type { WatchPace } from './watch-pace.ts'
import { WatchedFolder } from './watched-folder.ts'

/** More files than this are looked at by a look at everything. */
const mostNamed = 500
/** So many at once, and the system may have dropped some. */
const manyEvents = 5000
const soonMs = 2000
const movedMs = 200

export class ProjectWatch {
  readonly table: FileTable
  readonly looks: Looks
  readonly #around: Surroundings
  readonly #pace: WatchPace
  readonly #standstill: Standstill
  readonly #reactions: Reactions
  #project: Project
  readonly #folder: WatchedFolder
  #message: string | null = null
  #isComplete = false
  #isOnline = true
  /** Looks that failed one after the other. */
  #failures = 0
  #asOf: Date | undefined
  #cursor: number | undefined
  /** Files that stand still since, and those that are looked at. */
  #touched = new Set<string>()
  #looking = new Set<string>()
  /** By the clock that nobody sets. */
  readonly #due = { all: 0, news: 0, folder: 0 }
  #wake = () => {}

  constructor(around: Surroundings, project: Project, { looks, pace }: { looks: Looks; pace: WatchPace }) {
    this.#around = around
    this.#project = project
    this.#pace = pace
    this.table = new FileTable(project.root)
    this.looks = looks
    this.#reactions = new Reactions(around, this.table, this.looks)
    this.#standstill = new Standstill((files) => {
      for (const file of files) this.#touched.add(file)
      if (files.size > manyEvents) this.#hasten('all', soonMs)
      this.#wake()
    })
    this.#folder = new WatchedFolder(project.root, {
      touched: (file) => this.#standstill.touch(file),
      missed: () => this.#hasten('all', soonMs),
      changedRules: () => this.#hasten('folder', 0),
      refused: () => this.#hasten('all', pace.pollingMs),
    })
  }

  /** The choices of its people, and its editor, as they are now. */
  update(project: Project): void {
    const hasEditorNow = project.editor !== null && this.#project.editor === null
    this.#project = project
    if (hasEditorNow) this.libraryMoved()
  }

  /** Something happened in the library: it is asked soon, once for a push of many. */
  libraryMoved(): void {
    this.#hasten('news', movedMs)
  }

  /** Files were placed by an import. */
  imported(): void {
    this.#hasten('all', soonMs)
  }

  get isComplete(): boolean {
    return this.#isComplete
  }

  get isOnline(): boolean {
    return this.#isOnline
  }

  get asOf(): Date | undefined {
    return this.#asOf
  }

  isPending = (file: string): boolean => this.#standstill.has(file) || this.#touched.has(file) || this.#looking.has(file)

  pending = (): string[] => [...new Set([...this.#standstill.files(), ...this.#touched, ...this.#looking])].filter(isProp)

  report(): WatchReport {
    return {
      state: this.#state(),
      ...this.table.counts(),
      pending: this.pending().length,
      as_of: this.#asOf?.toISOString() ?? null,
      message: this.#message ?? this.#folder.refusal ?? null,
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    const wake = () => this.#wake()
    signal.addEventListener('abort', wake)
    try {
      while (!signal.aborted) {
        await this.#step(signal).catch((error: unknown) => this.#met(error, signal))
        await this.#rest(signal)
      }
    } finally {
      signal.removeEventListener('abort', wake)
      this.#standstill.stop()
      this.#folder.close()
    }
  }

  /** Looks at files that are there now, or at what lies in folders; for who asks about them. */
  lookAt(paths: readonly string[], signal: AbortSignal): Promise<StatusReport> {
    return this.#look(paths, { signal, saved: new Set() })
  }

  #state(): WatchReport['state'] {
    if (this.#folder.isGone) return 'gone'
    if (!this.#isComplete) return 'looking'
    return this.#folder.refusal === undefined ? 'watching' : 'polling'
  }

  async #step(signal: AbortSignal): Promise<void> {
    const nowMs = performance.now()
    if (nowMs >= this.#due.folder) {
      this.#due.folder = nowMs + this.#pace.folderMs
      await this.#find()
    }
    if (this.#folder.isGone) return
    if (this.#touched.size > 0) await this.#lookAtTouched(signal)
    if (performance.now() >= this.#due.news && this.#isComplete) await this.#hearNews(signal)
    if (performance.now() >= this.#due.all) await this.#lookAtAll(signal)
  }

  async #find(): Promise<void> {
    const found = await this.#folder.find()
    if (found === 'same') return
    this.#standstill.stop()
    if (found === 'gone') return this.#say(`The folder ${this.#project.root} is not there. It is watched again when it is back.`)
    this.#say(null)
    this.#due.all = 0
  }

  async #lookAtTouched(signal: AbortSignal): Promise<void> {
    const saved = new Set([...this.#touched].filter(isProp))
    const paths = new Set([...saved].flatMap((file) => this.#pathFor(file) ?? []))
    this.#looking = saved
    this.#touched = new Set()
    try {
      if (paths.size > mostNamed) await this.#lookAtAll(signal, saved)
      else if (paths.size > 0) await this.#look([...paths], { signal, saved })
    } finally {
      this.#looking = new Set()
    }
  }

  /** Where it lies; of what is gone, the folder that it was in, which says what is missing. */
  #pathFor(file: string): string | undefined {
    const { root } = this.#project
    const path = join(root, file)
    return existsSync(path) ? path : nearestFolder(root, file, existsSync)
  }

  async #lookAtAll(signal: AbortSignal, saved: ReadonlySet<string> = new Set()): Promise<void> {
    this.#cursor ??= await this.looks.cursor()
    await this.#look('all', { signal, saved })
    this.#cursor ??= await this.looks.cursor()
    this.#isComplete = true
    const betweenMs = this.#pace[this.#folder.refusal === undefined ? 'allMs' : 'pollingMs']
    this.#due.all = performance.now() + betweenMs * (1 + Math.random())
  }

  /** With the library where it is reached; else beside what was last heard of it. */
  async #look(scope: Scope, { signal, saved }: { signal: AbortSignal; saved: ReadonlySet<string> }): Promise<StatusReport> {
    const look = { paths: scope === 'all' ? undefined : scope, all: scope !== 'all' }
    let report: StatusReport
    try {
      report = await this.looks.take(look, signal)
      this.#heard()
      this.#failures = 0
      this.#say(null)
    } catch (error) {
      if (!isAway(error) || signal.aborted) throw error
      this.#lostServer(error)
      report = await this.looks.take({ ...look, remembered: true }, signal)
    }
    await this.#react(this.table.take(report, { scope, knowsLocks: this.#isOnline }), { signal, saved })
    return report
  }

  async #hearNews(signal: AbortSignal): Promise<void> {
    const { newsMs, idleNewsMs } = this.#pace
    this.#due.news = performance.now() + (this.#project.editor === null ? idleNewsMs : newsMs)
    const cursor = this.#cursor
    // A server that does not say where its feed stands is asked by the looks at everything.
    if (cursor === undefined) return this.#isOnline ? undefined : this.#lookAtAll(signal)
    const news = await this.looks.ask((api) => readNews(api, cursor), signal)
    const wasAway = !this.#isOnline
    this.#heard()
    this.#cursor = news.cursor
    if (news.tooMuch || wasAway) return this.#lookAtAll(signal)
    const unknown = [...this.table.differing()].flatMap(({ file, state }) => (state === 'unknown' ? file : []))
    const files = news.lineages.size === 0 ? [] : [...(await this.looks.filesOf(news.lineages)), ...unknown]
    if (files.length > mostNamed) return this.#lookAtAll(signal)
    const paths = files.map((file) => join(this.#project.root, file)).filter((path) => existsSync(path))
    if (paths.length > 0) await this.lookAt(paths, signal)
    if (news.locks || files.length > 0) await this.#askLocks(signal)
  }

  async #askLocks(signal: AbortSignal): Promise<void> {
    const differing = [...this.table.differing()].map(({ file, lineage_id }) => [file, lineage_id] as const)
    const locks: FileLock[] = await this.looks.locks(differing, signal)
    await this.#react(this.table.takeLocks(locks), { signal, saved: new Set() })
  }

  async #react(
    changes: readonly RowChange[],
    { signal, saved }: { signal: AbortSignal; saved: ReadonlySet<string> },
  ): Promise<void> {
    const { root, key: projectKey, autoCheckout } = this.#project
    const happened = { changes, saved, isOnline: this.#isOnline }
    if (await this.#reactions.to(happened, { root, projectKey, autoCheckout })) await this.#askLocks(signal)
  }

  #heard(): void {
    this.#asOf = new Date()
    this.#isOnline = true
    this.#around.reach.worked()
  }

  /** Asked again and again until it answers, and everything is looked at then. */
  #lostServer(error: unknown): void {
    this.#around.reach.failed(error)
    this.#isOnline = false
    this.#due.news = performance.now() + this.#pace.awayMs
    const since = this.#asOf ? ` Files stand as of ${this.#asOf.toISOString()}, and as they were saved here.` : ''
    this.#say(`${error instanceof Error ? error.message : String(error)}${since}`)
  }

  /** What goes wrong here is said, and tried again; it ends nothing. */
  #met(error: unknown, signal: AbortSignal): void {
    if (signal.aborted) return
    if (isAway(error)) {
      this.#lostServer(error)
      return
    }
    this.#around.reach.failed(error)
    this.#due.folder = 0
    const againMs = performance.now() + Math.min(this.#pace.allMs, this.#pace.awayMs * 2 ** this.#failures++)
    this.#due.all = againMs
    this.#due.news = Math.max(this.#due.news, againMs)
    this.#say(error instanceof Error ? error.message : String(error))
  }

  #say(message: string | null): void {
    if (message === this.#message) return
    this.#message = message
    const { root, key } = this.#project
    if (message !== null) this.#around.log.warn(`${root}: ${message}`)
    this.#around.events.tell('watching', { project_key: key, root, state: this.#state(), message })
  }

  #hasten(what: 'all' | 'news' | 'folder', inMs: number): void {
    this.#due[what] = Math.min(this.#due[what], performance.now() + inMs)
    this.#wake()
  }

  #rest(signal: AbortSignal): Promise<void> {
    const { all, news, folder } = this.#due
    const { isGone } = this.#folder
    const next = isGone ? folder : Math.min(all, folder, this.#isComplete ? news : all)
    const waitMs = this.#touched.size > 0 && !isGone ? 0 : Math.max(0, next - performance.now())
    return new Promise((resolve) => {
      if (signal.aborted) return resolve()
      const timer = setTimeout(resolve, waitMs)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

/** By its name; what it holds is for the look. */
const isProp = (file: string): boolean => mayBeProp(extensionOf(file))
