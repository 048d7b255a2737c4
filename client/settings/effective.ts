/** What holds of settings: a variable of the environment goes before the file, the file before what is usual. */
import { systemCode } from '../client-error.ts'
import { type Kept, readKept } from './kept.ts'
import { type Setting, settings } from './known.ts'

type Environment = Readonly<Record<string, string | undefined>>

export type Source = 'environment' | 'config' | 'default'

export interface Effective {
  value: string | null
  source: Source
}

/** A value of the file that its setting does not take, as someone wrote it there by hand. */
export interface Misfit {
  setting: Setting
  given: unknown
}

export interface Applied {
  /** With the variables of what the file sets and the environment does not. */
  env: Record<string, string | undefined>
  /** The names of those variables. */
  fromFile: ReadonlySet<string>
  misfits: readonly Misfit[]
}

/** An empty variable sets nothing. */
const isSet = (text: string | undefined): text is string => text !== undefined && text !== ''

const valueIn = (kept: Kept, { name, read }: Setting): string | undefined => {
  const given = kept[name]
  return typeof given === 'string' ? read(given) : undefined
}

export function effective(setting: Setting, kept: Kept, env: Environment): Effective {
  const variable = env[setting.variable]
  if (isSet(variable)) return { value: setting.fromVariable(variable), source: 'environment' }
  const value = valueIn(kept, setting)
  return value === undefined ? { value: setting.usual, source: 'default' } : { value, source: 'config' }
}

/** What this person may not open is someone else's: it sets nothing. */
function readOwn(path: string): Kept {
  try {
    return readKept(path)
  } catch (error) {
    if (systemCode(error) === 'EACCES') return {}
    throw error
  }
}

/** Everything that reads a variable reads the file by that. Throws ClientError `SETTINGS_DAMAGED`. */
export function applySettings(path: string, env: Environment): Applied {
  const kept = readOwn(path)
  const [applied, fromFile, misfits] = [{ ...env }, new Set<string>(), [] as Misfit[]]
  for (const setting of settings) {
    const given = kept[setting.name]
    if (given === undefined) continue
    const value = valueIn(kept, setting)
    if (value === undefined) misfits.push({ setting, given })
    const variable = value === undefined ? undefined : setting.asVariable(value)
    if (variable === undefined || isSet(env[setting.variable])) continue
    applied[setting.variable] = variable
    fromFile.add(setting.variable)
  }
  return { env: applied, fromFile, misfits }
}
