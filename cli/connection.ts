/** Which server a command talks to, and with which key. Loads nothing that speaks HTTP. */
import { ClientError } from '../client/client-error.ts'
import { type Folders, findFolders } from '../client/folders.ts'
import type { Wire } from '../client/http/open-http.ts'
import { type Connection, type ConnectionChoice, findConnection } from '../client/sign-in/profile.ts'
import { readVersion } from '../client/version.ts'
import { shellWord } from '../system/shell-word.ts'
import type { Context } from './context.ts'

/** How `ph` names itself to servers. */
export const clientName = (): string => `ph/${readVersion()}`

export const foldersOf = ({ env }: Context): Folders => findFolders(env)

/**
 * What was asked for. A profile that is named outright brings its own address and key: what the environment says belongs to
 * some other server then, and its key must not travel there.
 */
export function connectionChoice({ globals, env }: Context): ConnectionChoice {
  const surrounding = globals.profile === undefined
  return {
    profile: globals.profile,
    url: globals.url ?? (surrounding ? env.PH_URL : undefined),
    key: surrounding ? env.PH_API_KEY : undefined,
  }
}

export type Signed = Connection & { key: string }

/** The workspace and the key for it. Throws ClientError `NO_SERVER`, `NO_KEY`, `NO_PROFILE`. */
export async function requireConnection(context: Context): Promise<Signed> {
  const connection = await findConnection(foldersOf(context), connectionChoice(context))
  const { url, key } = connection
  const next = `Sign in with \`ph login --url ${shellWord(url)}\`, or set PH_API_KEY.`
  if (!key) throw new ClientError('NO_KEY', `No key is known for ${url}.`, { next })
  return { ...connection, key }
}

/** A person sits before it. What runs in scripts, pipes and jobs leaves room for them. */
export const isAttended = ({ stdin, stderr }: Context): boolean => stdin.isTTY === true && stderr.isTTY === true

/** All that a push, a pull or a look at a project needs to reach the workspace. Throws what `requireConnection` throws. */
export async function requireWire(context: Context): Promise<Wire> {
  const { url, key } = await requireConnection(context)
  const { signal, pause } = context
  return { url, key, folders: foldersOf(context), leavesRoom: !isAttended(context), clientName: clientName(), pause, signal }
}
