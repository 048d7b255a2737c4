/** How the files of the projects stand, as they change. */
import { join } from 'node:path'
import type { WatchReport } from '../../contract/agent.ts'
import type { LiveFeed } from '../live/live-feed.ts'
import type { Project } from '../projects/projects.ts'
import type { Part } from '../running/supervisor.ts'
import type { Surroundings } from '../surroundings.ts'
import { ToldEvents } from './hearing/told-events.ts'
import { LookProcess } from './look-process.ts'
import { Looks } from './looks.ts'
import { ProjectWatch } from './project-watch.ts'
import { Warned } from './warned.ts'
import { usualPace, type WatchPace } from './watch-pace.ts'

interface Watched {
  watch: ProjectWatch
  stop: AbortController
  ended: Promise<void>
}

export class Watching {
  readonly part: Part
  readonly #around: Surroundings
  readonly #live: LiveFeed
  readonly #pace: WatchPace
  readonly #lookProcess: LookProcess
  readonly #warned: Warned
  readonly #told: ToldEvents
  readonly #watched = new Map<string, Watched>()

  /** `pace`: for tests, which do not wait for minutes. */
  constructor(around: Surroundings, live: LiveFeed, pace: Partial<WatchPace> = {}) {
    this.#around = around
    this.#live = live
    this.#pace = { ...usualPace, ...pace }
    this.#lookProcess = new LookProcess(around.wire)
    this.#warned = new Warned(around)
    this.#told = new ToldEvents(join(around.dir, 'heard'))
    this.part = { name: 'watching', canPause: true, run: (signal, say) => this.#run(signal, say) }
  }

  report(root: string): WatchReport {
    return this.#watched.get(root)?.watch.report() ?? { ...nothing }
  }

  /** Undefined where the project is not watched, also while watching is paused. */
  of(root: string): ProjectWatch | undefined {
    return this.#watched.get(root)?.watch
  }

  /** Questions about a project’s files, whether it is watched or not. */
  looks = (root: string): Looks => new Looks(this.#lookProcess, this.#around, root)

  /** Something happened in the library: what it means for the files here is asked at once. */
  libraryMoved(): void {
    for (const { watch } of this.#watched.values()) watch.libraryMoved()
  }

  close(): void {
    this.#warned.close()
  }

  /** Files may have changed unseen. */
  missed(): void {
    for (const { watch } of this.#watched.values()) watch.missed()
  }

  async #run(signal: AbortSignal, say: (message: string | null) => void): Promise<void> {
    const { projects } = this.#around
    const follow = () => {
      this.#follow(projects.list())
      say(this.#watched.size === 0 ? 'No project is linked, and no editor has one open.' : null)
    }
    const end = projects.onChange(follow)
    try {
      follow()
      void this.#hearMoves(signal)
      void this.#hearImports(signal)
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve()
        else signal.addEventListener('abort', () => resolve(), { once: true })
      })
    } finally {
      end()
      const all = [...this.#watched.keys()].map((root) => this.#leave(root))
      await Promise.all(all)
      this.#lookProcess.close()
      this.#told.close()
    }
  }

  /** At once where the server has a live connection; else by the clock. */
  async #hearMoves(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) for await (const _ of this.#live.heads(signal)) this.libraryMoved()
  }

  /** What an import placed is looked at as it comes; how many files there are then, only a look at all of them says. */
  async #hearImports(signal: AbortSignal): Promise<void> {
    const { events, projects } = this.#around
    for await (const { event, data } of events.follow({ since: undefined, projectKey: undefined, signal })) {
      if (event !== 'imported') continue
      const imported = projects.list().find(({ key }) => key === data.project_key)
      if (imported) this.of(imported.root)?.missed()
    }
  }

  #follow(projects: readonly Project[]): void {
    const there = new Map(projects.map((project) => [project.root, project]))
    for (const root of this.#watched.keys()) if (!there.has(root)) void this.#leave(root)
    for (const project of there.values()) {
      const before = this.#watched.get(project.root)
      if (before) before.watch.update(project)
      else this.#begin(project)
    }
  }

  #begin(project: Project): void {
    const watch = new ProjectWatch(this.#around, project, {
      looks: this.looks(project.root),
      pace: this.#pace,
      warned: this.#warned,
      told: this.#told,
    })
    const stop = new AbortController()
    this.#watched.set(project.root, { watch, stop, ended: watch.run(stop.signal) })
  }

  #leave(root: string): Promise<void> {
    const one = this.#watched.get(root)
    this.#watched.delete(root)
    one?.stop.abort()
    return one?.ended ?? Promise.resolve()
  }
}

const nothing: WatchReport = {
  state: 'off',
  files: 0,
  modified: 0,
  outdated: 0,
  untracked: 0,
  missing: 0,
  held: 0,
  pending: 0,
  as_of: null,
  message: null,
}
