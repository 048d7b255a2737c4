/** What a backup says of itself, and of each of its files. It may come from anywhere: nothing of it is used before it was looked at. */
import { Ajv } from 'ajv'
import { type Static, Type } from 'typebox'
import { ApiError } from '../../../contract/errors.ts'

export const format = 1

/** The three kinds that there are, so that none leads out of the store, or lies below another. */
const Key = Type.String({
  pattern: '^[0-9]{1,15}/(blobs/[0-9a-f]{2}/[0-9a-f]{64}|(media|attachments)/[0-9]{1,12}/[0-9]{1,15})$',
})
const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' })
const Amount = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
/** It is shown. */
const Word = Type.String({ pattern: '^[A-Za-z0-9.:+_-]{1,100}$' })

const Part = Type.Object({ sha256: Sha256, bytes: Amount, lines: Amount })

export const Manifest = Type.Object({
  format: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  /** The same for all backups of one library. */
  library: Word,
  taken_at: Word,
  /** Of the program that took it. */
  version: Word,
  migration: Type.Integer({ minimum: 1, maximum: 999 }),
  database: Part,
  files: Part,
  /** All that it holds. */
  file_bytes: Amount,
  /** Keys of files that were damaged or missing when it was taken. */
  lacks: Type.Array(Key),
})
export type Manifest = Static<typeof Manifest>

/** One line of the list. */
const BackedUpFile = Type.Object({ key: Key, size: Amount, sha256: Sha256, madeAt: Type.String({ maxLength: 100 }) })
export type BackedUpFile = Static<typeof BackedUpFile>

const ajv = new Ajv()
export const isManifest = ajv.compile<Manifest>(Manifest)
const isBackedUpFile = ajv.compile<BackedUpFile>(BackedUpFile)

export const damagedBackup = (message: string): ApiError => new ApiError('CONFLICT', message, { reason: 'damaged_backup' })

/** Throws CONFLICT for a line that no backup writes. `path` and `number`: where it stands. */
export function readFileLine(line: string, { path, number }: { path: string; number: number }): BackedUpFile {
  const read = parsed(line)
  // The bytes of a version are named by their hash.
  if (isBackedUpFile(read) && (!read.key.includes('/blobs/') || read.key.endsWith(`/${read.sha256}`))) return read
  throw damagedBackup(`${path} has a line that is none, line ${number}: ${JSON.stringify(line.slice(0, 200))}.`)
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
