/** The other end of a server's control socket: finds the servers that run on a data folder, and asks one of them what an operator may ask. */
import { addressOf } from '../../contract/address.ts'
import { operator, operatorHeader } from '../../contract/operator.ts'
import { requestParts } from '../../contract/request-parts.ts'
import type { Route } from '../../contract/route.ts'
import { askLocal, greet } from '../../serving/local-client.ts'
import type { FoundNote } from '../../serving/local-note.ts'
import { readNotes } from './control-note.ts'
import { type OperatorApi, operatorApi } from './operator-api.ts'

/** What a server says of itself. */
export interface Presence {
  pid: number
  host: string
  url: string
  started_at: string
  /** The same for all processes on one database. */
  database_mark: string
}

export interface FoundServer extends FoundNote {
  presence: Presence
}

/** A provisioning file may hold thousands of passwords. */
const answerMs = 10 * 60_000
/** A backup begins when the whole database is written down. Within a day: what it names nobody removes sooner. */
const dumpMs = 12 * 3_600_000

/** How long a server may take to answer. */
export const patienceFor = (route: Route): number => (route === operator.backup.begin ? dumpMs : answerMs)

/** The servers that answer, and the notes of those that do not: killed ones, and ones that hang. */
export async function findServers(dataDir: string): Promise<{ servers: FoundServer[]; silent: FoundNote[] }> {
  const greeted = await Promise.all(
    readNotes(dataDir).map(async (found) => ({ found, presence: (await greet(found, 'server')) as Presence | undefined })),
  )
  return {
    servers: greeted.flatMap(({ found, presence }) => (presence ? [{ ...found, presence }] : [])),
    silent: greeted.flatMap(({ found, presence }) => (presence ? [] : [found])),
  }
}

/** The operator's routes, answered by a running server; `by` is who asks. Throws as `askLocal` does. */
export const operatorApiOf = (
  found: FoundNote,
  { by, signal }: { by: string; signal: (route: Route) => AbortSignal },
): OperatorApi =>
  operatorApi((route, input) => {
    const { path, query, json } = requestParts(addressOf(route), input)
    const address = query.size > 0 ? `${path}?${query}` : path
    const headers = { [operatorHeader]: encodeURIComponent(by.toWellFormed()) }
    return askLocal(found, { method: route.method, path: address, json, headers, signal: signal(route), program: 'server' })
  })
