/** What serves an assistant: which tools, which library, for whom. */
import type { SpendPlan } from '../tools/plan-token.ts'
import type { Said } from '../tools/said.ts'
import type { Ask, Fields, Tool } from '../tools/tool.ts'
import type { Thumbnails } from './pictures.ts'

export interface Assistant {
  version: string
  /** What else an assistant is told at the start. */
  hint?: Said
  /** Asked for each list and each call: what a key can do is known when it is needed first. */
  tools(): Promise<readonly Tool[]>
  /** The library, for one call. */
  library(): Reached
  /** Whom plans are bound to. */
  person: string
  plans: { secret: string; spend: SpendPlan }
  now(): Date
  /** Throws ApiError or ToolRefusal before a call is carried out. */
  beforeCall?(): void | Promise<void>
}

/** The library as one call reaches it. */
export interface Reached {
  ask: Ask
  thumbnails: Thumbnails
  /** What is said beside the answer: how many calls are left, or that the server is away. */
  notices(): readonly Said[]
  /** The same for programs, in `_meta`. */
  meta(): Fields
  /** What to do after a failure that no server reported, by its code. */
  nextOf?(code: string): Said | undefined
}
