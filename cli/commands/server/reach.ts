/** How administrative commands reach the server they are about, and what they say when they cannot. */

import { ApiError, errors, exits } from '../../../contract/errors.ts'
import type { Administration, Reaching } from '../../../server/administration/open.ts'
import { shellWord } from '../../../system/shell-word.ts'
import { text } from '../../command.ts'
import type { Context } from '../../context.ts'
import { Refusal, wrongUsage } from '../../refusal.ts'

/** Which server, and which of its workspaces. */
export const serverOptions = {
  data: text('--data <folder>', 'data folder of the server (PH_DATA; ./ph-data without either)'),
} as const
export const workspaceOptions = {
  ...serverOptions,
  workspace: text('--workspace <slug>', 'which workspace, where the server has several'),
} as const

/** Which server and workspace a command is for, by its options. */
export interface ServerChoice {
  data: string | undefined
  workspace?: string | undefined
}

export interface AdministerOptions extends ServerChoice {
  ifNone?: Reaching['ifNone']
}

/** Does `work` with the server that runs, or with its database while none runs. */
export async function administer<T>(
  context: Context,
  { data, workspace, ifNone = 'refuse' }: AdministerOptions,
  work: (api: Administration['api']) => Promise<T>,
): Promise<T> {
  const [settings, { openAdministration }] = await Promise.all([
    serverSettings(context, data),
    import('../../../server/administration/open.ts'),
  ])
  const reaching = { settings, ifNone, tell: context.out.note, signal: context.signal }
  try {
    const administration = await openAdministration(reaching)
    try {
      return await work(administration.api)
    } finally {
      await administration.close()
    }
  } catch (error) {
    throw await explained(error, { data, workspace })
  }
}

/** What the server says, in words for who administers it. */
export const explained = (error: unknown, choice: ServerChoice): Promise<unknown> => asWrongSetting(inWords(error, choice))

export async function serverSettings({ env, cwd }: Context, data: string | undefined): Promise<Reaching['settings']> {
  const { readSettings } = await import('../../../server/config.ts')
  try {
    return readSettings(data === undefined ? {} : { data }, env, cwd)
  } catch (error) {
    throw await asWrongSetting(error)
  }
}

async function asWrongSetting(error: unknown): Promise<unknown> {
  const { SettingError } = await import('../../../server/config.ts')
  return error instanceof SettingError ? wrongUsage(error.message, 'Every setting is in `ph help server start`.') : error
}

/** Undefined values left out: the schemas know absence only. */
export const given = <T extends object>(input: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as never

/** What helps an administrator is not what helps someone with a key. */
const next: Partial<Record<string, string>> = {
  USER_NOT_FOUND: 'List them with `ph server user list`.',
  TOKEN_NOT_FOUND: 'List them with `ph server key list`.',
  CONFLICT: 'See what is there with `ph server user list` and `ph server key list`.',
  NOT_FOUND: '`ph server doctor` says what is there.',
  UNAVAILABLE: '`ph server doctor` says what is wrong; then try again.',
  INTERNAL: 'The log of the server says why.',
  not_owner: 'Run it as the user whom the data folder belongs to: `sudo -u <user> ph server …`.',
  no_storage: 'Mount the disk, or name the data folder with --data; `ph server doctor` says what is there.',
  not_backups: 'Name an empty folder, or one that this library was backed up to before.',
  backup_under_way: 'Wait until it is done, then try again.',
  no_backup: 'Name the folder that was given to `ph server backup`.',
  newer_backup: 'Update this program, then try again.',
  damaged_backup: 'Restore an earlier backup of the folder: `ph server restore <folder> --backup <name>`.',
  not_empty:
    'Name a data folder that is not there yet with --data, with PH_DATABASE_URL an empty database, with PH_STORAGE_URL an empty folder of a bucket; then start the server on them.',
  workspace: 'Name it: `--workspace <slug>`.',
}

function inWords(error: unknown, choice: ServerChoice): unknown {
  if (error instanceof Refusal) {
    const { code, exit, message, details } = error
    return new Refusal({ code, exit, message, details, next: withServerOptions(error.next, choice) })
  }
  if (!(error instanceof ApiError)) return error
  const { code, message, details } = error
  const [where] = Array.isArray(details.errors) ? details.errors : []
  const why = String(details.reason ?? where?.path)
  const helps = next[why] ?? next[code] ?? errors[code][3]
  return new Refusal({ code, exit: exitOf(error), message, details, next: withServerOptions(helps, choice) })
}

/** A sentence whose commands reach the same server and workspace, so that they work as they stand. */
export const withServerOptions = (sentence: string, { data, workspace }: ServerChoice): string =>
  sentence.replaceAll(/`(ph server (user|key|doctor) ?[^`]*)`/g, (_, command: string, noun: string) => {
    const to = workspace === undefined || noun === 'doctor' ? [] : ['--workspace', shellWord(workspace)]
    const at = data === undefined ? [] : ['--data', shellWord(data)]
    return `\`${[command, ...to, ...at].join(' ')}\``
  })

const exitOf = ({ code }: ApiError): number => (code === 'FORBIDDEN' ? exits.failed : errors[code][1])
