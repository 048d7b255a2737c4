/** Messages of assistants, answered by the official package of the protocol. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { Readable } from 'node:stream'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { apiMajor } from '../../contract/index.ts'
import type { Assistant } from '../../mcp/protocol/assistant.ts'
import { assistantServer } from '../../mcp/protocol/assistant-server.ts'
import { own, type Said } from '../../mcp/tools/said.ts'
import { unknownIn } from '../../mcp/tools/selection.ts'
import type { Tool } from '../../mcp/tools/tool.ts'
import { Refusal } from '../../serving/refusal.ts'
import { originOf } from '../front-door/origin.ts'
import { type Holder, ownerOfKey } from '../principal.ts'
import type { Services } from '../services.ts'
import { type Taken, takeCalls } from './allowance.ts'
import { CountedCalls, isServedBatch } from './counted-calls.ts'
import { libraryCalls } from './library-calls.ts'
import { type Message, readMessage, selectionOf } from './message.ts'
import { offerTools } from './offered.ts'
import { spendPlanIn } from './plans.ts'
import { thumbnailsOf } from './thumbnails.ts'

/** What all messages of an endpoint share. */
interface Endpoint {
  app: FastifyInstance
  services: Services
  secret: string
}

interface Exchange extends Endpoint {
  request: FastifyRequest
  reply: FastifyReply
}

type Serve = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

/** The protocol, lists of tools and what checks against schemas are made once; of each message, only whose it is. */
export function openEndpoint(endpoint: Endpoint): Serve {
  const { services } = endpoint
  const offered = offerTools(services.settings)
  const served = new AsyncLocalStorage<Assistant>()
  const validator = new AjvJsonSchemaValidator()
  const handler = createMcpHandler(
    () => {
      const assistant = served.getStore()
      if (!assistant) throw new Error('a message of an assistant came from nowhere')
      return assistantServer(assistant, validator)
    },
    { onerror: (err) => services.log.warn({ err }, 'an assistant was refused') },
  )
  return async (request, reply) => {
    const message = readMessage(request.body)
    const selection = selectionOf(request)
    const unknown = unknownIn(selection)
    if (unknown.length > 0) throw new Refusal(400, `There is no toolset or tool ${unknown.slice(0, 10).join(', ')}.`)
    const counted = new CountedCalls(() => take(services, request.holder as Holder, message))
    const ofBatch = isServedBatch(message, request) ? await counted.take() : undefined
    if (ofBatch?.isTaken === false) return refuseBatch(reply, ofBatch)
    const asked = webRequest({ request, reply, services }, message)
    const { scope, role } = (request.holder as Holder).actor
    const tools = offered(selection, { scope, isAdmin: role === 'admin' })
    const assistant = assistantOf({ ...endpoint, request, reply }, tools, counted)
    const parsed = message.json === undefined ? {} : { parsedBody: message.json }
    return send({ request, reply, services }, await served.run(assistant, () => handler.fetch(asked, parsed)))
  }
}

function assistantOf({ app, services, request, secret }: Exchange, tools: readonly Tool[], counted: CountedCalls): Assistant {
  const holder = request.holder as Holder
  const { actor, workspace } = holder
  return {
    version: apiMajorText,
    tools: async () => tools,
    person: `${workspace.id}/${actor.id}`,
    plans: { secret, spend: spendPlanIn(services.database.sql, workspace.id) },
    now: () => services.clock.now(),
    beforeCall: () => counted.require(),
    library: () => ({
      ...libraryOf({ app, services, request, holder }),
      notices: () => noticesOf(counted.taken),
      meta: () => ({ 'prop-house/agent-calls': { used: counted.taken?.used ?? 0, limit: counted.taken?.limit ?? null } }),
    }),
  }
}

function libraryOf({ app, services, request, holder }: Pick<Exchange, 'app' | 'services' | 'request'> & { holder: Holder }) {
  const ask = libraryCalls(app, request, holder)
  return {
    ask,
    thumbnails: thumbnailsOf({ ask, storage: services.storage, workspaceId: holder.workspace.id, owner: ownerOfKey(holder) }),
  }
}

/** The protocol is told the version of the contract; that of the client package stands in a header. */
const apiMajorText = String(apiMajor)

/** What a message holds of calls is counted before they run, failed ones too. */
const take = ({ database, clock }: Services, { workspace }: Holder, { calls }: Message): Promise<Taken> =>
  takeCalls(database.sql, { workspaceId: workspace.id, calls, now: clock.now() })

const noticesOf = (taken: Taken | undefined): Said[] =>
  taken?.limit == null ? [] : [own`Agent calls this month: ${taken.used} of ${taken.limit}.`]

const refuseBatch = (reply: FastifyReply, { used, limit }: Taken): FastifyReply =>
  reply.code(429).send({ error: 'The agent calls of this month do not suffice for this batch.', used, limit })

function webRequest(
  { request, reply, services: { settings } }: Pick<Exchange, 'request' | 'reply' | 'services'>,
  { text }: Message,
): Request {
  const { method } = request
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers))
    if (
      value !== undefined &&
      !['connection', 'content-length', 'transfer-encoding', 'keep-alive', 'upgrade', 'expect'].includes(name)
    )
      headers.set(name, [value].flat().join(', '))
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  return new Request(`${originOf(request, settings)}/mcp`, {
    method,
    headers,
    signal: gone.signal,
    ...(method === 'POST' ? { body: text } : {}),
  })
}

/** An answer that is whole goes as text: so it counts among those that wait for a client that does not read. */
async function send(
  { request, reply, services }: Pick<Exchange, 'request' | 'reply' | 'services'>,
  response: Response,
): Promise<FastifyReply> {
  reply.code(response.status)
  for (const [name, value] of response.headers) reply.header(name, value)
  if (response.headers.get('content-type')?.startsWith('application/json')) return reply.send(await response.text())
  if (!response.body) return reply.send()
  services.answers.takeForAnswer(request, reply.raw)
  return reply.send(Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]))
}
