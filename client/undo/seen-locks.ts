/** Check-outs as a command has just read them: what it changes of those needs no second look. */
import type { Lock, LockedLineage, RadarLineage } from '../../contract/locks.ts'
import type { Api } from '../http/api.ts'

type Radar = { lineages: RadarLineage[] }
type List = { locks: Lock[]; lineages?: LockedLineage[] | undefined }

/** What calls that change check-outs are about. */
interface About {
  lineage_id?: string
  lineage_ids?: string[]
  lock_id?: number
  lock_ids?: number[]
}

/** A check-out, and what it is on where that was said. */
interface Seen {
  lock: Lock
  on: LockedLineage | undefined
}

export class SeenLocks {
  /** By lineage; undefined where nobody had it checked out. */
  readonly #seen = new Map<string, Seen | undefined>()

  seeRadar({ lineages }: Radar): void {
    for (const { lineage_id, locks } of lineages) {
      const { lock, entry_id = null, name, part } = locks.find(({ relation }) => relation === 'self') ?? {}
      const on = name === undefined ? undefined : { lineage_id, entry_id, name, ...(part && { part }) }
      this.#seen.set(lineage_id, lock && { lock, on })
    }
  }

  seeList({ locks, lineages = [] }: List): void {
    const names = new Map(lineages.map((on) => [on.lineage_id, on]))
    for (const lock of locks) if (lock.active) this.#seen.set(lock.lineage_id, { lock, on: names.get(lock.lineage_id) })
  }

  /** The same calls; what was seen answers for the list where it has all that is asked about, once: the call changes it. */
  reading(
    api: Api,
    { lineage_id, lineage_ids = lineage_id ? [lineage_id] : [], lock_id, lock_ids = lock_id ? [lock_id] : [] }: About,
  ): Api {
    const byId = new Map([...this.#seen.values()].flatMap((one) => (one ? [[one.lock.id, one.lock.lineage_id] as const] : [])))
    const asked = [...lineage_ids, ...lock_ids.map((id) => byId.get(id))]
    const isSeen = asked.length > 0 && asked.every((id) => id !== undefined && this.#seen.has(id))
    const found = asked.flatMap((id) => this.#seen.get(id ?? '') ?? [])
    for (const id of asked) this.#seen.delete(id ?? '')
    if (!isSeen) return api
    const answer = { locks: found.map(({ lock }) => lock), lineages: found.flatMap(({ on }) => on ?? []), next_cursor: null }
    return { ...api, locks: { ...api.locks, list: async () => answer } }
  }
}
