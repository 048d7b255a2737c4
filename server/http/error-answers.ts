/** Here failures become answers: front-door bodies, envelopes, and INTERNAL for everything unforeseen (spec 7). */
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../contract/errors.ts'
import { fromFastify, internal, sendJson } from '../../serving/failure-answers.ts'
import { Refusal } from '../../serving/refusal.ts'
import { drainBody } from '../../serving/unread-body.ts'
import type { Settings } from '../config.ts'
import { PageFailure } from '../dashboard/page-failure.ts'
import { explainDatabase, retrySecondsOf } from '../database/failure.ts'
import { startingRetrySeconds } from '../front-door/states.ts'
import type { Connections } from './connections.ts'

type Failure = ApiError | Refusal | PageFailure

interface Surroundings {
  /** Named in the message of its errors. */
  database: { location: string }
  settings: Settings
}

export const errorAnswers =
  ({ database: { location }, settings }: Surroundings) =>
  async (thrown: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    drainBody(request.raw)
    const error = explainDatabase(thrown, location)
    const retrySeconds = error instanceof ApiError ? retrySecondsOf[String(error.details.reason)] : undefined
    if (retrySeconds !== undefined) reply.header('Retry-After', retrySeconds)
    // Before the front door has let someone in, its words are the front door's (spec 7).
    const isAtDoor = error !== thrown && error instanceof ApiError && retrySeconds !== undefined && !request.holder
    const failure = understood(isAtDoor ? new Refusal(503, error.message) : error, thrown, request)
    const waitSeconds = failure instanceof ApiError ? waitOf(failure) : undefined
    if (typeof waitSeconds === 'number') reply.header('Retry-After', String(waitSeconds))
    if (!isForBrowser(failure, request)) return sendJson(failure, reply)
    const { sendFailure } = await import('../dashboard/failures.ts')
    return sendFailure(failure, { request, settings }, reply)
  }

function waitOf({ code, details }: ApiError): unknown {
  if (details.reason === 'policy_unavailable') return startingRetrySeconds
  return details.retry_after_seconds ?? (code === 'DEVICE_SLOW_DOWN' ? details.interval : undefined)
}

/** What happens on a page is said on a page. Where there is none, or the front door refuses, it depends on what is asked for. */
function isForBrowser(failure: Failure, { routeOptions, is404, url, headers }: FastifyRequest): boolean {
  const isPage = routeOptions.config.isPage ?? false
  if (isPage && !(failure instanceof Refusal)) return true
  const isNowhere = is404 && !/^\/(api|mcp|storage)(\/|\?|$)/.test(url)
  return (isPage || isNowhere) && (headers.accept?.includes('text/html') ?? false)
}

/** The failure in words of ours; what is not foreseen, or not the client's fault, is written down. */
function understood(error: unknown, thrown: unknown, request: FastifyRequest): Failure {
  if (error instanceof PageFailure) return error
  if (error instanceof Refusal) {
    if (error !== thrown) request.log.warn({ err: thrown }, error.message)
    return error
  }
  const known = error instanceof ApiError ? error : (fromFastify(error as FastifyError) ?? internal(error, request, 'server'))
  const { code, message, details } = known
  const cause = thrown === error ? {} : { err: thrown }
  if (error === known && known.status >= 500) request.log.warn({ code, message, details, ...cause }, 'could not be served')
  return known
}

/** What Node could not read as HTTP never becomes a request; it is answered as the front door answers, behind what was asked before. */
export const answerUnreadable =
  (connections: Connections) =>
  (error: NodeJS.ErrnoException, socket: Socket): void => {
    const connection = connections.of(socket)
    if (error.code === 'ECONNRESET' || !socket.writable || !connection) return void socket.destroy(error)
    // Of a request that comes before its turn nothing more is read: it is not late.
    if (error.code === late && connection.isHeld) return
    const [status, message] = unreadable[String(error.code)] ?? [400, 'This is not a well-formed HTTP request.']
    const body = JSON.stringify({ error: message })
    const headers = ['X-PH-API: 1', 'Content-Type: application/json', `Content-Length: ${body.length}`, 'Connection: close']
    connection.endWith(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers.join('\r\n')}\r\n\r\n${body}`)
  }

const late = 'ERR_HTTP_REQUEST_TIMEOUT'

const unreadable: Record<string, [number, string]> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers of the request are too large. Send fewer or shorter ones.'],
  [late]: [408, 'The request took too long to arrive. Send it again.'],
}
