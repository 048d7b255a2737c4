/** The other end of a server's control socket: finds the servers that run on a data folder, and asks one of them what an operator may ask. */
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { addressOf } from '../../contract/address.ts'
import { ApiError, type ErrorCode, errors } from '../../contract/errors.ts'
import { operatorHeader } from '../../contract/operator.ts'
import { requestParts } from '../../contract/request-parts.ts'
import { atShortPath } from '../../system/socket-path.ts'
import { type ControlNote, type FoundNote, readNotes } from './control-note.ts'
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

/** A server that lives answers this at once, unless its disk or its machine is in trouble. */
const greetingMs = 3000
/** A provisioning file may hold thousands of passwords. */
export const answerMs = 10 * 60_000
const longestAnswerBytes = 256 * 1024 * 1024

/** The servers that answer, and the notes of those that do not: killed ones, and ones that hang. */
export async function findServers(dataDir: string): Promise<{ servers: FoundServer[]; silent: FoundNote[] }> {
  const greeted = await Promise.all(readNotes(dataDir).map(async (found) => ({ found, presence: await greet(found) })))
  return {
    servers: greeted.flatMap(({ found, presence }) => (presence ? [{ ...found, presence }] : [])),
    silent: greeted.flatMap(({ found, presence }) => (presence ? [] : [found])),
  }
}

async function greet(found: FoundNote): Promise<Presence | undefined> {
  try {
    return (await ask(found, { method: 'GET', path: '/', signal: AbortSignal.timeout(greetingMs) })) as Presence
  } catch (error) {
    if (error instanceof ApiError && error.code === 'FORBIDDEN') throw error
    return undefined
  }
}

/** The operator's routes, answered by a running server; `by` is who asks. Throws as `ask` does. */
export const operatorApiOf = (found: FoundNote, { by, signal }: { by: string; signal: () => AbortSignal }): OperatorApi =>
  operatorApi((route, input) => {
    const { path, query, json } = requestParts(addressOf(route), input)
    const address = query.size > 0 ? `${path}?${query}` : path
    return ask(found, { method: route.method, path: address, json, by, signal: signal() })
  })

interface Question {
  method: string
  path: string
  json?: unknown
  by?: string
  signal: AbortSignal
}

/** The JSON of the answer. Throws the ApiError that the server answers, or UNAVAILABLE when it breaks off. */
async function ask({ dir, note }: FoundNote, { method, path, json, by = '', signal }: Question): Promise<unknown> {
  const socket = await reach(dir, note, signal)
  try {
    const sent = request({
      createConnection: () => socket,
      method,
      path,
      headers: {
        host: 'control',
        authorization: `Bearer ${note.token}`,
        'content-type': 'application/json',
        [operatorHeader]: encodeURIComponent(by.toWellFormed()),
      },
      signal,
    })
    // What goes wrong later is told by the answer.
    sent.on('error', () => {}).end(json === undefined ? undefined : JSON.stringify(json))
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    return read(response.statusCode ?? 0, await textOf(response))
  } catch (error) {
    if (error instanceof ApiError || signal.aborted) throw error
    throw new ApiError(
      'UNAVAILABLE',
      `The server (process ${note.pid}) broke off: ${error instanceof Error ? error.message : error}.`,
    )
  } finally {
    socket.destroy()
  }
}

const reach = (dir: string, { pipe }: ControlNote, signal: AbortSignal): Promise<Socket> =>
  pipe ? connected(pipe.name, signal) : atShortPath(dir, (path) => connected(path, signal))

async function connected(path: string, signal: AbortSignal): Promise<Socket> {
  const socket = connect(path).on('error', () => {})
  try {
    await once(socket, 'connect', { signal })
    return socket
  } catch (error) {
    socket.destroy()
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EACCES' || code === 'EPERM')
      throw new ApiError('FORBIDDEN', `The socket of the server (${path}) belongs to someone else.`, { reason: 'not_owner' })
    throw error
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    size += chunk.length
    if (size > longestAnswerBytes) throw new Error('its answer is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function read(status: number, text: string): unknown {
  const answer: unknown = text === '' ? undefined : JSON.parse(text)
  if (status < 400) return answer
  const { error } = (answer ?? {}) as { error?: Envelope | string }
  // A server that was started anew has another token.
  if (typeof error === 'string') throw new ApiError('UNAVAILABLE', error)
  const { code = 'INTERNAL', message, details } = error ?? {}
  throw new ApiError(code in errors ? (code as ErrorCode) : 'INTERNAL', message, details)
}

interface Envelope {
  code?: string
  message?: string
  details?: Record<string, unknown>
}
