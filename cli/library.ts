/** A workspace on a server as typed calls, for the time of one command. */
import type { Api } from '../client/http/api.ts'
import type { Http } from '../client/http/http.ts'
import { clientName, requireConnection, type Signed } from './connection.ts'
import type { Context } from './context.ts'
import { tellWaits } from './terminal/waits.ts'

export interface Library {
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
  const [{ createApi }, { Http }] = await Promise.all([import('../client/http/api.ts'), import('../client/http/http.ts')])
  const { url, key } = connection
  const { signal, pause } = context
  const http = new Http({ url, key, clientName: clientName(), signal, pause, onWait: tellWaits(context) })
  try {
    return await work({ api: createApi(http), http, connection })
  } finally {
    await http.close('destroy')
  }
}
