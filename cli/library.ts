/** The way from a command to a server: which one, with which key, and typed calls to it. */
import { type Api, createApi } from '../client/api.ts'
import { ClientError } from '../client/client-error.ts'
import { type Folders, findFolders } from '../client/folders.ts'
import { Http, type WaitEvent } from '../client/http.ts'
import { type Connection, findConnection, type Wanted } from '../client/profile.ts'
import { readVersion } from '../client/version.ts'
import { duration } from './amounts.ts'
import type { Context } from './context.ts'

/** A workspace on a server that this run may talk to. */
export interface Library {
  api: Api
  http: Http
  connection: Connection & { key: string }
}

export const clientName = (): string => `ph/${readVersion()}`

export const foldersOf = ({ env }: Context): Folders => findFolders(env)

/**
 * What was asked for. A profile that is named outright brings its own address and key: what the environment says belongs to
 * some other server then, and its key must not travel there.
 */
export function wantedOf({ globals, env }: Context): Wanted {
  const surrounding = globals.profile === undefined
  return {
    profile: globals.profile,
    url: globals.url ?? (surrounding ? env.PH_URL : undefined),
    key: surrounding ? env.PH_API_KEY : undefined,
  }
}

/** Does `work` with a connection, and closes it afterwards. Throws ClientError `NO_SERVER`, `NO_KEY`, `NO_PROFILE`. */
export async function withLibrary<T>(context: Context, work: (library: Library) => Promise<T>): Promise<T> {
  const connection = await findConnection(foldersOf(context), wantedOf(context))
  const { url, key } = connection
  if (!key) throw new ClientError('NO_KEY', `No key is known for ${url}.`)
  const http = new Http({ url, key, clientName: clientName(), signal: context.signal, onWait: tellWaits(context) })
  try {
    return await work({ api: createApi(http), http, connection: { ...connection, key } })
  } finally {
    await http.close('destroy')
  }
}

/** Only waits that a person would notice are worth a line. */
const noticeableMs = 1500

export const tellWaits =
  ({ out }: Context) =>
  ({ reason, delayMs }: WaitEvent): void => {
    if (delayMs >= noticeableMs) out.note(`Waiting ${duration(delayMs)}: ${reason}`)
  }
