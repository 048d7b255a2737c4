/** Builds the HTTP application: the contract's routes behind the front door, and what stands beside them. Listening is main's business. */

import { randomUUID } from 'node:crypto'
import fastifyCookie from '@fastify/cookie'
import fastify, { type FastifyInstance } from 'fastify'
import { ApiError } from '../../contract/errors.ts'
import { apiBase } from '../../contract/index.ts'
import { ratePolicyHeader } from '../../contract/rate-policy.ts'
import { clientVersionHeader } from '../../contract/version.ts'
import { drainBody, hasBody } from '../../serving/unread-body.ts'
import type { Membership } from '../accounts/people.ts'
import type { Session } from '../accounts/sessions.ts'
import { mountSite } from '../dashboard/site.ts'
import type { Entered } from '../front-door/enter.ts'
import { refuseOddHost } from '../front-door/origin.ts'
import { refuseWrite } from '../front-door/states.ts'
import { offeredVersion } from '../install/client-package.ts'
import { mountInstall } from '../install/routes.ts'
import { mountMcp } from '../mcp/mount.ts'
import type { Logger } from '../monitoring/log.ts'
import { measureRequests, mountMetrics } from '../monitoring/metrics.ts'
import { logWhenNeeded, RequestLog } from '../monitoring/request-log.ts'
import type { Holder } from '../principal.ts'
import type { Services } from '../services.ts'
import { needsKey, readAddress } from './address.ts'
import { boundExchanges, refuseEncoding, serverOf } from './connection-bounds.ts'
import { Connections } from './connections.ts'
import { answerUnreadable, errorAnswers } from './error-answers.ts'
import { mountHealth } from './health.ts'
import { listenBeside } from './listening.ts'
import { mountContract } from './public-routes.ts'
import { refuseSlowBodies } from './slow-bodies.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** From `/w/<slug>/…`; undefined means the first workspace. */
    workspaceSlug: string | undefined
    /** Of the key that came with the request. */
    holder: Holder | undefined
    /** The same, also when it was refused. */
    caller: Holder | undefined
    /** Of the cookie that came instead, where the route takes one; and the membership in the addressed workspace. */
    session: Session | undefined
    membership: Membership | undefined
  }
  interface FastifyContextConfig {
    /** It answers with a page, also when it fails. */
    isPage?: true
  }
}

/** More than a request line can hold: whatever stands in a path is looked up, and is unknown then. */
const longestParameter = 100_000

export async function buildApp(services: Services): Promise<FastifyInstance> {
  const { pace, capacity, clock, settings } = services
  const connections = new Connections({
    most: capacity.connections,
    trustsProxy: settings.trustedProxies > 0,
    nowMs: () => clock.now().getTime(),
  })
  const app = fastify({
    loggerInstance: services.log as Logger,
    genReqId: () => randomUUID(),
    rewriteUrl: (request) => readAddress(request.url ?? '/').rest,
    serverFactory: serverOf(connections, services),
    clientErrorHandler: answerUnreadable(connections),
    logController: new RequestLog(services.log),
    childLoggerFactory: logWhenNeeded,
    trustProxy: (_address: string, hop: number) => hop < settings.trustedProxies,
    forceCloseConnections: 'idle',
    // What still comes over a connection that is kept alive is answered, and the connection closed with it.
    return503OnClosing: false,
    routerOptions: { maxParamLength: longestParameter },
  })
  app.decorateRequest('workspaceSlug', undefined)
  app.decorateRequest('holder', undefined)
  app.decorateRequest('caller', undefined)
  app.decorateRequest('session', undefined)
  app.decorateRequest('membership', undefined)
  await app.register(fastifyCookie)
  app.setErrorHandler(errorAnswers(services))
  const registry = measureRequests(app)
  boundExchanges(app, connections, services)
  listenBeside(app, settings.host)
  refuseSlowBodies(app, pace)
  const { frontDoor } = services
  const offered = offeredVersion()
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('X-PH-API', '1')
    if (offered !== undefined) reply.header(clientVersionHeader, offered)
    if (request.method === 'GET' || request.method === 'HEAD') drainBody(request.raw)
    refuseOddHost(request)
    request.workspaceSlug = readAddress(request.originalUrl).slug
    const entering = needsKey(request.url) ? frontDoor.enter(request) : frontDoor.enterOpenly(request.workspaceSlug)
    const enter = (entered: Entered) => {
      if (entered.holder) reply.header(ratePolicyHeader, frontDoor.policyOf(request))
      Object.assign(request, entered)
      done()
    }
    // Who is in memory is let in within the same turn of the event loop.
    if (entering instanceof Promise) entering.then(enter, done)
    else enter(entering)
  })
  app.addHook('onRequest', (request, _reply, done) => {
    refuseEncoding(request)
    if (hasBody(request.raw) && connections.of(request.raw.socket)) services.bodies.takeForBody(request, request.raw)
    done()
  })
  app.setNotFoundHandler((request) => {
    if (request.holder) refuseWrite(request.holder.workspace, request)
    throw new ApiError('NOT_FOUND', `There is nothing at ${request.method} ${request.url.split('?')[0]}.`)
  })
  await app.register((api) => mountContract(api, services), { prefix: apiBase })
  await app.register(async (pages) => mountSite(pages, services))
  await mountMcp(app, services)
  mountHealth(app, services)
  mountInstall(app, services)
  mountMetrics(app, { ...services, connections }, registry)
  services.mountStorage?.(app)
  return app
}
