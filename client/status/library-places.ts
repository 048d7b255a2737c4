/** Where the current versions of files that `ph status` finds newer there, or missing here, lie in the library: only what has a place can be pulled. */
import { limits } from '../../contract/limits.ts'
import type { Api } from '../http/api.ts'
import { findFaces } from '../memory/find-versions.ts'
import type { StatusFile } from './report.ts'

const isToBeBrought = ({ state }: StatusFile): boolean => state === 'newer' || state === 'missing'

/** The same files; those that a pull or a download would bring with the place of their current version. One request at most, and none for none. */
export async function markPlaces(files: StatusFile[], api: Api): Promise<StatusFile[]> {
  const wanted = new Set(files.filter(isToBeBrought).flatMap(({ lineage_id }) => lineage_id ?? []))
  if (wanted.size === 0) return files
  const lineageIds = [...wanted].slice(0, limits.lineagesFound)
  const { lineages } = await findFaces(api, { lineageIds, hashes: [], paths: [] })
  const places = new Map(lineages.map(({ id, origin_path }) => [id, origin_path]))
  return files.map((file) => {
    const place = isToBeBrought(file) && file.lineage_id !== null ? places.get(file.lineage_id) : undefined
    return place === undefined ? file : { ...file, face_origin_path: place }
  })
}
