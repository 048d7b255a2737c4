/** Who holds a key and what its budget lets in, from memory: where one process has the database to itself. */
import type { Database } from '../database/open.ts'
import type { Holder, Workspace } from '../principal.ts'
import type { Directory } from '../rows/workspace.ts'
import { HolderMemory } from './holders.ts'
import type { Found, KeyLookup, Lookup } from './lookup.ts'
import { type Limits, Windows } from './rate-limit.ts'

/** Asks the database once for each key, and again after a change. */
export class MemoryLookup implements Lookup {
  readonly #holders: HolderMemory
  readonly #windows: Windows

  constructor(database: Database, limits: Limits) {
    this.#holders = new HolderMemory(database)
    this.#windows = new Windows(limits)
  }

  find(lookup: KeyLookup): Promise<Found | undefined> | Found {
    const holder = this.#holders.holder(lookup.keyHash)
    const directory = holder && this.#holders.workspaces()
    return !directory || directory instanceof Promise ? this.#look(lookup) : this.#counted(holder, directory, lookup)
  }

  async workspace(slug: string | undefined): Promise<Workspace | undefined> {
    return named(await this.#holders.workspaces(), slug)
  }

  async workspaceById(id: number): Promise<Workspace | undefined> {
    return (await this.#holders.workspaces()).byId.get(id)
  }

  async tidy(): Promise<void> {}

  get rememberedKeys(): number {
    return this.#holders.size
  }

  close(): void {
    this.#holders.close()
  }

  async #look(lookup: KeyLookup): Promise<Found | undefined> {
    const holder = this.#holders.holder(lookup.keyHash) ?? (await this.#holders.findHolder(lookup.keyHash))
    return holder && this.#counted(holder, await this.#holders.workspaces(), lookup)
  }

  #counted(holder: Holder, directory: Directory, { slug, budget, now }: KeyLookup): Found {
    const wait = this.#windows.take(holder.actor, budget, now.getTime())
    return { holder, addressed: named(directory, slug), wait }
  }
}

const named = ({ first, bySlug }: Directory, slug: string | undefined): Workspace | undefined =>
  slug === undefined ? first : bySlug.get(slug)
