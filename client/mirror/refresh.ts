/** What changed, where the feed only says that it did: asked for by the addresses of the specification's table (spec 4.6), one by one. */
import type { ChangeRecord } from '../../contract/changes.ts'
import type { Collection } from '../../contract/collections.ts'
import type { EntryDetail, EntryWithTags } from '../../contract/entries.ts'
import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { Lineage } from '../../contract/lineages.ts'
import type { Lock } from '../../contract/locks.ts'
import type { Api } from '../http/api.ts'
import type { Mirror } from './mirror.ts'

export interface RefreshFrom {
  mirror: Mirror
  api: Api
  signal: AbortSignal | undefined
}

type Told = ChangeRecord['record']

/** Every record that the mirror holds, with what it is now. */
export async function refreshed({ mirror, api, signal }: RefreshFrom, changes: readonly ChangeRecord[]): Promise<ChangeRecord[]> {
  const isTold = ({ op, record }: ChangeRecord) => op === 'delete' || record !== undefined
  const isReviewDraft = ({ entity, op }: ChangeRecord) => entity === 'review' && op === 'delete'
  const open = changes.filter((change) => !isTold(change) || isReviewDraft(change))
  if (open.length === 0) return [...changes]
  const asked = new Asking({ mirror, api, signal })
  await asked.entries(open)
  const records: ChangeRecord[] = []
  for (const change of changes) records.push(open.includes(change) ? await asked.one(change) : change)
  return records
}

/** One request at a time: who works at this machine asks the server too. */
class Asking {
  readonly #mirror: Mirror
  readonly #api: Api
  readonly #signal: AbortSignal | undefined
  readonly #entries = new Map<number, EntryWithTags | null>()
  readonly #lineages = new Map<string, Lineage | null>()
  readonly #locks = new Map<string, Lock[]>()

  constructor({ mirror, api, signal }: RefreshFrom) {
    this.#mirror = mirror
    this.#api = api
    this.#signal = signal
  }

  /** Those whose ids are known, many at once where the server offers that. */
  async entries(changes: readonly ChangeRecord[]): Promise<void> {
    const ids = [...new Set(changes.flatMap(({ entity, entity_id }) => (entity === 'entry' ? entity_id : [])))]
    if (ids.length < 2) return
    for (let at = 0; at < ids.length; at += limits.page.max) {
      const part = ids.slice(at, at + limits.page.max)
      const answer = await this.#api.entries
        .find({ entry_ids: part }, { signal: this.#signal })
        .catch(undefinedWhere([403, 404, 405]))
      if (!answer) return
      for (const id of part) this.#entries.set(id, null)
      for (const detail of answer.entries) this.#entries.set(detail.id, summaryOf(detail))
    }
  }

  async one(change: ChangeRecord): Promise<ChangeRecord> {
    const { entity, entity_id, lineage_id } = change
    if (entity === 'entry') return { ...change, record: told(await this.#entry(entity_id)) }
    if (entity === 'review') return { ...change, op: 'upsert', record: told(await this.#reviewed(lineage_id)) }
    if (entity === 'collection') return { ...change, record: told(await this.#collection(entity_id)) }
    if (entity === 'object') return { ...change, record: told(lineage_id ? await this.#lineage(lineage_id) : null) }
    if (entity === 'lock') return { ...change, record: told(lineage_id ? await this.#lock(lineage_id, entity_id) : null) }
    return change
  }

  async #entry(id: number): Promise<EntryWithTags | null> {
    const known = this.#entries.get(id)
    if (known !== undefined) return known
    const detail = await this.#api.entries.get({ entry_id: id }, { signal: this.#signal }).catch(undefinedWhere([404]))
    const entry = detail ? summaryOf(detail) : null
    this.#entries.set(id, entry)
    return entry
  }

  async #collection(id: number): Promise<Collection | null> {
    return (await this.#api.collections.get({ collection_id: id }, { signal: this.#signal }).catch(undefinedWhere([404]))) ?? null
  }

  /** A review is of a version; what the mirror shows of it stands with its entry. */
  async #reviewed(lineageId: string | null): Promise<EntryWithTags | null> {
    if (lineageId === null) return null
    const find = this.#mirror.loaded.prepare('select id from entries where lineage_id = ?').pluck()
    const id = (find.get(lineageId) as number | undefined) ?? (await this.#lineage(lineageId))?.entry_id
    return id ? this.#entry(id) : null
  }

  async #lineage(id: string): Promise<Lineage | null> {
    const known = this.#lineages.get(id)
    if (known !== undefined) return known
    const found =
      (await this.#api.lineages.get({ lineage_id: id }, { signal: this.#signal }).catch(undefinedWhere([404]))) ?? null
    this.#lineages.set(id, found)
    return found
  }

  async #lock(lineageId: string, id: number): Promise<Lock | null> {
    const known = this.#locks.get(lineageId)
    const locks = known ?? (await this.#readLocks(lineageId))
    this.#locks.set(lineageId, locks)
    return locks.find((lock) => lock.id === id) ?? null
  }

  async #readLocks(lineageId: string): Promise<Lock[]> {
    const question = { lineage_id: lineageId, limit: limits.page.max }
    return (await this.#api.locks.list(question, { signal: this.#signal })).locks
  }
}

const told = (record: object | null): Told => record as Told

/** What a list says of it, and its tags. */
function summaryOf(detail: EntryDetail): EntryWithTags {
  const { ever_pulled, face, comments, collections, review, metadata_doc, preview_artifact_id, thumbnail_artifact_id, ...entry } =
    detail
  return entry
}

const undefinedWhere =
  (statuses: readonly number[]) =>
  (error: unknown): undefined => {
    if (!(error instanceof ApiError && statuses.includes(error.status))) throw error
  }
