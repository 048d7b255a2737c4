/** Sets of levels that lie in a project as a whole: a pull of newer ones brings only what changed since. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { limits } from '../../../contract/limits.ts'
import type { ProjectMemory } from '../../memory/project-memory.ts'

/**
 * For an order of some levels: the sets of all that are here, so that each list of parts is known to be whole or of changes. None where an actor is
 * missing here: it is brought back, and levels come as a whole.
 */
export function knownSets(memory: ProjectMemory, root: string, entryIds: ReadonlySet<number>): number[] {
  const levels = memory.levels.list()
  if (levels.length > limits.pullJob.entries || !levels.some(({ entryId }) => entryId !== null && entryIds.has(entryId)))
    return []
  const isWhole = (lineageId: string) => memory.levels.find(lineageId).parts.every(({ file }) => existsSync(join(root, file)))
  const lineageIds = new Set(levels.map(({ lineageId }) => lineageId))
  return [...lineageIds].every(isWhole) ? [...new Set(levels.map(({ set }) => set))] : []
}
