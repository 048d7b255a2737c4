/** What the front door asks of its memory: who holds a key, which workspace an address means, and whether the key's budget lets it in. */

import type { Database } from '../database/open.ts'
import type { Holder, Workspace } from '../principal.ts'
import type { Directory } from '../rows/workspace.ts'
import { type Budget, type Limits, Windows } from './budgets.ts'
import { HolderMemory } from './holders.ts'
import { SharedDoor } from './shared-lookup.ts'

export interface Asked {
  keyHash: string
  /** From `/w/<slug>/…`; undefined means the first workspace. */
  slug: string | undefined
  budget: Budget
  /** By the clock of this process. Where several processes count together the database says what time it is. */
  now: Date
}

export interface Found {
  holder: Holder
  /** Undefined where there is no workspace of that name. */
  addressed: Pick<Workspace, 'id' | 'slug'> | undefined
  /** How many milliseconds the key has to wait; 0 when it is let in, and the request was counted. */
  waitMs: number
}

export interface Door {
  /** Undefined for a key that is nobody's. What is in memory is answered at once, without waiting for a turn. */
  find(asked: Asked): Promise<Found | undefined> | Found
  workspace(slug: string | undefined): Promise<Workspace | undefined>
  workspaceById(id: number): Promise<Workspace | undefined>
  /** Lets go of what no longer counts. */
  tidy(): Promise<void>
  /** Keys that are held in memory. */
  readonly rememberedKeys: number
  close(): void
}

/** In memory where one process has the database to itself; else in the database, where all processes see it. */
export const openDoor = (database: Database, limits: Limits): Door =>
  database.kind === 'embedded' ? new MemoryDoor(database, limits) : new SharedDoor(database, limits)

/** Asks the database once for each key, and again after a change. */
class MemoryDoor implements Door {
  readonly #holders: HolderMemory
  readonly #windows: Windows

  constructor(database: Database, limits: Limits) {
    this.#holders = new HolderMemory(database)
    this.#windows = new Windows(limits)
  }

  find(asked: Asked): Promise<Found | undefined> | Found {
    const holder = this.#holders.holder(asked.keyHash)
    const directory = holder && this.#holders.workspaces()
    return !directory || directory instanceof Promise ? this.#look(asked) : this.#counted(holder, directory, asked)
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

  async #look(asked: Asked): Promise<Found | undefined> {
    const holder = this.#holders.holder(asked.keyHash) ?? (await this.#holders.findHolder(asked.keyHash))
    return holder && this.#counted(holder, await this.#holders.workspaces(), asked)
  }

  #counted(holder: Holder, directory: Directory, { slug, budget, now }: Asked): Found {
    const waitMs = this.#windows.take(holder.actor.keyId, budget, now.getTime())
    return { holder, addressed: named(directory, slug), waitMs }
  }
}

const named = ({ first, bySlug }: Directory, slug: string | undefined): Workspace | undefined =>
  slug === undefined ? first : bySlug.get(slug)
