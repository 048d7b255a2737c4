/** The files of PGlite: on the disk when PostgreSQL says so, and those of a new database whole or not there at all. */
import { closeSync, type Dirent, existsSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import { FolderSync } from '../../../system/folder-sync.ts'
import { copyNewFiles } from './new-files.ts'

/** The part of Emscripten's module through which files are synced. */
interface WithFiles {
  FS: { filesystems: { NODEFS: { stream_ops: { fsync?: (stream: { nfd: number }) => void } } } }
}

/** PGlite's own file layer cannot sync. This one can, from the first file that PostgreSQL opens: also what it recovers after a crash. */
class SyncedFiles extends NodeFS {
  override async init(...parts: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(...parts)
    const letSync = (module: unknown) => {
      ;(module as WithFiles).FS.filesystems.NODEFS.stream_ops.fsync = ({ nfd }) => fsyncSync(nfd)
    }
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), letSync] } }
  }
}

/**
 * Opens the database in `dir`. A new one is made beside it, put on the disk with all of its files, which so far are only written, and
 * renamed: after a kill before that there is no database, and the next start makes it anew.
 */
export async function openFiles(dir: string, open: (files: NodeFS) => Promise<PGlite>): Promise<PGlite> {
  if (!existsSync(dir)) {
    const coming = `${dir}.new`
    rmSync(coming, { recursive: true, force: true })
    if (!copyNewFiles(coming)) await (await open(new SyncedFiles(coming))).close()
    syncFiles(coming)
    renameSync(coming, dir)
    await new FolderSync().settleAbove(dir)
  }
  return open(new SyncedFiles(dir))
}

function syncFiles(dir: string): void {
  const entries = readdirSync(dir, { withFileTypes: true, recursive: true })
  const pathsOf = (matches: (entry: Dirent) => boolean) =>
    entries.filter(matches).map((entry) => join(entry.parentPath, entry.name))
  // Windows syncs what is open for writing, and writes names through by itself.
  for (const file of pathsOf((entry) => entry.isFile())) sync(file, 'r+')
  if (process.platform !== 'win32') for (const folder of [...pathsOf((entry) => entry.isDirectory()), dir]) sync(folder, 'r')
}

function sync(path: string, flags: 'r' | 'r+'): void {
  const fd = openSync(path, flags)
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
