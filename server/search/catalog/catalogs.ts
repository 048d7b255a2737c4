/** The catalogs of this process, one per workspace: built when first asked for, up to date for every question, let go when unused. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../../clock.ts'
import type { Database } from '../../database/open.ts'
import type { EmbedderFacts } from '../../looks/embedder-answers.ts'
import type { Vectors } from '../looks/vectors.ts'
import type { Catalog } from './catalog.ts'
import { advance, buildCatalog, isBehind } from './load.ts'
import { loadLooks } from './load-looks.ts'
import { type Head, readHead, type Source } from './source.ts'

interface Bounds {
  /** Entries in memory, of all catalogs but the one that is used: some 300 bytes each, and as much again where looks are asked for. */
  entries: number
  /** A catalog without entries takes memory too. */
  catalogs: number
  /** Nobody asked for so long. */
  idleMs: number
}

const usual: Bounds = { entries: 1_500_000, catalogs: 500, idleMs: 30 * 60_000 }

export class Catalogs {
  readonly #database: Database
  readonly #clock: Clock
  readonly #bounds: Bounds
  /** The one that was used last stands last. */
  readonly #kept = new Map<number, WorkspaceCatalog>()

  constructor({ database, clock, bounds = {} }: { database: Database; clock: Clock; bounds?: Partial<Bounds> }) {
    this.#database = database
    this.#clock = clock
    this.#bounds = { ...usual, ...bounds }
  }

  /**
   * The catalog of a workspace with everything in it that was committed before the call. Use it at once, before anything is waited for:
   * it goes on changing.
   */
  async at(workspaceId: number): Promise<Catalog> {
    const one = this.#take(workspaceId)
    const catalog = await one.reach(await one.head())
    this.#tidy(one)
    return catalog
  }

  /** The same, with how its entries look to this embedder. */
  async withLooks(workspaceId: number, embedder: EmbedderFacts): Promise<{ catalog: Catalog; vectors: Vectors }> {
    const one = this.#take(workspaceId)
    const found = await one.reachLooks(embedder)
    this.#tidy(one)
    return found
  }

  /** How many entries they hold, all together. */
  get entries(): number {
    let entries = 0
    for (const one of this.#kept.values()) entries += one.size
    return entries
  }

  #take(workspaceId: number): WorkspaceCatalog {
    const one = this.#kept.get(workspaceId) ?? new WorkspaceCatalog({ database: this.#database, workspaceId })
    this.#kept.delete(workspaceId)
    this.#kept.set(workspaceId, one)
    one.usedMs = this.#clock.now().getTime()
    return one
  }

  /** With every question, and only then: where nobody asks for anything, nothing else wants the memory of this process. */
  #tidy(used: WorkspaceCatalog): void {
    const { entries, catalogs, idleMs } = this.#bounds
    const oldestMs = this.#clock.now().getTime() - idleMs
    let held = this.entries
    for (const [workspaceId, one] of this.#kept) {
      if (one === used) continue
      if (held <= entries && this.#kept.size <= catalogs && one.usedMs >= oldestMs) return
      held -= one.size
      this.#kept.delete(workspaceId)
    }
  }
}

/** Holds the catalog of one workspace. A request that has it may go on using it after it is let go. */
class WorkspaceCatalog {
  readonly source: Source
  usedMs = 0
  #catalog: Catalog | undefined
  #working: Promise<void> | undefined
  #asking: Promise<Head> | undefined
  #reading: Promise<void> | undefined

  constructor(source: Source) {
    this.source = source
  }

  get size(): number {
    return this.#catalog?.size ?? 0
  }

  /** The numbers of the last changes. Queries of one turn of the event loop ask once together, after the last of them came. */
  head(): Promise<Head> {
    this.#asking ??= nextTurn().then(() => {
      this.#asking = undefined
      return readHead(this.source)
    })
    return this.#asking
  }

  /** Questions that come together wait for one build, and for one reading of what changed. */
  async reach(head: Head): Promise<Catalog> {
    for (;;) {
      const catalog = this.#catalog
      if (catalog && !isBehind(catalog, head)) return catalog
      this.#working ??= this.#work(head).finally(() => {
        this.#working = undefined
      })
      await this.#working
    }
  }

  /** Vectors are read when they are first asked for: they are larger than everything else, and many libraries are never searched by look. */
  async reachLooks(embedder: EmbedderFacts): Promise<{ catalog: Catalog; vectors: Vectors }> {
    for (;;) {
      const catalog = await this.reach(await this.head())
      const vectors = catalog.looks
      if (vectors?.embedder === embedder.name && !vectors.newer) return { catalog, vectors }
      this.#reading ??= loadLooks(this.source, catalog, embedder).finally(() => {
        this.#reading = undefined
      })
      await this.#reading
    }
  }

  async #work(head: Head): Promise<void> {
    const catalog = this.#catalog
    if (!catalog) this.#catalog = await buildCatalog(this.source)
    else if (!(await catalog.inQueue(() => advance(this.source, catalog, head)))) this.#catalog = undefined
  }
}
