/** The other end of a local socket: asks the program that a note tells of. */
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { ApiError, type ErrorCode, errors } from '../contract/errors.ts'
import { atShortPath } from '../system/socket-path.ts'
import type { FoundNote } from './local-note.ts'

/** A program that lives answers this at once, unless its machine is very busy; one that does not live refuses at once. */
const greetingMs = 10_000
const longestAnswerBytes = 256 * 1024 * 1024

export interface LocalQuestion {
  method: string
  path: string
  json?: unknown
  headers?: Record<string, string>
  signal: AbortSignal
  /** How the program is called in messages: `server`, `agent`. */
  program: string
}

/** What the program says of itself; undefined where none answers. Throws FORBIDDEN where the socket belongs to someone else. */
export async function greet(found: FoundNote, program: string): Promise<unknown> {
  try {
    return await askLocal(found, { method: 'GET', path: '/', signal: AbortSignal.timeout(greetingMs), program })
  } catch (error) {
    if (error instanceof ApiError && error.code === 'FORBIDDEN') throw error
    return undefined
  }
}

/** The JSON of the answer. Throws the ApiError that the program answers, or UNAVAILABLE when it breaks off. */
export async function askLocal(found: FoundNote, question: LocalQuestion): Promise<unknown> {
  const { response, socket } = await openLocal(found, question)
  try {
    return read(response.statusCode ?? 0, await textOf(response))
  } catch (error) {
    throw asBroken(error, found, question)
  } finally {
    socket.destroy()
  }
}

/** The lines of an answer that goes on, until it ends or the signal does. Throws as `askLocal` does. */
export async function* followLocal(found: FoundNote, question: LocalQuestion): AsyncGenerator<string> {
  const { response, socket } = await openLocal(found, question)
  try {
    if ((response.statusCode ?? 0) >= 400) read(response.statusCode ?? 0, await textOf(response))
    let rest = ''
    for await (const chunk of response.setEncoding('utf8')) {
      const lines = `${rest}${chunk}`.split('\n')
      rest = lines.pop() ?? ''
      yield* lines
    }
  } catch (error) {
    throw asBroken(error, found, question)
  } finally {
    socket.destroy()
  }
}

async function openLocal(found: FoundNote, question: LocalQuestion): Promise<{ response: IncomingMessage; socket: Socket }> {
  const { method, path, json, headers, signal } = question
  const socket = await reach(found, question)
  try {
    const sent = request({
      createConnection: () => socket,
      method,
      path,
      headers: {
        host: 'localhost',
        authorization: `Bearer ${found.note.token}`,
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      signal,
    })
    // What goes wrong later is told by the answer.
    sent.on('error', () => {}).end(json === undefined ? undefined : JSON.stringify(json))
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    return { response, socket }
  } catch (error) {
    socket.destroy()
    throw asBroken(error, found, question)
  }
}

function asBroken(error: unknown, { note }: FoundNote, { program, signal }: LocalQuestion): unknown {
  if (error instanceof ApiError || signal.aborted) return error
  return new ApiError(
    'UNAVAILABLE',
    `The ${program} (process ${note.pid}) broke off: ${error instanceof Error ? error.message : error}.`,
  )
}

const reach = ({ dir, note: { pipe } }: FoundNote, question: LocalQuestion): Promise<Socket> =>
  pipe ? connected(pipe.name, question) : atShortPath(dir, (path) => connected(path, question))

async function connected(path: string, { signal, program }: LocalQuestion): Promise<Socket> {
  const socket = connect(path).on('error', () => {})
  try {
    await once(socket, 'connect', { signal })
    return socket
  } catch (error) {
    socket.destroy()
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EACCES' || code === 'EPERM')
      throw new ApiError('FORBIDDEN', `The socket of the ${program} (${path}) belongs to someone else.`, { reason: 'not_owner' })
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
  // A program that was started anew has another token.
  if (typeof error === 'string') throw new ApiError('UNAVAILABLE', error)
  const { code = 'INTERNAL', message, details } = error ?? {}
  throw new ApiError(code in errors ? (code as ErrorCode) : 'INTERNAL', message, details)
}

interface Envelope {
  code?: string
  message?: string
  details?: Record<string, unknown>
}
