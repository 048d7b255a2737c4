/** Which entry brings the current version of a file. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { LineageFace } from '../../contract/lineages.ts'
import { pulledTo } from '../../contract/plugin-content.ts'
import type { ProjectMemory } from '../memory/project-memory.ts'
import type { PullTarget } from '../pull/target-project.ts'
import type { StatusFile } from '../status/report.ts'

export interface Around {
  faces: ReadonlyMap<string, LineageFace>
  memory: ProjectMemory
  target: PullTarget
}

/** The entry (id) that brings the current version of a file: its own, or that of the level that it is a part of. Undefined where there is none. */
export function bringer(
  { file, lineage_id }: Pick<StatusFile, 'file' | 'lineage_id'>,
  { faces, memory, target }: Around,
): number | undefined {
  const face = faces.get(lineage_id ?? '')
  if (!face || pulledTo(face) === null) return undefined
  if (face.entry_id !== null) return face.entry_id
  const level = levelOf(file)
  const known = level === undefined ? undefined : memory.find(level)
  return known?.base?.entryId != null && existsSync(join(target.root, known.file)) ? known.base.entryId : undefined
}

const folderOfParts = /\/__External(?:Actors|Objects)__\//

/** `Content/__ExternalActors__/Maps/L_Inn/A/BC/….uasset` is a part of `Content/Maps/L_Inn.umap`. */
function levelOf(file: string): string | undefined {
  const [content, below, ...others] = file.split(folderOfParts)
  const parts = below?.split('/') ?? []
  // Two folders and the file follow the level.
  if (content === undefined || others.length > 0 || parts.length < 4) return undefined
  return `${content}/${parts.slice(0, -3).join('/')}.umap`
}
