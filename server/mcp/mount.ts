/** The hosted endpoint for assistants, `POST <base_url>/mcp`: streamable HTTP without sessions (contract-gaps 8). */
import { isUtf8 } from 'node:buffer'
import type { FastifyInstance } from 'fastify'
import type { Route } from '../../contract/route.ts'
import { Refusal } from '../../serving/refusal.ts'
import type { Services } from '../services.ts'
import { refuseLongBody, refuseOtherOrigin } from './message.ts'
import { planSecret } from './plans.ts'

/** As the front door judges it: a read key may come in; what its tools ask is judged by their routes. */
const assistants: Route = { method: 'POST', path: '/mcp', scope: 'read', summary: 'Serve an assistant.' }

export async function mountMcp(app: FastifyInstance, services: Services): Promise<void> {
  let opened: ReturnType<typeof open> | undefined
  const { database, settings } = services
  await app.register(async (endpoint) => {
    endpoint.removeAllContentTypeParsers()
    endpoint.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, (_request, body, done) =>
      isUtf8(body) ? done(null, body) : done(new Refusal(400, 'The request is not valid UTF-8.')),
    )
    endpoint.route({
      method: ['GET', 'POST', 'DELETE'],
      url: '/mcp',
      config: { route: assistants },
      onRequest: [refuseOtherOrigin(settings), refuseLongBody],
      handler: async (request, reply) => {
        opened ??= open()
        opened.catch(() => (opened = undefined))
        const serve = await opened
        return serve(request, reply)
      },
    })
  })
  /** The protocol's package is large: servers that no assistant asks do without it. */
  async function open() {
    const [{ openEndpoint }, secret] = await Promise.all([import('./exchange.ts'), planSecret(database.sql)])
    return openEndpoint({ app, services, secret })
  }
}
