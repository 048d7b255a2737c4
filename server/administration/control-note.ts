/** What a running server writes down for its administrators: who it is, and how to speak to it. Below the data folder, one folder per process. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { type Static, Type } from 'typebox'
import { ApiError } from '../../contract/errors.ts'
import type { Settings } from '../config.ts'

const Text = Type.String({ minLength: 1, maxLength: 4000 })

export const ControlNote = Type.Object({
  pid: Type.Integer(),
  /** The machine, or the container: a process id means nothing elsewhere. */
  host: Text,
  /** Where the server listens. */
  url: Text,
  started_at: Text,
  /** Who may read it may administer. */
  token: Text,
  /** On Windows: the pipe, and the folder that it was made for, as a copy of that folder has the note too. */
  pipe: Type.Optional(Type.Object({ name: Text, folder: Text })),
})
export type ControlNote = Static<typeof ControlNote>

const isNote = new Ajv().compile(ControlNote)

export const controlFolder = (dataDir: string): string => join(dataDir, 'control')
const noteIn = (dir: string): string => join(dir, 'note.json')

const mostNotes = 64
const longestNoteBytes = 16 * 1024

/** Readers find a whole note or none. */
export function writeNote(dir: string, note: ControlNote): void {
  writeFileSync(`${noteIn(dir)}.new`, JSON.stringify(note), { mode: 0o600 })
  renameSync(`${noteIn(dir)}.new`, noteIn(dir))
}

/** Tells one database from another, without telling its address. */
export const databaseMark = ({ databaseUrl }: Settings): string =>
  databaseUrl === undefined ? 'embedded' : createHash('sha256').update(databaseUrl).digest('base64url')

export interface FoundNote {
  dir: string
  note: ControlNote
}

/** Notes of servers that run on this data folder, or were killed. Throws FORBIDDEN to whom the folder does not belong. */
export function readNotes(dataDir: string): FoundNote[] {
  const parent = controlFolder(dataDir)
  return foldersIn(parent).flatMap((name) => {
    const dir = join(parent, name)
    const note = readNote(dir)
    return note ? [{ dir, note }] : []
  })
}

function foldersIn(parent: string): string[] {
  try {
    return readdirSync(parent).slice(0, mostNotes)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EACCES' || code === 'EPERM') throw notYours(parent)
    return []
  }
}

function readNote(dir: string): ControlNote | undefined {
  try {
    if (statSync(noteIn(dir)).size > longestNoteBytes) return undefined
    const note: unknown = JSON.parse(readFileSync(noteIn(dir), 'utf8'))
    if (!isNote(note)) return undefined
    const { pipe } = note as ControlNote
    return pipe && pipe.folder !== realpathSync(dir) ? undefined : (note as ControlNote)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EACCES' || code === 'EPERM') throw notYours(dir)
    return undefined
  }
}

const notYours = (dir: string): ApiError =>
  new ApiError('FORBIDDEN', `${dir} belongs to someone else. Run this as the user whom the data folder belongs to, or as root.`, {
    reason: 'not_owner',
  })
