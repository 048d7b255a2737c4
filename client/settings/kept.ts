/** The two files of what a person chose once, in the folder for settings: read at every start, so without anything that loads slowly. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ClientError, systemCode } from '../client-error.ts'
import type { Folders } from '../folders.ts'

/** Texts by name. What a newer `ph` put there stays as it is, whatever it is. */
export type Kept = Record<string, unknown>

export const settingsFile = ({ config }: Pick<Folders, 'config'>): string => join(config, 'settings.json')

export const aliasesFile = ({ config }: Pick<Folders, 'config'>): string => join(config, 'aliases.json')

/** Longer files were not written by `ph`. */
const mostBytes = 1024 * 1024

/** Nothing where there is no file. Throws ClientError `SETTINGS_DAMAGED` for what is no JSON object. */
export function readKept(path: string): Kept {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const code = systemCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return {}
    throw error
  }
  const kept = text.length > mostBytes ? undefined : parsed(text)
  if (typeof kept === 'object' && kept !== null && !Array.isArray(kept)) return Object.assign(Object.create(null), kept)
  throw new ClientError('SETTINGS_DAMAGED', `${path} is not the JSON object it should be.`, {
    next: 'Fix or remove the file, then run the command again.',
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''))
  } catch {
    return undefined
  }
}
