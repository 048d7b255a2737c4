/** An entry with its versions, what it needs and what needs it: by one request, or by one for each where the server answers them alone. */
import type { EntryDetail } from '../../contract/entries.ts'
import type { EntryPart, EntryParts, LevelActors } from '../../contract/entry-parts.ts'
import { ApiError, type ErrorCode } from '../../contract/errors.ts'
import type { Api } from '../http/api.ts'
import { changesOf } from './set-changes.ts'

export type ShownActors = Omit<LevelActors, 'more'>

export interface EntryWithParts extends Omit<EntryParts, 'refused' | 'actors'> {
  entry: EntryDetail
  actors?: ShownActors
  /** Of parts that could not be answered, such as a closure of more files than an answer holds. */
  refused: ApiError[]
}

/** Dependencies and referencers are current versions. Throws what the calls throw. */
export async function readEntryParts(api: Api, entry_id: number, wanted: readonly EntryPart[]): Promise<EntryWithParts> {
  const include = [...wanted]
  const { parts, ...entry } = await api.entries.get({ entry_id, ...(include.length > 0 && { include, dependencies }) })
  if (!parts) return { entry, ...(await readEach(api, entry, wanted)) }
  const { refused = [], actors, ...others } = parts
  const errors = refused.map(({ code, message }) => new ApiError(code as ErrorCode, message))
  return { entry, ...others, ...(actors && { actors: await wholeActors(api, entry.lineage_id, actors) }), refused: errors }
}

const dependencies = 'current'

/** Of a server that does not know the question. */
async function readEach(
  api: Api,
  { id: entry_id, lineage_id, asset_class }: EntryDetail,
  wanted: readonly EntryPart[],
): Promise<Omit<EntryWithParts, 'entry'>> {
  const refused: ApiError[] = []
  const unlessRefused = (error: unknown): undefined => {
    if (!(error instanceof ApiError && error.code === 'VALIDATION')) throw error
    refused.push(error)
  }
  const wants = (part: EntryPart) => wanted.includes(part)
  const [lineage, closure, dependents, actors] = await Promise.all([
    wants('lineage') ? api.lineages.get({ lineage_id }) : undefined,
    wants('closure') ? api.entries.closure({ entry_id, dependencies }).catch(unlessRefused) : undefined,
    wants('dependents') ? api.entries.dependents({ entry_id, dependencies }).catch(unlessRefused) : undefined,
    wants('actors') && asset_class === 'World' ? readActors(api, lineage_id) : undefined,
  ])
  const found = {
    ...(lineage && { lineage }),
    ...(closure && { closure }),
    ...(dependents && { dependents }),
    ...(actors && { actors }),
  }
  return { ...found, refused }
}

const mostSets = 5

/** Undefined for a level without, and where the library does not say it. */
async function readActors(api: Api, lineage_id: string): Promise<ShownActors | undefined> {
  const [known] = (await api.lineages.find({ lineage_ids: [lineage_id] }).catch(() => undefined))?.lineages ?? []
  if (!known?.sets || known.sets.length === 0) return undefined
  const { sets } = await api.lineages.parts({ lineage_id, limit: mostSets })
  return wholeActors(api, lineage_id, { sets, changes: [], more: true })
}

/** Where more was changed than came along, all of it. */
async function wholeActors(api: Api, lineageId: string, { sets, changes, more }: LevelActors): Promise<ShownActors> {
  const [newest] = sets
  const before = sets.find((one) => one !== newest && one.project === newest?.project)
  if (!more || !newest || !before) return { sets, changes }
  const all = await changesOf(api, { lineageId, set: newest.id, since: before.id })
  return { sets, changes: all ?? changes }
}
