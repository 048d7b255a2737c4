/** A data folder into which a backup is being restored: half of a library, which no server may take for a whole one. */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { type Static, Type } from 'typebox'
import { writeWhole } from '../../../system/whole-file.ts'
import { SettingError } from '../../config.ts'
import type { Manifest } from './manifest.ts'

const Restoring = Type.Object({
  /** The database says by it that this restore has brought its rows. */
  id: Type.String({ minLength: 1 }),
  /** The name of the backup. */
  backup: Type.String(),
  /** SHA-256 of its database: two folders may hold backups of one name. */
  database: Type.String(),
  /** The address of the bucket that its files go to. */
  bucket: Type.Union([Type.String(), Type.Null()]),
})
export type Restoring = Static<typeof Restoring>

const isRestoring = new Ajv().compile<Restoring>(Restoring)

const markIn = (dataDir: string): string => join(dataDir, 'restoring.json')

/** Undefined where nothing is being restored, and in a folder that this user may not look into: who opens that is refused. */
export function restoringIn(dataDir: string): Restoring | 'unknown' | undefined {
  try {
    const read: unknown = JSON.parse(readFileSync(markIn(dataDir), 'utf8'))
    return isRestoring(read) ? read : 'unknown'
  } catch {
    return existsSync(markIn(dataDir)) ? 'unknown' : undefined
  }
}

type Backup = { name: string; manifest: Manifest }

export const isOf = (restoring: Restoring | 'unknown' | undefined, { name, manifest }: Backup): restoring is Restoring =>
  typeof restoring === 'object' && restoring.backup === name && restoring.database === manifest.database.sha256

export const newRestoring = ({ name, manifest }: Backup, bucket: string | undefined): Restoring => ({
  id: randomBytes(16).toString('hex'),
  backup: name,
  database: manifest.database.sha256,
  bucket: bucket ?? null,
})

export const markRestoring = (dataDir: string, restoring: Restoring): Promise<void> =>
  writeWhole(markIn(dataDir), (file) => file.writeFile(JSON.stringify(restoring)), { mode: 0o600, folderMode: 0o700 })

export const endRestoring = (dataDir: string): void => rmSync(markIn(dataDir))

/** Throws SettingError. */
export function requireRestored(dataDir: string): void {
  if (restoringIn(dataDir) === undefined) return
  throw new SettingError(
    `A backup is being restored into ${dataDir}, or was and did not come to its end. Run the same \`ph server restore\` again.`,
  )
}
