/** The walk along dependencies: ids only, each looked at once, so cycles end and nothing is carried twice. */

import type { Sql } from '../database/sql.ts'
import {
  type Direction,
  type Edge,
  type EdgeName,
  type EdgePiece,
  selectEdgePiece,
  selectNearEdges,
  type Targets,
} from './edges.ts'

/** How a version was reached: the fewest steps; of equally short ways a hard edge wins, then the older version. */
export interface Step {
  depth: number
  edge: 'root' | 'hard' | 'soft'
  via: number | null
}

export interface WalkOrder {
  direction: Direction
  rootIds: readonly number[]
  /** As many versions may be reached, the first ones included. */
  most: number
  /** Where it is given, the walk goes nowhere else. */
  within?: ReadonlySet<number>
  /** Awaited before each statement. */
  beforePiece?: () => Promise<void> | void
}

export interface Walked {
  /** By version, nearest first. */
  steps: Map<number, Step>
  /** False where there are more than may be reached: the walk then ended on its way. */
  isWhole: boolean
  /** Edges that were looked at. */
  edges: number
}

/** One statement where little lies around. Else one for each level, more for a level with many edges, and one for many thin levels. */
export const walk = (sql: Sql, workspaceId: number, order: WalkOrder): Promise<Walked> =>
  new Walk({ sql, workspaceId, order }).run()

/** From so few versions it may be little that lies around. */
const thinIds = 64
/** Known ids go along with a statement where the level is not small beside them: a deep walk does not send them with every step. */
const sendsKnown = 8

interface Walking {
  sql: Sql
  workspaceId: number
  order: WalkOrder
}

class Walk {
  readonly #walking: Walking
  readonly #steps: Map<number, Step>
  /** The versions that were found last, ascending: what they lead to is not known yet. */
  #level: number[]
  #depth = 0
  #edges = 0

  constructor(walking: Walking) {
    this.#walking = walking
    this.#steps = new Map(walking.order.rootIds.map((id) => [id, { depth: 0, edge: 'root', via: null }]))
    this.#level = [...this.#steps.keys()].sort((a, b) => a - b)
  }

  async run(): Promise<Walked> {
    while (this.#level.length > 0 && !this.#isTooMuch) {
      const before = this.#depth
      if (before === 0 || this.#level.length <= thinIds) await this.#lookAround()
      if (this.#depth === before) await this.#lookOnward()
    }
    return { steps: this.#steps, isWhole: !this.#isTooMuch, edges: this.#edges }
  }

  get #isTooMuch(): boolean {
    return this.#steps.size > this.#walking.order.most
  }

  /** Many levels by one statement, or none where the first one has many edges. */
  async #lookAround(): Promise<void> {
    const { sql, workspaceId, order } = this.#walking
    await order.beforePiece?.()
    const targets = this.#targets(this.#steps.keys())
    const near = await selectNearEdges(sql, workspaceId, { direction: order.direction, fromIds: this.#level, targets })
    this.#edges += near.edges.length
    const outgoing = Map.groupBy(near.edges, ([fromId]) => fromId)
    const brokenAt = near.isWhole ? undefined : near.edges.at(-1)?.[0]
    while (this.#level.length > 0 && !(brokenAt !== undefined && this.#level.includes(brokenAt))) {
      const found = new Found(this.#steps, this.#depth + 1)
      found.takeEdges(this.#level.flatMap((id) => outgoing.get(id) ?? []))
      this.#goTo(found)
    }
  }

  /** One level, in pieces. */
  async #lookOnward(): Promise<void> {
    const { sql, workspaceId, order } = this.#walking
    const found = new Found(this.#steps, this.#depth + 1)
    let fromIds = this.#level
    let after: EdgeName | undefined
    do {
      await order.beforePiece?.()
      const { direction } = order
      const piece = await selectEdgePiece(sql, workspaceId, { direction, fromIds, after, ...this.#asked(fromIds, found) })
      found.takePiece(piece)
      this.#edges += piece.edges
      after = piece.after
      const last = after?.from ?? 0
      fromIds = fromIds.slice(fromIds.findIndex((id) => id >= last))
    } while (after !== undefined && !this.#isTooMuch)
    this.#goTo(found)
  }

  /** What was found by a soft edge may be found again by a hard one. */
  #asked(fromIds: readonly number[], found: Found): { targets: Targets; soft: number[] } {
    const isSmall = fromIds.length * sendsKnown < this.#steps.size
    if (isSmall && !this.#walking.order.within) return { targets: 'all', soft: [] }
    const soft = found.soft()
    const isOpen = new Set(soft)
    return { targets: this.#targets(this.#steps.keys().filter((id) => !isOpen.has(id))), soft }
  }

  #targets(known: Iterable<number>): Targets {
    const { within } = this.#walking.order
    if (within) return { only: [...within.difference(new Set(known))] }
    return this.#depth === 0 && this.#steps.size === this.#level.length ? 'all' : { but: [...known] }
  }

  #goTo({ ids }: Found): void {
    this.#level = ids.sort((a, b) => a - b)
    this.#depth++
  }
}

/** What lies as many steps away, while it is found. */
class Found {
  readonly ids: number[] = []
  readonly #steps: Map<number, Step>
  readonly #depth: number

  constructor(steps: Map<number, Step>, depth: number) {
    this.#steps = steps
    this.#depth = depth
  }

  /** In the order of the versions that they come from. */
  takeEdges(edges: readonly Edge[]): void {
    for (const [via, id, isHard] of edges) this.#reach(id, via, isHard)
  }

  takePiece({ ids, vias, hard }: EdgePiece): void {
    const isHard = new Set(hard)
    for (const [at, id] of ids.entries()) this.#reach(id, vias[at] ?? id, isHard.has(id))
  }

  soft(): number[] {
    return this.ids.filter((id) => this.#steps.get(id)?.edge === 'soft')
  }

  #reach(id: number, via: number, isHard: boolean): void {
    const known = this.#steps.get(id)
    if (!known) this.ids.push(id)
    if (!known || (known.depth === this.#depth && known.edge === 'soft' && isHard))
      this.#steps.set(id, { depth: this.#depth, edge: isHard ? 'hard' : 'soft', via })
  }
}
