/** The control socket of a server: a local socket in a folder of its own for each process. */
import { resolve } from 'node:path'
import { type LocalApi, type LocalSocket, newToken, openLocalSocket } from '../../serving/local-socket.ts'
import { ProcessFolder } from '../../system/process-folder.ts'
import type { Presence } from './control-client.ts'

export interface Controlled extends LocalApi {
  /** Each process makes a folder for its socket below this one. */
  parent: string
  about: Omit<Presence, 'pid' | 'host'> & Record<string, unknown>
  /** What comes of it where no socket can be had. */
  unreachable: string
}

/** Opens the socket. Where none can be had the program goes on without, and its log says so. */
export async function openControlSocket(controlled: Controlled): Promise<LocalSocket> {
  const parent = resolve(controlled.parent)
  try {
    return await openIn(new ProcessFolder(parent), controlled)
  } catch (error) {
    controlled.log.error({ err: error }, `${controlled.unreachable}: ${parent} takes no socket.`)
    return { close: async () => {} }
  }
}

async function openIn(folder: ProcessFolder, controlled: Controlled): Promise<LocalSocket> {
  try {
    const socket = await openLocalSocket(folder.dir, newToken(), controlled)
    const close = async () => {
      await socket.close()
      folder.close()
    }
    return { close }
  } catch (error) {
    folder.close()
    throw error
  }
}
