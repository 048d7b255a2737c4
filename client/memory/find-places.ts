/** Asks which props lie where in a project, by its last pushes. Servers that do not say it answer nothing. */
import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { LineageFace, Place, Referrer } from '../../contract/lineages.ts'
import type { Api } from '../http/api.ts'

export interface ProjectPlaces {
  places: Place[]
  /** Of the props that lie there. */
  lineages: LineageFace[]
  /** Where paths were asked for: who refers to them. */
  referrers: Referrer[]
}

/** All places of a project, or those at `paths` alone, 5,000 to a request. Undefined where the server does not say it. */
export async function findPlaces(
  { lineages }: Pick<Api, 'lineages'>,
  project: string,
  paths?: readonly string[],
): Promise<ProjectPlaces | undefined> {
  const found: ProjectPlaces = { places: [], lineages: [], referrers: [] }
  for (const part of paths ? requestsOf(paths) : [undefined])
    for (let after: number | null = 0; after !== null; ) {
      const asked: PlacesAsked = { project, ...(part ? { paths: part } : {}), after }
      const answer = await lineages.find({ places: asked }).catch(undefinedWhereUnknown)
      if (!answer?.places) return undefined
      found.places.push(...answer.places)
      found.lineages.push(...answer.lineages)
      found.referrers.push(...(answer.referrers ?? []))
      // One that repeats itself would go on for ever.
      const next: number | null = answer.places_next ?? null
      after = next !== null && next > after ? next : null
    }
  return found
}

function* requestsOf(paths: readonly string[]): Iterable<string[]> {
  for (let at = 0; at < paths.length; at += limits.lineagesFound) yield paths.slice(at, at + limits.lineagesFound)
}

interface PlacesAsked {
  project: string
  paths?: string[]
  after: number
}

/** An older server refuses the field, or the route. */
function undefinedWhereUnknown(error: unknown): undefined {
  if (!(error instanceof ApiError && [403, 404, 405, 422].includes(error.status))) throw error
}
