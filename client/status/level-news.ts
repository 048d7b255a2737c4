/** Levels whose actors changed in the library since they were pushed or pulled here, although their own file is the same. */
import type { NewestSet } from '../../contract/level-sets.ts'
import type { Api } from '../http/api.ts'
import { findFacesInBulk } from '../memory/find-versions.ts'
import type { LevelParts } from '../memory/level-parts.ts'

export interface LevelNews {
  /** The file of the level, below the project's root. */
  file: string
  entry_id: number | null
  lineage_id: string
  /** The set that is known here, and the newest one. */
  set: number
  newest: NewestSet
}

/** One question, and none where no level has parts. Older servers know no sets. `project`: whose sets count, where it has some. */
export async function findLevelNews(api: Api, levels: LevelParts, project: string | undefined): Promise<LevelNews[]> {
  const known = levels.list()
  if (known.length === 0) return []
  const found = await findFacesInBulk(api, { lineageIds: known.map(({ lineageId }) => lineageId), hashes: [], paths: [] })
  const setsOf = new Map((found?.lineages ?? []).map(({ id, sets }) => [id, sets ?? []]))
  return known.flatMap(({ file, entryId: entry_id, lineageId: lineage_id, set }) => {
    const sets = setsOf.get(lineage_id) ?? []
    const newest = sets.find((one) => one.project?.toLowerCase() === project?.toLowerCase()) ?? sets[0]
    return newest && newest.id > set ? [{ file, entry_id, lineage_id, set, newest }] : []
  })
}
