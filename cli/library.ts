/** A workspace on a server as typed calls, for the time of one command. */
import type { Api } from '../client/http/api.ts'
import type { Http } from '../client/http/http.ts'
import type { NewChange } from '../client/undo/journal.ts'
import type { Recording } from '../client/undo/recording.ts'
import { clientName, foldersOf, requireConnection, type Signed } from './connection.ts'
import type { Context } from './context.ts'
import { tellWaits } from './terminal/waits.ts'

export interface Library {
  /** Remembers what its calls change, for `ph undo`. */
  api: Api
  http: Http
  connection: Signed
  /** It is the mirror on this machine that answers. */
  isOffline?: boolean
  /** The thumbnail of an entry that is kept on this machine, where it is not asked of the server. */
  keptThumbnail?: (entryId: number) => Promise<Uint8Array | undefined>
}

/** Does `work` with a connection, and closes it afterwards. Throws ClientError `NO_SERVER`, `NO_KEY`, `NO_PROFILE`. */
export async function withLibrary<T>(context: Context, work: (library: Library) => Promise<T>): Promise<T> {
  const connection = await requireConnection(context)
  // What speaks HTTP is loaded by the one who needs it: help and wrong usage do not.
  const [{ createApi }, { Http }, { Recording }] = await Promise.all([
    import('../client/http/api.ts'),
    import('../client/http/http.ts'),
    import('../client/undo/recording.ts'),
  ])
  const { url, key } = connection
  const { signal, pause } = context
  const http = new Http({ url, key, clientName: clientName(), signal, pause, onWait: tellWaits(context) })
  const recording = new Recording(createApi(http), (api) => personOf(connection, api))
  try {
    return await work({ api: recording.api, http, connection })
  } finally {
    await keepChange(context, recording, url)
    await http.close('destroy')
  }
}

/** The id of who the key belongs to: as the sign-in said, or as the server says of a key that was handed over. */
export const personOf = async ({ keySource, profile }: Signed, api: Api): Promise<number> =>
  keySource !== 'environment' && profile ? profile.user.id : (await api.identity.me()).user.id

async function keepChange(context: Context, recording: Recording, url: string): Promise<void> {
  const { change, userId } = (await recording.changed()) ?? {}
  if (change && userId !== undefined && (await rememberChange(context, { change, url, userId })) && change.calls.length > 0)
    tellUndo(context)
}

/** Says whether it is remembered. A list that cannot be written is told, and never fails what has changed the library. */
export async function rememberChange(
  context: Context,
  { change, url, userId }: { change: Omit<NewChange, 'at'>; url: string; userId: number },
): Promise<boolean> {
  const { Journal } = await import('../client/undo/journal.ts')
  try {
    await new Journal(foldersOf(context), { url, userId }).add({ ...change, at: context.now().toISOString() })
    return true
  } catch (error) {
    if (isLookedAt(context)) context.out.note(`ph undo cannot take this back: ${(error as Error).message}`)
    return false
  }
}

/** Once after a change that can be taken back, to people. */
export function tellUndo(context: Context): void {
  if (isLookedAt(context)) context.out.note('Take back: ph undo')
}

const isLookedAt = ({ stderr }: Context): boolean => stderr.isTTY === true
