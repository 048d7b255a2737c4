/** Failures of the agent as answers: what the server and the client's own parts say keeps its words. */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { ClientError } from '../../client/client-error.ts'
import { ApiError, type ErrorCode, exits } from '../../contract/errors.ts'
import { fromFastify, internal, sendJson } from '../../serving/failure-answers.ts'
import { Refusal } from '../../serving/refusal.ts'

export async function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  if (error instanceof Refusal || error instanceof ApiError) return sendJson(error, reply)
  if (error instanceof ClientError) return sendJson(fromClient(error), reply)
  return sendJson(fromFastify(error as FastifyError) ?? internal(error, request, 'agent'), reply)
}

/** By what its exit code says of it. */
const codes: Record<number, ErrorCode> = {
  [exits.usage]: 'VALIDATION',
  [exits.temporary]: 'UNAVAILABLE',
  [exits.signIn]: 'UNAVAILABLE',
  [exits.conflict]: 'CONFLICT',
}

const fromClient = ({ code, exit, message, next, details }: ClientError): ApiError =>
  new ApiError(codes[exit] ?? 'CONFLICT', message, { ...details, reason: code, next })
