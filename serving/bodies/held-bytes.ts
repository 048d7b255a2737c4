/** Bytes that wait in the memory for slow connections: bodies still on their way, answers that nobody has read. */
import { busy, type Owner } from './weighted-queue.ts'

/** What one request holds. */
export interface Held {
  grow(bytes: number): void
  letGo(): void
}

interface Holding {
  owner: Owner
  bytes: number
  sinceMs: number
  end: (reason: Error) => void
}

/** Where there is too much, the request that has held the most for the longest is ended; one that is quick, or has little, is not in the way. */
export class HeldBytes {
  readonly #most: number
  readonly #holdings = new Set<Holding>()
  #total = 0

  constructor(most: number) {
    this.#most = most
  }

  /** `end` is called once when this one has to go; what it held counts as gone then. */
  open(owner: Owner, end: (reason: Error) => void): Held {
    const holding: Holding = { owner, bytes: 0, sinceMs: performance.now(), end }
    this.#holdings.add(holding)
    return {
      grow: (bytes) => {
        if (!this.#holdings.has(holding)) return
        holding.bytes += bytes
        this.#total += bytes
        while (this.#total > this.#most) this.#endGreediest()
      },
      letGo: () => this.#remove(holding),
    }
  }

  #remove(holding: Holding): void {
    if (this.#holdings.delete(holding)) this.#total -= holding.bytes
  }

  #endGreediest(): void {
    const inWorkspace = heaviest([...this.#holdings], ({ owner }) => owner.workspace)
    const [greediest] = heaviest(
      heaviest(inWorkspace, ({ owner }) => owner.key),
      (one) => one,
    )
    if (!greediest) return
    this.#remove(greediest)
    greediest.end(busy())
  }
}

/** The group that holds the most, by bytes and time. */
function heaviest(holdings: readonly Holding[], groupOf: (one: Holding) => unknown): Holding[] {
  const nowMs = performance.now()
  const groups = new Map<unknown, { members: Holding[]; weight: number }>()
  for (const one of holdings) {
    const group = groups.get(groupOf(one)) ?? { members: [], weight: 0 }
    group.members.push(one)
    // A second more for everyone: of those that have just come, the largest.
    group.weight += one.bytes * (nowMs - one.sinceMs + 1000)
    groups.set(groupOf(one), group)
  }
  let most: { members: Holding[]; weight: number } | undefined
  for (const group of groups.values()) if (!most || group.weight > most.weight) most = group
  return most?.members ?? []
}
