/** Levels whose actors changed in the library since they were pushed or pulled here, although their own file is the same. */
import type { NewestSet, SetPart } from '../../contract/level-sets.ts'
import { changesOf } from '../entries/set-changes.ts'
import type { Api } from '../http/api.ts'
import { findFacesInBulk } from '../memory/find-versions.ts'
import type { KnownLevel, KnownPart, LevelParts, PartNews } from '../memory/level-parts.ts'

export interface LevelNews {
  /** The file of the level, below the project's root. */
  file: string
  entry_id: number | null
  lineage_id: string
  /** The set that is known here, null where none is, and the newest one. */
  set: number | null
  newest: NewestSet
  /** How many actors came, changed and left since. Null where the server does not say it. */
  changes: { added: number; changed: number; removed: number } | null
}

/**
 * One question, and none where no level is; of a set that is newer than the last one that was heard of, one more: what it changed. That
 * is remembered, and files are held against it. Older servers know no sets. `project`: whose sets count, where it has some.
 */
export async function findLevelNews(api: Api, levels: LevelParts, project: string | undefined): Promise<LevelNews[]> {
  const known = levels.list()
  if (known.length === 0) return []
  const found = await findFacesInBulk(api, { lineageIds: known.map(({ lineageId }) => lineageId), hashes: [], paths: [] })
  const setsOf = new Map((found?.lineages ?? []).map(({ id, sets }) => [id, sets ?? []]))
  const news: LevelNews[] = []
  for (const level of known) {
    const { file, entryId: entry_id, lineageId: lineage_id, set } = level
    const sets = setsOf.get(lineage_id) ?? []
    const newest = sets.find((one) => one.project?.toLowerCase() === project?.toLowerCase()) ?? sets[0]
    if (newest && newest.id > (set ?? 0)) {
      const isKnown = await hearChanges(api, levels, { level, newest: newest.id })
      news.push({ file, entry_id, lineage_id, set, newest, changes: isKnown ? levels.countNews(lineage_id) : null })
    } else if (level.newsSet !== null) levels.saveNews(lineage_id, undefined)
  }
  return news
}

/** Says whether it is known by now what the newest set changed. */
async function hearChanges(
  api: Api,
  levels: LevelParts,
  { level: { lineageId, set, newsSet }, newest }: { level: KnownLevel; newest: number },
): Promise<boolean> {
  if (newsSet === newest) return true
  const parts = await changesOf(api, { lineageId, set: newest, since: set ?? undefined })
  const news = parts && (set === null ? changesOfKnown(levels.find(lineageId).parts, parts) : parts.flatMap(toNews))
  levels.saveNews(lineageId, news && { set: newest, news })
  return news !== undefined
}

/** Of a set as a whole beside the parts that are known here one by one. */
function changesOfKnown(known: readonly KnownPart[], parts: readonly SetPart[]): PartNews[] {
  const here = new Map(known.map((part) => [part.path, part.hash]))
  const left = new Set(here.keys())
  const news = parts.flatMap((part) => {
    const key = part.path.toLowerCase()
    left.delete(key)
    if (here.get(key) === part.content_hash) return []
    return toNews({ ...part, change: here.has(key) ? 'changed' : 'added' })
  })
  const gone = { change: 'removed', objectId: null, hash: null, label: null, class: '' } as const
  return [...news, ...Array.from(left, (path) => ({ path, ...gone }))]
}

const toNews = ({ path, change, object_id: objectId, content_hash: hash, label, asset_class }: SetPart): PartNews[] =>
  change === undefined ? [] : [{ path, change, objectId, hash, label, class: asset_class }]
