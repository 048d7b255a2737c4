/** What `ph status` can advise about files, asked of the library: where current ones lie, and which are a version that is not current, so that no push can make it that. */

import { partLabel } from '../../contract/level-parts.ts'
import { limits } from '../../contract/limits.ts'
import type { LineageFace } from '../../contract/lineages.ts'
import { pulledTo } from '../../contract/plugin-content.ts'
import type { Api } from '../http/api.ts'
import { findPlaces } from '../memory/find-places.ts'
import { findFaces } from '../memory/find-versions.ts'
import { describeReverted, isSetBack, type Reverted } from '../push/reverted.ts'
import type { StatusFile } from './report.ts'

const mayBeSetBack = ({ state, known_by, lineage_id }: StatusFile): boolean =>
  (state === 'modified' || state === 'diverged') && known_by === 'memory' && lineage_id !== null

interface SetBack {
  /** Their bytes are another version of their prop than the current one. */
  reverted: Reverted[]
  /** In the place of a redirector: another branch put the prop back that was there before, in some version that the library has. */
  overRedirectors: StatusFile[]
}

/** Finds changed files whose bytes the library has. Asks only where something changed. */
export async function findSetBack(files: readonly StatusFile[], api: Api): Promise<SetBack> {
  const changed = files.filter(mayBeSetBack)
  if (changed.length === 0) return { reverted: [], overRedirectors: [] }
  const hashes = [...new Set(changed.map(({ content_hash }) => content_hash))]
  const { versions } = await findFaces(api, { lineageIds: [], hashes, paths: [] })
  const byHash = new Map(versions.map((version) => [version.content_hash, version]))
  const reverted = changed.flatMap(({ file, content_hash, lineage_id, object_id, face_object_id }): Reverted[] => {
    const version = byHash.get(content_hash)
    if (version === undefined || version.lineage_id !== lineage_id || object_id === null) return []
    const one = { file, lineageId: version.lineage_id, objectId: version.object_id, baseObjectId: object_id }
    return isSetBack(one, face_object_id) ? [one] : []
  })
  const isOverRedirector = ({ content_hash, lineage_id, entry_id, part }: StatusFile) =>
    entry_id === null && part === undefined && (byHash.get(content_hash)?.lineage_id ?? lineage_id) !== lineage_id
  return { reverted, overRedirectors: changed.filter(isOverRedirector) }
}

/** The same files; such ones with the version that they are. Parts of levels go into the next set of their level, whatever version they are. */
export async function withReverted(files: StatusFile[], api: Api): Promise<StatusFile[]> {
  const { reverted } = await findSetBack(
    files.filter(({ part }) => part === undefined),
    api,
  )
  const described = new Map((await describeReverted(reverted, api)).map((one) => [one.file, one]))
  return files.map((file) => {
    const one = described.get(file.file)
    if (!one) return file
    const { objectId: object_id, version, name, restore } = one
    return { ...file, [one.isLater ? 'undone' : 'reverted_to']: { object_id, version, name, restore } }
  })
}

/** Of what is not here the library says what people call it. */
const namedPart = ({ state, part }: StatusFile, face: LineageFace): Pick<StatusFile, 'part'> =>
  part && face.part && state === 'missing' ? { part: { ...part, label: partLabel(face.part) } } : {}

const isToBeBrought = ({ state }: StatusFile): boolean => state === 'outdated' || state === 'missing'

/**
 * The same files; those that a pull or a download would bring with the path of their current version, and with the entry of the prop that has taken
 * that place in the project: none where that is a redirector. Two requests at most, and none for none.
 */
export async function withFacePaths(files: StatusFile[], api: Api, project: string | undefined): Promise<StatusFile[]> {
  const missing = new Set(files.filter(isToBeBrought).flatMap(({ lineage_id }) => lineage_id ?? []))
  if (missing.size === 0) return files
  const lineageIds = [...missing].slice(0, limits.lineagesFound)
  const { lineages } = await findFaces(api, { lineageIds, hashes: [], paths: [] })
  const faces = new Map(lineages.map((face) => [face.id, face]))
  const taken = await takenPlaces(lineages, api, project)
  return files.map((file) => {
    const face = isToBeBrought(file) && file.lineage_id !== null ? faces.get(file.lineage_id) : undefined
    if (face === undefined) return file
    const other = taken.get(placeOf(face))
    const known = { ...file, face_origin_path: pulledTo(face), ...namedPart(file, face) }
    return other === undefined || other.id === face.id ? known : { ...known, entry_id: other.entry_id }
  })
}

const placeOf = ({ origin_path }: LineageFace): string => origin_path?.toLowerCase() ?? ''

/** The prop or redirector that the project has at the place of each of these lineages, by path. */
async function takenPlaces(
  lineages: readonly LineageFace[],
  api: Api,
  project: string | undefined,
): Promise<Map<string, LineageFace>> {
  const paths = [...new Set(lineages.map(placeOf))].filter((path) => path !== '')
  const found = project === undefined || paths.length === 0 ? undefined : await findPlaces(api, project, paths)
  const faces = new Map(found?.lineages.map((face) => [face.id, face]))
  const places = (found?.places ?? []).map(({ path, lineage_id }) => [path, faces.get(lineage_id)] as const)
  return new Map(places.flatMap(([path, face]) => (face ? [[path, face]] : [])))
}
