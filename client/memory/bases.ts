/** The versions that the files of a project are, or were edited from, and putting other ones in their place; kept with the fingerprints. */
import type { StateFile } from './state-file.ts'

/** A version as it is remembered. */
export interface BaseVersion {
  hash: string
  lineageId: string
  objectId: number
}

/** What files of a lineage were based on, and the version that they are based on now. */
export interface Rebase {
  lineageId: string
  from: number
  to: { objectId: number; hash: string; assetClass: string }
}

/** `to`: the version that stands for it in the library now; undefined where none does, and the files are new to it. */
export interface Replacement {
  from: BaseVersion
  to: (BaseVersion & { entryId: number | null }) | undefined
}

/** Nothing is known of the library’s side of a file. */
export const unknownBase =
  'settled = 0, edges = null, base_hash = null, base_guid = null, base_class = null, lineage_id = null, object_id = null, entry_id = null'

export class Bases {
  readonly #state: StateFile

  constructor(state: StateFile) {
    this.#state = state
  }

  /** Each version once. */
  list(): BaseVersion[] {
    const query = `
      select distinct base_hash as hash, lineage_id as lineageId, object_id as objectId from file
       where base_hash is not null and lineage_id is not null and object_id is not null`
    return this.#state.guard(() => this.#state.db.prepare<[], BaseVersion>(query).all())
  }

  /** Another version is current again: files that were the later one, or made from it, are edits of that one from here on. */
  rebase(rebases: readonly Rebase[]): void {
    const rebase = this.#state.db.prepare(`
      update file set settled = 0, edges = null, base_hash = @hash, base_class = @assetClass, object_id = @objectId
       where lineage_id = @lineageId and object_id = @from`)
    this.#state.write(() => {
      for (const { lineageId, from, to } of rebases) rebase.run({ lineageId, from, ...to })
    })
  }

  /** What a file was by itself, its GUID and class, stays: it tells whether it is the same prop still. */
  replace(replacements: readonly Replacement[]): void {
    const files = 'where base_hash = @fromHash and lineage_id = @fromLineage and object_id = @fromObject'
    const set = this.#state.db.prepare(`
      update file set settled = 0, edges = null, base_hash = @hash, lineage_id = @lineageId, object_id = @objectId, entry_id = @entryId
      ${files}`)
    const forget = this.#state.db.prepare(`update file set ${unknownBase} ${files}`)
    this.#state.write(() => {
      for (const { from, to } of replacements) {
        const which = { fromHash: from.hash, fromLineage: from.lineageId, fromObject: from.objectId }
        if (to) set.run({ ...which, ...to })
        else forget.run(which)
      }
    })
  }
}
