/** Gives up on clients that send a body too slowly to be meant: they would hold connections and memory for as long as they like. */

import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { hasBody } from '../../serving/unread-body.ts'
import type { Pace } from '../services.ts'

/** A kilobyte a second, which the worst of connections keeps up over half a minute. Proxies close what is silent for a minute. */
export const leastPace: Pace = { everyMs: 30_000, bytes: 32 * 1024, headersMs: 20_000, silenceMs: 120_000, aliveMs: 20_000 }

export function refuseSlowBodies(app: FastifyInstance, { everyMs, bytes }: Pace): void {
  /** Requests whose body is still on its way, and how much had come over their connection at the last look; undefined: not looked at yet. */
  const incoming = new Map<IncomingMessage, number | undefined>()
  app.addHook('onRequest', (request, _reply, done) => {
    const { raw } = request
    if (hasBody(raw)) {
      incoming.set(raw, undefined)
      raw.once('close', () => incoming.delete(raw))
    }
    done()
  })
  const look = () => {
    for (const [request, before] of incoming) {
      const { bytesRead } = request.socket
      const isRead = request.readableFlowing === true
      if (request.complete) incoming.delete(request)
      else if (before !== undefined && isRead && bytesRead - before < bytes) giveUp(request)
      else incoming.set(request, isRead ? bytesRead : undefined)
    }
  }
  const timer = setInterval(look, everyMs).unref()
  app.addHook('onClose', async () => clearInterval(timer))
}

/** Who reads the body fails with this, and lets go of what it holds. */
function giveUp(request: IncomingMessage): void {
  request.destroy(Object.assign(new Error('The body of the request came too slowly.'), { code: 'ECONNRESET' }))
}
