/**
 * How many requests all programs on this machine made with one key in the last minute. A request is a byte at the end of a file that is
 * named by the five seconds it was made in: the system appends in one step, so that nobody holds a lock that others wait for, and what a
 * program counted that was killed is over with its minute like everything else.
 */
import { createHash } from 'node:crypto'
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { longestPolicy, readPolicy } from '../../contract/rate-policy.ts'

export type SharedBudget = 'general' | 'push'

export interface SharedCountOptions {
  /** Where `ph` keeps its state (client/folders.ts). */
  stateFolder: string
  url: string
  key: string
  /** A program that nobody waits for leaves a part of what the key may make to people and to the desktop agent. */
  leavesRoom: boolean
  now?: () => number
}

const slotMs = 5000
const windowMs = 60_000
const slots = windowMs / slotMs + 1
/** Of what a key may make in a minute, programs that leave room make so much together. */
const shareOfPrograms = 3 / 4

export class SharedCount {
  readonly #folder: string
  readonly #leavesRoom: boolean
  readonly #now: () => number
  readonly #known: Partial<Record<SharedBudget, number>> = {}

  constructor({ stateFolder, url, key, leavesRoom, now = Date.now }: SharedCountOptions) {
    const name = createHash('sha256').update(`${url}\0${key}`).digest('hex').slice(0, 32)
    this.#folder = join(stateFolder, 'requests', name)
    this.#leavesRoom = leavesRoom
    this.#now = now
  }

  /** Counts a request that is about to be made. A disk that takes nothing counts nothing: the server counts all the same. */
  add(budget: SharedBudget): void {
    const file = this.#fileOf(budget, this.#slot())
    const isFirst = sizeOf(file) === 0
    tried(() => {
      if (isFirst) mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
      appendFileSync(file, '.', { mode: 0o600 })
    })
    if (isFirst) this.#removeOld()
  }

  /** Remembers for all programs what the server said a key may make. */
  learn(budget: SharedBudget, header: string | string[] | undefined): void {
    const limit = readPolicy(header)
    if (limit === undefined || limit === this.#limitOf(budget)) return
    this.#known[budget] = limit
    tried(() => writeFileSync(this.#limitFile(budget), String(limit), { mode: 0o600 }))
  }

  /** How long to wait until there is room; 0 for who leaves none, and where the server never said how much there is. */
  waitMs(budget: SharedBudget): number {
    const limit = this.#leavesRoom ? this.#limitOf(budget) : undefined
    if (limit === undefined) return 0
    const most = Math.max(1, Math.floor(limit * shareOfPrograms))
    const now = this.#slot()
    const made = Array.from({ length: slots }, (_, back) => sizeOf(this.#fileOf(budget, now - back)))
    let all = made.reduce((sum, one) => sum + one, 0)
    if (all < most) return 0
    for (let back = slots - 1; back >= 0; back--) {
      all -= made[back] ?? 0
      if (all < most) return Math.max(1, (now - back + 1) * slotMs + windowMs - this.#now())
    }
    return windowMs
  }

  #limitOf(budget: SharedBudget): number | undefined {
    this.#known[budget] ??=
      Number(tried(() => readFileSync(this.#limitFile(budget), 'utf8').slice(0, longestPolicy))) || undefined
    return this.#known[budget]
  }

  #removeOld(): void {
    const first = this.#slot() - slots
    tried(() => {
      for (const name of readdirSync(this.#folder)) {
        const slot = Number(name.slice(name.lastIndexOf('-') + 1))
        if (slot < first) rmSync(join(this.#folder, name), { force: true })
      }
    })
  }

  #slot = (): number => Math.floor(this.#now() / slotMs)
  #fileOf = (budget: SharedBudget, slot: number): string => join(this.#folder, `${budget}-${slot}`)
  #limitFile = (budget: SharedBudget): string => join(this.#folder, `${budget}.limit`)
}

const sizeOf = (file: string): number => tried(() => statSync(file, { throwIfNoEntry: false })?.size) ?? 0

function tried<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
