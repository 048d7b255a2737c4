/** The front door of several processes on one PostgreSQL: one statement finds the holders and counts the requests of a moment. */

import { isLockTimeout } from '../database/failure.ts'
import type { Database } from '../database/open.ts'
import type { Workspace } from '../principal.ts'
import { firstWorkspace } from '../rows/workspace.ts'
import { HeldKeys } from './held-keys.ts'
import { toHolder } from './keys.ts'
import type { Found, KeyLookup, Lookup } from './lookup.ts'
import { type Limits, longerWait, noWait, type Wait } from './rate-limit.ts'
import { budgetOfRow, type CountedRow, countRequests, forgetUnused } from './request-count.ts'
import { windowMs } from './windows.ts'

/** Statements under way at once. While they are, requests gather for the next one: the busier, the more share it. */
const mostStatements = 2
/** Requests that one statement counts. */
const mostRequests = 500

interface Waiting {
  lookup: KeyLookup
  resolve: (row: CountedRequest | undefined) => void
  reject: (error: unknown) => void
}

/** One request of a row that counts several. */
interface CountedRequest {
  row: CountedRow
  wait: Wait
}

export class SharedLookup implements Lookup {
  readonly #database: Database
  readonly #limits: Limits
  #waiting: Waiting[] = []
  #statements = 0
  readonly #held = new HeldKeys()
  #next: NodeJS.Immediate | undefined

  /** None: another process may change them at any moment. */
  readonly rememberedKeys = 0

  constructor(database: Database, limits: Limits) {
    this.#database = database
    this.#limits = limits
  }

  async find(lookup: KeyLookup): Promise<Found | undefined> {
    const counted = await new Promise<CountedRequest | undefined>((resolve, reject) => {
      this.#waiting.push({ lookup, resolve, reject })
      this.#sendBatch()
    })
    if (!counted) return undefined
    const { row, wait } = counted
    const holder = toHolder(row)
    const slug = lookup.slug ?? row.first_slug
    return { holder, addressed: slug === row.slug ? holder.workspace : await this.workspace(slug), wait }
  }

  async workspace(slug: string | undefined): Promise<Workspace | undefined> {
    const sql = this.#database.frontDoorSql
    return firstWorkspace(sql, slug === undefined ? sql`true` : sql`w.slug = ${slug}`)
  }

  async workspaceById(id: number): Promise<Workspace | undefined> {
    return firstWorkspace(this.#database.frontDoorSql, this.#database.frontDoorSql`w.id = ${id}`)
  }

  /** Rows of keys that were not used for longer than their window. */
  async tidy(): Promise<void> {
    await forgetUnused(this.#database.frontDoorSql)
  }

  close(): void {}

  /** Requests that arrive in the same turn of the event loop go together. */
  #sendBatch(): void {
    if (this.#statements < mostStatements && this.#waiting.length > 0)
      this.#next ??= setImmediate(() => {
        this.#next = undefined
        void this.#countWaiting()
      })
  }

  async #countWaiting(): Promise<void> {
    const groups = groupsOf(this.#waiting.splice(0, mostRequests))
    const [held, free] = [[...groups].filter(([name]) => this.#held.has(name)), new Map(groups)]
    for (const [name, group] of held) {
      free.delete(name)
      void this.#countApart(name, group)
    }
    this.#statements++
    try {
      if (free.size > 0) await this.#count(free)
    } catch (error) {
      if (!isLockTimeout(error)) reject(free, error)
      else for (const [name, group] of free) void this.#countApart(name, group)
    } finally {
      this.#statements--
      this.#sendBatch()
    }
  }

  /** Someone holds the row of one of these keys: that one's requests wait for it, and nobody else's. */
  async #countApart(name: string, group: readonly Waiting[]): Promise<void> {
    const alone = new Map([[name, group]])
    await this.#held.count(name, () => this.#count(alone)).catch((error: unknown) => reject(alone, error))
  }

  async #count(groups: ReadonlyMap<string, readonly Waiting[]>): Promise<void> {
    const batches = [...groups.values()].flatMap((group) => (group[0] ? [{ ...group[0].lookup, requests: group.length }] : []))
    const rows = await countRequests(this.#database.frontDoorSql, { batches, limits: this.#limits })
    const found = new Map(rows.map((row) => [`${row.key_hash} ${budgetOfRow(row)}`, row]))
    for (const [name, group] of groups) {
      const row = found.get(name)
      for (const [index, { resolve }] of group.entries()) resolve(row && { row, wait: index < row.let_in ? noWait : waitOf(row) })
    }
  }
}

const groupsOf = (waiting: readonly Waiting[]): Map<string, Waiting[]> =>
  Map.groupBy(waiting, ({ lookup: { keyHash, budget } }) => `${keyHash} ${budget}`)

function reject(groups: ReadonlyMap<string, readonly Waiting[]>, error: unknown): void {
  for (const group of groups.values()) for (const waiting of group) waiting.reject(error)
}

/** At least a millisecond: 0 means let in. */
function waitOf({ wait_ms, member_wait_ms }: CountedRow): Wait {
  const [keyMs, memberMs] = [wait_ms, member_wait_ms].map((ms) => (ms === null ? 0 : Math.min(windowMs, Math.max(1, ms))))
  const wait = longerWait(keyMs ?? 0, memberMs ?? 0)
  return wait.ms === 0 ? { ms: windowMs, isOfMember: false } : wait
}
