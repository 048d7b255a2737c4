/** The files of a project as they are now. Where someone hears of all that is done to them, only what was touched since is looked at. */
import { type Folders, keptWalkFile, projectStateFile } from '../folders.ts'
import { type Heard, readKeptFolders, writeKeptFolders } from '../project/kept-walk.ts'
import type { NamedPaths } from '../project/paths.ts'
import { type Scan, scan } from '../project/scan.ts'

export interface WalkOptions {
  url: string
  folders: Folders
  signal?: AbortSignal | undefined
  /** What was touched since a walk that was kept; undefined where that is not sure. */
  heard?: ((root: string) => Promise<Heard | undefined>) | undefined
  /** Keeps this walk under a name. */
  keepWalk?: string | undefined
}

export async function walk({ root, starts }: NamedPaths, options: WalkOptions): Promise<Scan> {
  const { url, folders, signal, keepWalk } = options
  const path = keptWalkFile(projectStateFile(folders, url, root))
  // Asked before anything is looked at: what happens from here on is met by the look or after it, as ever.
  const heard = await options.heard?.(root)
  const untouched = heard && readKeptFolders(path, heard)
  const found = await scan(root, starts, { signal, untouched, keep: keepWalk !== undefined })
  // Without it the next look takes longer, which is all.
  if (keepWalk !== undefined) await writeKeptFolders(path, keepWalk, found.folders).catch(() => {})
  return found
}
