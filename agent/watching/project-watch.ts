/** Watches one project: looks at all of it now and then, at what changes when it stands still, and at what the library says is new. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { mayBeProp } from '../../client/memory/changes.ts'
import type { Heard } from '../../client/project/kept-walk.ts'
import { extensionOf } from '../../client/project/scan.ts'
import type { FileLock, StatusReport } from '../../client/status/report.ts'
import type { WatchReport } from '../../contract/agent.ts'
import { goneMessage, isThere, type Project } from '../projects/projects.ts'
import type { Surroundings } from '../surroundings.ts'
import { DueTimes } from './due-times.ts'
import { FileTable, type RowChange, type Scope } from './file-table.ts'
import { nearestThere } from './hearing/folder-places.ts'
import { Standstill } from './hearing/standstill.ts'
import { WatchedFolder } from './hearing/watched-folder.ts'
import { readNews } from './library-news.ts'
import { isAway, type Looks } from './looks.ts'
import { Reactions, type WatchMeans } from './reactions.ts'

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
  readonly #pace: WatchMeans['pace']
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
  #epoch: string | undefined
  /** Files that stand still since, and those that are looked at. */
  #touched = new Set<string>()
  #looking = new Set<string>()
  readonly #due = new DueTimes('all', 'news', 'folder')

  constructor(around: Surroundings, project: Project, { looks, pace, warned, told }: WatchMeans) {
    this.#around = around
    this.#project = project
    this.#pace = pace
    this.table = new FileTable(project.root)
    this.looks = looks
    this.#reactions = new Reactions(around, this.table, { looks, warned })
    this.#standstill = new Standstill((files) => {
      for (const file of files) this.#touched.add(file)
      if (files.size > manyEvents) this.missed()
      this.#due.wake()
    })
    const place = { told, isThere: () => isThere(this.#project) }
    this.#folder = new WatchedFolder(project.root, place, {
      touched: (file) => this.#standstill.touch(file),
      missed: () => this.missed(),
      changedRules: () => this.#due.hasten('folder', 0),
      refused: () => this.#due.hasten('all', pace.pollingMs),
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
    this.#due.hasten('news', movedMs)
  }

  /** Files may have changed unseen, or were placed by an import. */
  missed(): void {
    this.#due.hasten('all', soonMs)
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

  /** What was touched since the last look at everything; undefined where that is not sure. */
  heard = (): Promise<Heard | undefined> => this.#folder.heard()

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
    signal.addEventListener('abort', this.#due.wake)
    try {
      while (!signal.aborted) {
        await this.#step(signal).catch((error: unknown) => this.#met(error, signal))
        await this.#rest(signal)
      }
    } finally {
      signal.removeEventListener('abort', this.#due.wake)
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
    if (this.#due.isDue('folder')) {
      this.#due.set('folder', this.#pace.folderMs)
      await this.#find()
    }
    if (this.#folder.isGone) return
    if (this.#touched.size > 0) await this.#lookAtTouched(signal)
    if (this.#due.isDue('news') && this.#isComplete) await this.#hearNews(signal)
    if (this.#due.isDue('all')) await this.#lookAtAll(signal)
  }

  async #find(): Promise<void> {
    const found = await this.#folder.find()
    if (found === 'same') return
    this.#standstill.stop()
    this.#say(found === 'gone' ? `${goneMessage(this.#project)} It is watched again when it is back.` : null)
    if (found === 'opened') this.#due.set('all', 0)
  }

  async #lookAtTouched(signal: AbortSignal): Promise<void> {
    const saved = new Set([...this.#touched].filter(isProp))
    const paths = new Set([...saved].flatMap((file) => nearestThere(this.#project.root, file) ?? []))
    this.#looking = saved
    this.#touched = new Set()
    try {
      if (paths.size > mostNamed) await this.#lookAtAll(signal, saved)
      else if (paths.size > 0) await this.#look([...paths], { signal, saved })
      this.#due.hasten('all', this.#pace.countMs)
    } finally {
      this.#looking = new Set()
    }
  }

  async #lookAtAll(signal: AbortSignal, saved: ReadonlySet<string> = new Set()): Promise<void> {
    // Set before it: another one that is asked for meanwhile follows it.
    const betweenMs = this.#pace[this.#folder.refusal === undefined ? 'allMs' : 'pollingMs']
    this.#due.set('all', betweenMs * (1 + Math.random()))
    this.#cursor ??= await this.looks.cursor()
    await this.#look('all', { signal, saved })
    this.#cursor ??= await this.looks.cursor()
    this.#isComplete = true
  }

  /** With the library where it is reached; else beside what was last heard of it. */
  async #look(scope: Scope, { signal, saved }: { signal: AbortSignal; saved: ReadonlySet<string> }): Promise<StatusReport> {
    const [paths, keepWalk] = scope === 'all' ? [undefined, this.#folder.beginWalk()] : [scope, undefined]
    const look = { paths, all: paths !== undefined, keepWalk }
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
    // A disk that went away during the look left nothing to be seen: that says nothing of the files.
    if (!isThere(this.#project)) {
      this.#due.hasten('folder', 0)
      return report
    }
    this.#folder.walked(keepWalk)
    await this.#react(this.table.take(report, { scope, knowsLocks: this.#isOnline }), { signal, saved })
    return report
  }

  async #hearNews(signal: AbortSignal): Promise<void> {
    const { newsMs, idleNewsMs } = this.#pace
    this.#due.set('news', this.#project.editor === null ? idleNewsMs : newsMs)
    const cursor = this.#cursor
    // A server that does not say where its feed stands is asked by the looks at everything.
    if (cursor === undefined) return this.#isOnline ? undefined : this.#lookAtAll(signal)
    const news = await this.looks.ask((api) => readNews(api, { cursor, epoch: this.#epoch }), signal)
    const wasAway = !this.#isOnline
    this.#heard()
    this.#epoch = news.epoch
    // The look at everything finds where the feed of the library as it is now stands.
    this.#cursor = news.isSetBack ? undefined : news.cursor
    if (news.isSetBack)
      this.#around.log.warn(`${this.#project.root}: the library was set back to an earlier state; every file is looked at anew`)
    if (news.tooMuch || wasAway) return this.#lookAtAll(signal)
    const untracked = [...this.table.differing()].flatMap(({ file, state }) => (state === 'untracked' ? file : []))
    const files = news.lineages.size === 0 ? [] : [...(await this.looks.filesOf(news.lineages)), ...untracked]
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
    this.#due.set('news', this.#pace.awayMs)
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
    this.#due.set('folder', 0)
    const againMs = Math.min(this.#pace.allMs, this.#pace.awayMs * 2 ** this.#failures++)
    this.#due.set('all', againMs)
    this.#due.delay('news', againMs)
    this.#say(error instanceof Error ? error.message : String(error))
  }

  #say(message: string | null): void {
    if (message === this.#message) return
    this.#message = message
    const { root, key } = this.#project
    if (message !== null) this.#around.log.warn(`${root}: ${message}`)
    this.#around.events.tell('watching', { project_key: key, root, state: this.#state(), message })
  }

  #rest(signal: AbortSignal): Promise<void> {
    const { at } = this.#due
    const { isGone } = this.#folder
    const next = isGone ? at('folder') : Math.min(at('all'), at('folder'), this.#isComplete ? at('news') : at('all'))
    return this.#due.rest(this.#touched.size > 0 && !isGone ? 0 : next, signal)
  }
}

/** By its name; what it holds is for the look. */
const isProp = (file: string): boolean => mayBeProp(extensionOf(file))
