/** A data folder into which a backup is being restored: half of a library, which no server may take for a whole one. */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeWhole } from '../../../system/whole-file.ts'
import { SettingError } from '../../config.ts'

const markIn = (dataDir: string): string => join(dataDir, 'restoring.json')

/** The name of the backup; undefined where none is being restored. */
export function restoringIn(dataDir: string): string | undefined {
  try {
    return String(JSON.parse(readFileSync(markIn(dataDir), 'utf8')).backup)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    return 'unknown'
  }
}

export const markRestoring = (dataDir: string, backup: string): Promise<void> =>
  writeWhole(markIn(dataDir), (file) => file.writeFile(JSON.stringify({ backup })), { mode: 0o600, folderMode: 0o700 })

export const endRestoring = (dataDir: string): void => rmSync(markIn(dataDir))

/** Throws SettingError. */
export function requireRestored(dataDir: string): void {
  if (restoringIn(dataDir) === undefined) return
  throw new SettingError(
    `A backup is being restored into ${dataDir}, or was and did not come to its end. Run the same \`ph server restore\` again.`,
  )
}
