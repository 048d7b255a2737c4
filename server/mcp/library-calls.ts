/** Calls of the library by tools of the hosted endpoint: the routes themselves, asked inside this process, with all that they check. */
import type { FastifyInstance, FastifyRequest, LightMyRequestResponse } from 'fastify'
import type { Address } from '../../contract/address.ts'
import { addresses } from '../../contract/addresses.ts'
import { ApiError, type ErrorCode } from '../../contract/errors.ts'
import { apiBase } from '../../contract/index.ts'
import { requestParts } from '../../contract/request-parts.ts'
import type { Ask, Fields } from '../../mcp/tools/tool.ts'
import { within } from '../front-door/within.ts'
import type { Holder } from '../principal.ts'

export function libraryCalls(app: FastifyInstance, request: FastifyRequest, holder: Holder): Ask {
  const ask = async (noun: string, verb: string, input: Fields = {}): Promise<unknown> => {
    const address = (addresses as Record<string, Record<string, Address>>)[noun]?.[verb]
    if (!address) throw new ApiError('NOT_FOUND', `There is no call ${noun}.${verb}.`)
    return answerIn(await within.run(holder, () => app.inject(injected(address, input, request))))
  }
  return ask as Ask
}

function injected(address: Address, { bytes, contentType, ...input }: Fields, request: FastifyRequest) {
  const { path, query, json } = requestParts(address, input)
  const { host, authorization, 'x-ph-client': client, 'user-agent': agent } = request.headers
  const search = query.size > 0 ? `?${query}` : ''
  const type = bytes ? String(contentType ?? 'application/octet-stream') : 'application/json'
  const payload = bytes ? (bytes as Buffer) : json === undefined ? undefined : JSON.stringify(json)
  const headers = Object.entries({ host, authorization, 'x-ph-client': client, 'user-agent': agent }).filter(([, value]) => value)
  return {
    method: address.method,
    url: `${request.workspaceSlug === undefined ? '' : `/w/${request.workspaceSlug}`}${apiBase}${path}${search}`,
    remoteAddress: request.ip,
    headers: { ...Object.fromEntries(headers), ...(payload === undefined ? {} : { 'content-type': type }) },
    ...(payload === undefined ? {} : { payload }),
  }
}

/** The answer as the typed client would give it; a refusal as ApiError. */
function answerIn({ statusCode, headers, body }: LightMyRequestResponse): unknown {
  if (statusCode === 302) return { location: String(headers.location) }
  const answer = body === '' ? undefined : JSON.parse(body)
  if (statusCode < 400) return answer
  const { error } = answer as { error: string | { code: ErrorCode; message: string; details: Fields } }
  if (typeof error === 'string') throw new ApiError(statusCode === 403 ? 'FORBIDDEN' : 'UNAVAILABLE', error)
  throw new ApiError(error.code, error.message, error.details)
}
