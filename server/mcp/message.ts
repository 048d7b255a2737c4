/** What comes to the hosted endpoint, before the protocol's package reads it: bounds, the number of calls in it, and what a client chose by headers. */
import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import { limits } from '../../contract/limits.ts'
import type { Selection } from '../../mcp/tools/selection.ts'
import { namesIn } from '../../mcp/tools/toolset-names.ts'
import { JsonScan } from '../../serving/bodies/scan.ts'
import { Refusal } from '../../serving/refusal.ts'
import type { Settings } from '../config.ts'
import { originOf } from '../front-door/origin.ts'

export interface Message {
  text: string
  /** Undefined where the text is no JSON: the package answers that. */
  json: unknown
  /** How many calls of tools it holds. */
  calls: number
}

/** A body has to say how long it is, at most 1 MB, before any of it is read (spec 7). */
export const refuseLongBody: onRequestHookHandler = ({ method, headers }, _reply, done) => {
  if (method === 'POST') {
    const length = headers['content-length']
    if (length === undefined) throw new Refusal(413, 'The request has no Content-Length. Send one, of at most 1 MB.')
    if (Number(length) > limits.assistantBodyBytes) throw new Refusal(413, 'The request is longer than 1 MB. Send less at once.')
  }
  done()
}

/**
 * A browser's page of another site has nothing to ask here (protocol, "Security Warning" of the streamable HTTP transport). Nor has one of
 * this machine under a name that its own name server leads here: without PH_PUBLIC_URL the names of this machine itself are known.
 */
export const refuseOtherOrigin =
  (settings: Settings): onRequestHookHandler =>
  (request, _reply, done) => {
    const { origin } = request.headers
    if (origin !== undefined && (origin !== originOf(request, settings) || isRebound(request, settings)))
      throw new Refusal(403, 'Pages of other sites may not use this endpoint.')
    done()
  }

const thisMachine = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i

const isRebound = ({ headers: { host = '' }, socket: { localAddress = '' } }: FastifyRequest, settings: Settings): boolean =>
  settings.publicUrl === undefined &&
  settings.trustedProxies === 0 &&
  /^(::1|(::ffff:)?127\.)/.test(localAddress) &&
  !thisMachine.test(host)

/** As many messages as the protocol's package takes in one batch. */
const mostInBatch = 100

/** Throws Refusal for what nests too deep, and for a batch that is too long, before anything looks at its messages. */
export function readMessage(body: unknown): Message {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
  const scan = new JsonScan()
  scan.add(bytes)
  if (scan.fault) throw new Refusal(400, `The request ${scan.fault}.`)
  const text = bytes.toString()
  const json = parsed(text)
  if (Array.isArray(json) && json.length > mostInBatch)
    throw new Refusal(400, `The batch holds ${json.length} messages; at most ${mostInBatch} are taken. Send fewer at once.`)
  const messages = [json].flat()
  const calls = messages.filter((one) => (one as { method?: unknown } | null | undefined)?.method === 'tools/call').length
  return { text, json, calls }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The same words as other servers use: X-MCP-Toolsets, X-MCP-Tools, X-MCP-Exclude-Tools, X-MCP-Readonly. */
export function selectionOf({ headers }: FastifyRequest): Selection {
  const said = (name: string) => [headers[name]].flat().join(',')
  return {
    toolsets: namesIn(said('x-mcp-toolsets')),
    tools: namesIn(said('x-mcp-tools')),
    exclude: namesIn(said('x-mcp-exclude-tools')),
    readOnly: /^(true|1|yes)$/i.test(said('x-mcp-readonly').trim()),
  }
}
