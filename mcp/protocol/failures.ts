/** Failures as an assistant is told of them: of a tool in its answer, with what to do next; of all else as errors of the protocol. */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { ApiError, errors } from '../../contract/errors.ts'
import { visible } from '../tools/bounded.ts'
import type { Reached } from './assistant.ts'

/** An error that is no ApiError, with its own code. */
export class ToolRefusal extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

export function failureOf(reached: Reached, error: unknown) {
  const { code, message, next, details } = understood(error)
  const lines = [`${code}: ${message}`, ...(next ? [`Next: ${next}`] : []), ...reached.notices()]
  return {
    isError: true,
    content: lines.map((line) => ({ type: 'text' as const, text: visible(line) })),
    _meta: { ...reached.meta(), 'prop-house/error': visible({ code, message, details }) },
  }
}

/** Of what is no tool. What is not there is a wrong argument (protocol, "Resource Not Found"). */
export function protocolErrorOf(error: unknown): unknown {
  if (error instanceof ProtocolError) return error
  const { code, message } = understood(error)
  const isAskers = error instanceof ApiError && error.status < 500
  return new ProtocolError(
    isAskers ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError,
    visible(`${code}: ${message}`),
  )
}

export const wrongArgument = (message: string): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, visible(message))

/** Throws what is nobody's to know. */
function understood(error: unknown): { code: string; message: string; next?: string | undefined; details?: unknown } {
  if (error instanceof ApiError)
    return { code: error.code, message: error.message, next: errors[error.code][3], details: error.details }
  const { code, message, next } = error as { code?: unknown; message?: unknown; next?: unknown }
  const isSaid = typeof code === 'string' && /^[A-Z][A-Z_]+$/.test(code)
  if (isSaid) return { code, message: String(message), next: typeof next === 'string' ? next : undefined }
  throw error
}
