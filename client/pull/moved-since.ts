/** Props that moved after the versions of a job were ordered, and whose current versions lie in their new places here already. */
import type { Api } from '../http/api.ts'
import { findFacesInBulk } from '../memory/find-versions.ts'
import type { ProjectMemory } from '../memory/project-memory.ts'
import { gone } from '../project/fingerprint.ts'
import type { PullFile } from './destinations.ts'

/** A file that a pull decides about. */
interface Decided {
  action: string
  file: string
  pullFile: PullFile
}

interface Looking {
  library: Pick<Api, 'lineages'> | undefined
  memory: ProjectMemory | undefined
  /** Undefined where exactly these versions are wanted. */
  orderedAt: string | undefined
}

/** Files that would come to the old places of such props: each prop would lie here twice, and the old file over its redirector. */
export async function movedSince<D extends Decided>(
  decisions: readonly D[],
  { library, memory, orderedAt }: Looking,
): Promise<ReadonlySet<D>> {
  const open = decisions.filter(({ action }) => action !== 'identical')
  if (!library || !memory || orderedAt === undefined || open.length === 0) return new Set()
  const lineageOf = ({ pullFile }: D) => pullFile.object.lineage_id
  const known = memory.findByLineages([...new Set(open.map(lineageOf))]).filter(({ stat }) => stat !== gone)
  const here = Map.groupBy(known, ({ base }) => base?.lineageId)
  const elsewhere = (decision: D) => (here.get(lineageOf(decision)) ?? []).filter(({ file }) => file !== decision.file)
  const doubled = open.filter((decision) => elsewhere(decision).length > 0)
  if (doubled.length === 0) return new Set()
  const found = await findFacesInBulk(library, { lineageIds: [...new Set(doubled.map(lineageOf))], hashes: [], paths: [] })
  const faces = new Map(found?.lineages.map((face) => [face.id, face]))
  const hasMoved = (decision: D) => {
    const { face_content_hash: hash, current_since: since } = faces.get(lineageOf(decision)) ?? {}
    if (!since || hash === decision.pullFile.object.content_hash || Date.parse(since.at) <= Date.parse(orderedAt)) return false
    return elsewhere(decision).some(({ base }) => base?.hash === hash)
  }
  return new Set(doubled.filter(hasMoved))
}
