/** Failures that every application answers alike: what Fastify itself refuses, and what nobody foresaw. */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, validationError } from '../contract/errors.ts'
import { Refusal } from './refusal.ts'

export function sendJson(failure: ApiError | Refusal | { status: number }, reply: FastifyReply): FastifyReply {
  const json = reply.code(failure.status).type('application/json').serializer(JSON.stringify)
  if (failure instanceof Refusal) return json.headers(failure.headers).send({ error: failure.message })
  const { code, message, details } = failure as ApiError
  return json.send({ error: { code, message, details } })
}

/** What Fastify itself refuses before a handler runs. */
export function fromFastify(error: FastifyError): ApiError | undefined {
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return validationError([{ path: 'body', message: 'is larger than this address takes' }])
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return validationError([{ path: 'Content-Type', message: 'must be application/json here' }])
  if (typeof error.statusCode === 'number' && error.statusCode >= 400 && error.statusCode < 500)
    return validationError([{ path: 'body', message: error.message }])
  return undefined
}

/** `program`: inside of what it went wrong. */
export function internal(error: unknown, request: FastifyRequest, program: string): ApiError {
  request.log.error({ err: error }, 'unexpected failure')
  return new ApiError('INTERNAL', `Something went wrong inside the ${program}. The request id is ${request.id}.`, {
    request_id: request.id,
  })
}
