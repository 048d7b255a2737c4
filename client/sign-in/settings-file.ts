/** Files of settings, which only their owner may read: JSON, never half written. */

import { writeWhole } from '../../system/whole-file.ts'
import { ClientError, systemCode } from '../client-error.ts'

/** Replaces the file. Throws ClientError `SETTINGS_UNUSABLE` when its folder does not take it; then nothing has changed. */
export async function writeSettings(path: string, value: object): Promise<void> {
  try {
    const text = `${JSON.stringify(value, null, 2)}\n`
    await writeWhole(path, (file) => file.writeFile(text), { mode: 0o600, folderMode: 0o700 })
  } catch (cause) {
    const code = systemCode(cause)
    if (code === undefined) throw cause
    throw new ClientError('SETTINGS_UNUSABLE', `${path} cannot be written: ${reasons[code] ?? code}.`, { cause })
  }
}

const reasons: Record<string, string> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'your quota on the disk is used up',
  EROFS: 'the disk is read-only',
  EACCES: 'it is not allowed',
  EPERM: 'it is not allowed',
}
