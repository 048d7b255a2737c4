/**
 * The files of a new, empty database. They are made once, when the program is built, and copied: PostgreSQL's initdb takes longer than
 * everything else of a first start. A program that runs from its sources has none, and initdb makes them.
 */
import { randomUUID } from 'node:crypto'
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PGlite } from '@electric-sql/pglite'

/** In `dist/`, beside the folders of the program. The one folder in it has a name of its own for each making. */
const made = fileURLToPath(new URL('../../../new-database', import.meta.url))

/** Whether there were any. The copies are the server's own, also where the program belongs to someone else and is read only. */
export function copyNewFiles(to: string): boolean {
  if (!existsSync(made)) return false
  // A build that puts others there at this moment makes the copy fail. It never becomes a mixture of both.
  const [making = ''] = readdirSync(made)
  cpSync(join(made, making), to, { recursive: true })
  allow(to, { folder: 0o700, file: 0o600 })
  return true
}

/** For the PGlite that is installed: another one may need others. */
export async function makeNewFiles(to: string): Promise<void> {
  const making = join(to, randomUUID())
  mkdirSync(making, { recursive: true })
  await (await PGlite.create(making)).close()
  allow(to, { folder: 0o755, file: 0o644 })
}

function allow(dir: string, mode: { folder: number; file: number }): void {
  chmodSync(dir, mode.folder)
  for (const entry of readdirSync(dir, { withFileTypes: true, recursive: true }))
    chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? mode.folder : mode.file)
}
