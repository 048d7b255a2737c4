/** Where running servers say how to speak to them: below the data folder, one folder per process. */
import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type FoundNote, isForbidden, notYours, readNote } from '../../serving/local-note.ts'
import type { Settings } from '../config.ts'

export const controlFolder = (dataDir: string): string => join(dataDir, 'control')

const mostNotes = 64

/** Tells one database from another, without telling its address. */
export const databaseMark = ({ databaseUrl }: Settings): string =>
  databaseUrl === undefined ? 'embedded' : createHash('sha256').update(databaseUrl).digest('base64url')

/** Notes of servers that run on this data folder, or were killed. Throws FORBIDDEN to whom the folder does not belong. */
export function readNotes(dataDir: string): FoundNote[] {
  const parent = controlFolder(dataDir)
  return foldersIn(parent).flatMap((name) => readNote(join(parent, name)) ?? [])
}

function foldersIn(parent: string): string[] {
  try {
    return readdirSync(parent).slice(0, mostNotes)
  } catch (error) {
    if (isForbidden(error)) throw notYours(parent)
    return []
  }
}
