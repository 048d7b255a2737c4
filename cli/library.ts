/** A workspace on a server as typed calls, for the time of one command. */
import type { ReferenceCalls } from '../client/entries/reference.ts'
import type { Api } from '../client/http/api.ts'
import type { Http } from '../client/http/http.ts'
import type { Journal, NewChange } from '../client/undo/journal.ts'
import { clientName, foldersOf, isAttended, requireConnection, type Signed } from './connection.ts'
import type { Context } from './context.ts'
import { tellWaits } from './terminal/waits.ts'

export interface Library {
  /** Remembers what its calls change, for `ph undo`. Names mean props of the project that a command runs in before others. */
  api: Api & Pick<ReferenceCalls, 'project'>
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
  const [folders, leavesRoom] = [foldersOf(context), !isAttended(context)]
  const http = new Http({ url, key, folders, leavesRoom, clientName: clientName(), signal, pause, onWait: tellWaits(context) })
  const recording = new Recording(createApi(http))
  try {
    return await work({ api: { ...recording.api, project: () => projectOf(context) }, http, connection })
  } finally {
    if (recording.change) await keepChange(context, recording.change, connection)
    await http.close('destroy')
  }
}

/** The name of the project that a command runs in. */
async function projectOf({ cwd }: Context): Promise<string | undefined> {
  const [{ findProjectName, locate }, { placeInProject }] = await Promise.all([
    import('../client/project/unreal-project.ts'),
    import('../client/project/paths.ts'),
  ])
  return findProjectName(locate(placeInProject(cwd)).root)
}

/** Of the person who signed in, also with other keys later; of a key that was handed over, by that key. */
export const journalOf = async (context: Context, { url, key, keySource, profile }: Signed): Promise<Journal> => {
  const { Journal } = await import('../client/undo/journal.ts')
  const whose = keySource !== 'environment' && profile ? `user ${profile.user.id}` : `key ${key}`
  return new Journal(foldersOf(context), { url, whose })
}

async function keepChange(context: Context, change: Omit<NewChange, 'at'>, connection: Signed): Promise<void> {
  if ((await rememberChange(context, change, connection)) && change.calls.length > 0) tellUndo(context)
}

/** Says whether it is remembered. A list that cannot be written is told, and never fails what has changed the library. */
export async function rememberChange(context: Context, change: Omit<NewChange, 'at'>, connection: Signed): Promise<boolean> {
  const journal = await journalOf(context, connection)
  try {
    await journal.add({ ...change, at: context.now().toISOString() })
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
