/** From which versions files of a project are, or were made, as it is remembered at this moment. */
import { existsSync } from 'node:fs'
import { type Folders, projectStateFile } from '../folders.ts'
import { ProjectMemory } from './project-memory.ts'

export interface FileBase {
  /** Of the file, as it was seen last. */
  hash: string
  /** Null: it is no version of the library, nor made from one. */
  objectId: number | null
}

/** `url`: address of the workspace. Without those of which nothing is remembered. */
export function basesIn(
  { folders, url, root }: { folders: Folders; url: string; root: string },
  files: readonly string[],
): Map<string, FileBase> {
  const state = projectStateFile(folders, url, root)
  if (!existsSync(state)) return new Map()
  const memory = new ProjectMemory(state, { address: url, root })
  try {
    return new Map(
      files.flatMap((file) => {
        const known = memory.find(file)
        return known ? [[file, { hash: known.hash, objectId: known.base?.objectId ?? null }] as const] : []
      }),
    )
  } finally {
    memory.close()
  }
}
