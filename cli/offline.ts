/** A workspace as its mirror on this machine knows it: what commands that only look are answered when the server is away, or by choice. */

import { readFile } from 'node:fs/promises'
import { ClientError } from '../client/client-error.ts'
import { findConnection } from '../client/sign-in/profile.ts'
import { flag } from './command.ts'
import { connectionChoice, foldersOf } from './connection.ts'
import type { Context } from './context.ts'
import { type Library, withLibrary } from './library.ts'
import { age } from './terminal/amounts.ts'
import { shown } from './terminal/output.ts'

export const offlineOption = flag('--offline', 'answer from the mirror on this machine, without the server (`ph mirror`)')

interface Offline {
  offline: boolean
  /** What of this command a mirror cannot answer, as a sentence. */
  leftOut?: string | undefined
}

/** Does `work` with the server; or with the mirror where that was asked for, or where the server is not reached and there is a mirror. */
export async function withLibraryOrMirror<T>(
  context: Context,
  { offline, leftOut }: Offline,
  work: (library: Library) => Promise<T>,
): Promise<T> {
  if (offline) return withMirror(context, { leftOut, why: '' }, work)
  let library: Library | undefined
  try {
    return await withLibrary(context, (opened) => {
      library = opened
      return work(opened)
    })
  } catch (error) {
    const isAway = error instanceof ClientError && error.code === 'UNREACHABLE' && library?.http.wasAnswered === false
    if (!isAway || !(await isMirrored(context))) throw error
    return withMirror(context, { leftOut, why: `${error.message} ` }, work)
  }
}

async function isMirrored(context: Context): Promise<boolean> {
  const { hasMirror } = await import('../client/mirror/mirror.ts')
  const { url } = await findConnection(foldersOf(context), connectionChoice(context))
  return hasMirror(foldersOf(context), url)
}

async function withMirror<T>(
  context: Context,
  { leftOut, why }: { leftOut: string | undefined; why: string },
  work: (library: Library) => Promise<T>,
): Promise<T> {
  const connection = await findConnection(foldersOf(context), connectionChoice(context))
  const [{ openMirror }, { Thumbnails }, { offlineApi }, { Http }] = await Promise.all([
    import('../client/mirror/mirror.ts'),
    import('../client/mirror/thumbnails.ts'),
    import('../client/mirror/offline-api.ts'),
    import('../client/http/http.ts'),
  ])
  const mirror = openMirror(foldersOf(context), connection.url)
  const http = new Http({ url: connection.url })
  try {
    void mirror.loaded
    const asOf = new Date(mirror.syncedAt ?? 0)
    // On stderr with --json too: what is old must not pass for new.
    context.stderr.write(
      shown(`${why}Offline, as of ${age(asOf.toISOString(), context.now())}.${leftOut ? ` ${leftOut}` : ''}\n`),
    )
    const api = offlineApi(mirror, () => context.now().getTime())
    const thumbnails = new Thumbnails(mirror, foldersOf(context))
    const keptThumbnail = async (entryId: number) => {
      const file = await thumbnails.of(entryId)
      return file === undefined ? undefined : readFile(file)
    }
    return await work({ api, http, connection: { ...connection, key: connection.key ?? '' }, isOffline: true, keptThumbnail })
  } finally {
    mirror.close()
    await http.close('destroy')
  }
}
