/** Which walks are heavy, and how many of those go on at once: the others are answered meanwhile, and memory suffices. */

import { FairQueue } from '../database/fair-queue.ts'
import type { Sql } from '../database/sql.ts'

const waitMs = 10_000

/** In this process. By workspace. */
const heavy = new FairQueue<number>({
  slots: 3,
  slotsEach: 2,
  waitMs,
  message: `Others have asked for a lot of what props need for ${waitMs / 1000} seconds. Try again in a few seconds.`,
})

/** Statements of a walk, and files that it came to, from which on it is heavy. */
const heavyFrom = { pieces: 64, files: 1000 }

/** A walk, which waits for its turn once it turns out to be heavy. */
export class WalkTurn {
  readonly #enter: () => Promise<() => void>
  #pieces = 0
  #leave: (() => void) | undefined

  constructor(enter: () => Promise<() => void>) {
    this.#enter = enter
  }

  async countPiece(): Promise<void> {
    if (++this.#pieces > heavyFrom.pieces) await this.#takeTurn()
  }

  async countFiles(count: number): Promise<void> {
    if (count > heavyFrom.files) await this.#takeTurn()
  }

  end(): void {
    this.#leave?.()
  }

  async #takeTurn(): Promise<void> {
    this.#leave ??= await this.#enter()
  }
}

/** A transaction does not wait: it has a place already, among those who write or who read as of one moment, and others wait for it. */
export async function inTurn<T>(
  { sql, workspaceId }: { sql: Sql; workspaceId: number },
  work: (turn: WalkTurn) => Promise<T>,
): Promise<T> {
  const turn = new WalkTurn(async () => ('savepoint' in sql ? () => {} : heavy.take(workspaceId)))
  try {
    return await work(turn)
  } finally {
    turn.end()
  }
}
