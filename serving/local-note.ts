/** What a running program writes down for people at this machine: who it is, and how to speak to it. Who may read it may ask it anything. */
import { readFileSync, realpathSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv, type ValidateFunction } from 'ajv'
import { type Static, Type } from 'typebox'
import { ApiError } from '../contract/errors.ts'

const Text = Type.String({ minLength: 1, maxLength: 4000 })

export const LocalNote = Type.Object({
  pid: Type.Integer(),
  /** The machine, or the container: a process id means nothing elsewhere. */
  host: Text,
  /** Where it listens on the network, or on the loopback interface. */
  url: Text,
  started_at: Text,
  token: Text,
  /** On Windows: the pipe, and the folder that it was made for, as a copy of that folder has the note too. */
  pipe: Type.Optional(Type.Object({ name: Text, folder: Text })),
})
export type LocalNote = Static<typeof LocalNote>

let check: ValidateFunction<LocalNote> | undefined

/** Made when there is a note: compiling it takes longer than most commands have. */
function isNote(value: unknown): value is LocalNote {
  check ??= new Ajv().compile<LocalNote>(LocalNote)
  return check(value)
}

const noteIn = (dir: string): string => join(dir, 'note.json')

const longestNoteBytes = 16 * 1024

/** A note, and the folder that it lies in, beside the socket. */
export interface FoundNote {
  dir: string
  note: LocalNote
}

/** Readers find a whole note or none. */
export function writeNote(dir: string, note: LocalNote): void {
  writeFileSync(`${noteIn(dir)}.new`, JSON.stringify(note), { mode: 0o600 })
  renameSync(`${noteIn(dir)}.new`, noteIn(dir))
}

/** Undefined where there is none, or none that was written here. Throws FORBIDDEN to whom the folder does not belong. */
export function readNote(dir: string): FoundNote | undefined {
  try {
    if (statSync(noteIn(dir)).size > longestNoteBytes) return undefined
    const note: unknown = JSON.parse(readFileSync(noteIn(dir), 'utf8'))
    if (!isNote(note)) return undefined
    const { pipe } = note
    return pipe && pipe.folder !== realpathSync(dir) ? undefined : { dir, note }
  } catch (error) {
    if (isForbidden(error)) throw notYours(dir)
    return undefined
  }
}

export function isForbidden(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'EACCES' || code === 'EPERM'
}

export const notYours = (dir: string): ApiError =>
  new ApiError('FORBIDDEN', `${dir} belongs to someone else. Run this as the user whom it belongs to, or as root.`, {
    reason: 'not_owner',
  })
