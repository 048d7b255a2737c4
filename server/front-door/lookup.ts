/** What the front door looks up: who holds a key, which workspace an address means, and whether the key's budget lets it in. */
import type { Holder, Workspace } from '../principal.ts'
import type { Budget, Wait } from './rate-limit.ts'

export interface KeyLookup {
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
  /** No wait when it is let in, and the request was counted. */
  wait: Wait
}

export interface Lookup {
  /** Undefined for a key that is nobody's. What is in memory is answered at once, in the same turn of the event loop. */
  find(lookup: KeyLookup): Promise<Found | undefined> | Found
  workspace(slug: string | undefined): Promise<Workspace | undefined>
  workspaceById(id: number): Promise<Workspace | undefined>
  /** Lets go of what no longer counts. */
  tidy(): Promise<void>
  /** Keys that are held in memory. */
  readonly rememberedKeys: number
  close(): void
}
