/** The walk along dependencies: ids only, each looked at once, so cycles end and nothing is carried twice. */

import { limits } from '../../contract/limits.ts'
import type { Sql } from '../database/sql.ts'
import {
  type Edge,
  type EdgeName,
  type EdgePiece,
  type Reached,
  selectEdgePiece,
  selectNearEdges,
  selectWideEdges,
  type Targets,
} from './edges.ts'
import { asFirstPushed, type Direction, isMapped, nowhere, type Reading } from './rows.ts'

/** How a version was reached: the fewest steps; of equally short ways a hard edge wins, then the older version. */
export interface Step {
  depth: number
  edge: 'root' | 'hard' | 'soft'
  via: number | null
  /** The project by whose rows it was reached. */
  projectId: number
}

export interface WalkOrder {
  direction: Direction
  /** Of what is needed: as it was pushed first, where it is left out. */
  reading?: Reading
  rootIds: readonly number[]
  /** As many versions may be reached, the first ones included. */
  most: number
  /** As many edges may be looked at; `limits.graph.edges` where it is left out. */
  mostEdges?: number
  /** Where it is given, the walk goes nowhere else. */
  within?: ReadonlySet<number>
  /** Awaited before each statement. */
  beforePiece?: () => Promise<void> | void
}

export type Beyond = 'files' | 'edges'

/** What a walk ended at where it went beyond its edges, in words. */
export const tooEntangled = `files that name one another more than ${limits.graph.edges.toLocaleString('en')} times`

export interface Walked {
  /** By version, nearest first. */
  steps: Map<number, Step>
  /** What there is more of than there may be: the walk then ended on its way. */
  beyond: Beyond | undefined
  /** Edges that were looked at. */
  edges: number
}

/** One statement where little lies around. Else one for many thin levels, one for some wide ones, and several for a level with many edges. */
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
  readonly #reading: Reading
  readonly #steps: Map<number, Step>
  /** The versions that were found last, ascending: what they lead to is not known yet. */
  #level: number[]
  #depth = 0
  #edges = 0

  constructor(walking: Walking) {
    this.#walking = walking
    this.#reading = walking.order.reading ?? asFirstPushed
    const projectId = (this.#reading !== 'all' && this.#reading.projectId) || nowhere
    this.#steps = new Map(walking.order.rootIds.map((id) => [id, { depth: 0, edge: 'root', via: null, projectId }]))
    this.#level = [...this.#steps.keys()].sort((a, b) => a - b)
  }

  async run(): Promise<Walked> {
    while (this.#level.length > 0 && !this.#beyond) {
      const before = this.#depth
      if (before === 0 || this.#level.length <= thinIds) await this.#lookAround(selectNearEdges)
      if (this.#depth === before && this.#sendsKnown && !this.#isMapped) await this.#lookAround(selectWideEdges)
      if (this.#depth === before) await this.#lookOnward()
    }
    return { steps: this.#steps, beyond: this.#beyond, edges: this.#edges }
  }

  get #beyond(): Beyond | undefined {
    const { most, mostEdges = limits.graph.edges } = this.#walking.order
    if (this.#steps.size > most) return 'files'
    return this.#edges > mostEdges ? 'edges' : undefined
  }

  /** Then each target is looked for once, a level at a time. */
  get #isMapped(): boolean {
    return isMapped({ direction: this.#walking.order.direction, reading: this.#reading })
  }

  /** The versions that were found last, as statements ask for them. */
  get #from(): Reached[] {
    return this.#level.map((id) => ({ id, projectId: this.#steps.get(id)?.projectId ?? nowhere }))
  }

  get #sendsKnown(): boolean {
    return this.#walking.order.within !== undefined || this.#level.length * sendsKnown >= this.#steps.size
  }

  /** Some levels by one statement, or none where the first one has many edges. */
  async #lookAround(select: typeof selectNearEdges): Promise<void> {
    const { sql, workspaceId, order } = this.#walking
    await order.beforePiece?.()
    const targets = this.#targets(this.#steps.keys())
    const { edges, isWhole, levels } = await select(sql, workspaceId, {
      direction: order.direction,
      reading: this.#reading,
      from: this.#from,
      targets,
    })
    const outgoing = bySource(edges, order.within)
    const brokenAt = isWhole ? undefined : edges.at(-1)?.[0]
    const end = this.#depth + levels
    while (this.#level.length > 0 && this.#depth < end && !(brokenAt !== undefined && this.#level.includes(brokenAt))) {
      const found = new Found(this.#steps, this.#depth + 1)
      const onward = this.#from.flatMap(({ id, projectId }) => [...(outgoing.get(sourceKey(id, projectId))?.values() ?? [])])
      this.#edges += onward.length
      found.takeEdges(onward)
      this.#goTo(found)
    }
  }

  /** One level, in pieces. */
  async #lookOnward(): Promise<void> {
    const { sql, workspaceId, order } = this.#walking
    const found = new Found(this.#steps, this.#depth + 1)
    let from = this.#from
    let after: EdgeName | undefined
    do {
      await order.beforePiece?.()
      const { direction } = order
      const asked = { direction, reading: this.#reading, from, after, ...this.#asked(found) }
      const piece = await selectEdgePiece(sql, workspaceId, asked)
      found.takePiece(piece)
      this.#edges += piece.edges
      after = piece.after
      const last = after?.from ?? 0
      from = from.slice(from.findIndex(({ id }) => id >= last))
    } while (after !== undefined && !this.#beyond)
    this.#goTo(found)
  }

  /** What was found by a soft edge may be found again by a hard one. */
  #asked(found: Found): { targets: Targets; soft: number[] } {
    if (!this.#sendsKnown) return { targets: 'all', soft: [] }
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

const sourceKey = (id: number, came: number): string => `${id} ${came}`

/** Each edge once, by the version that it comes from and the project by which that was reached: a statement answers it with every level at which it was looked at. */
function bySource(edges: readonly Edge[], within: ReadonlySet<number> | undefined): Map<string, Map<number, Edge>> {
  const outgoing = new Map<string, Map<number, Edge>>()
  for (const edge of edges) {
    const [from, to, isHard, came] = edge
    if (within && !within.has(to)) continue
    const key = sourceKey(from, came)
    const known = outgoing.get(key)
    if (!known) outgoing.set(key, new Map([[to, edge]]))
    else if (isHard || !known.has(to)) known.set(to, edge)
  }
  return outgoing
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
    for (const [via, id, isHard, , projectId] of edges) this.#reach(id, { via, isHard, projectId })
  }

  takePiece({ ids, vias, projects, hard }: EdgePiece): void {
    const isHard = new Set(hard)
    for (const [at, id] of ids.entries())
      this.#reach(id, { via: vias[at] ?? id, isHard: isHard.has(id), projectId: projects[at] ?? nowhere })
  }

  soft(): number[] {
    return this.ids.filter((id) => this.#steps.get(id)?.edge === 'soft')
  }

  #reach(id: number, { via, isHard, projectId }: { via: number; isHard: boolean; projectId: number }): void {
    const known = this.#steps.get(id)
    if (!known) this.ids.push(id)
    if (!known || (known.depth === this.#depth && known.edge === 'soft' && isHard))
      this.#steps.set(id, { depth: this.#depth, edge: isHard ? 'hard' : 'soft', via, projectId })
  }
}
