/** Files that `ph status` finds changed and whose bytes are a version of their prop that is not current: no push can make it that. */

import type { Api } from '../http/api.ts'
import { findFaces } from '../memory/find-versions.ts'
import { describeReverted, isSetBack, type Reverted } from '../push/held/reverted.ts'
import type { StatusFile } from './report.ts'

const mayBeReverted = ({ state, known_by, lineage_id }: StatusFile): boolean =>
  (state === 'changed' || state === 'both') && known_by === 'memory' && lineage_id !== null

/** The same files; such ones with the version that they are. Asks only where something changed. */
export async function markReverted(files: StatusFile[], api: Api): Promise<StatusFile[]> {
  const changed = files.filter(mayBeReverted)
  if (changed.length === 0) return files
  const hashes = [...new Set(changed.map(({ content_hash }) => content_hash))]
  const { versions } = await findFaces(api, { lineageIds: [], hashes, paths: [] })
  const byHash = new Map(versions.map((version) => [version.content_hash, version]))
  const reverted = changed.flatMap(({ file, content_hash, lineage_id, object_id, face_object_id }): Reverted[] => {
    const version = byHash.get(content_hash)
    if (version === undefined || version.lineage_id !== lineage_id || object_id === null) return []
    const one = { file, lineageId: version.lineage_id, objectId: version.object_id, baseObjectId: object_id }
    return isSetBack(one, face_object_id) ? [one] : []
  })
  const described = new Map((await describeReverted(reverted, api)).map((one) => [one.file, one]))
  return files.map((file) => {
    const one = described.get(file.file)
    if (!one) return file
    const { objectId: object_id, version, name, restore } = one
    return { ...file, [one.isLater ? 'undone' : 'reverted_to']: { object_id, version, name, restore } }
  })
}
