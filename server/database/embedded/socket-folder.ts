/** Where the embedded database answers: a socket in a private folder with a short path; a note in the data folder names that folder. */
import { randomBytes } from 'node:crypto'
import { lstatSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface SocketFolder {
  socketPath: string
  remove(): void
}

/**
 * The path of a socket must be shorter than those of data folders can be. A killed server leaves its folder behind; the next one on
 * the same data, whose lock the caller holds, takes that one again: there is never more than one.
 */
export function makeSocketFolder(dir: string): SocketFolder {
  if (process.platform === 'win32')
    return { socketPath: `\\\\.\\pipe\\ph-db-${randomBytes(8).toString('hex')}`, remove: () => {} }
  const folder = takeAgain(dir) ?? takeNew(dir)
  return { socketPath: join(folder, 's'), remove: () => rmSync(folder, { recursive: true, force: true }) }
}

const noteIn = (dir: string) => join(dir, 'socket-folder.json')

/** The note is written first: a folder that nobody knows of could not be found again. */
function takeNew(dir: string): string {
  const folder = join(tmpdir(), `ph-db-${randomBytes(8).toString('hex')}`)
  writeFileSync(noteIn(dir), JSON.stringify({ folder, of: identityOf(dir) }))
  mkdirSync(folder, { mode: 0o700 })
  return folder
}

function takeAgain(dir: string): string | undefined {
  const folder = notedIn(dir)
  if (folder === undefined) return undefined
  const found = lstatSync(folder, { throwIfNoEntry: false })
  if (found && !(found.isDirectory() && found.uid === process.getuid?.())) return undefined
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { mode: 0o700 })
  return folder
}

/** A copy of a data folder has the note of the original, whose server may be alive. */
function notedIn(dir: string): string | undefined {
  const { folder, of } = readNote(noteIn(dir))
  const isOurs = of === identityOf(dir) && typeof folder === 'string' && /\/ph-db-[0-9a-f]{16}$/.test(folder)
  return isOurs && statSync(join(folder, '..'), { throwIfNoEntry: false }) ? folder : undefined
}

function readNote(path: string): { folder?: unknown; of?: unknown } {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) ?? {}
  } catch {
    return {}
  }
}

function identityOf(dir: string): string {
  const { dev, ino } = statSync(dir)
  return `${dev}:${ino}`
}
