/** The other side of order-process.ts: does what the agent orders, and ends with it. */
import { flushCompileCache } from 'node:module'
import { ClientError } from '../../client/client-error.ts'
import { readVersion } from '../../client/version.ts'
import { type SentError, sendable } from './sent-error.ts'

/** `stop`: what was ordered under this number is not needed any more. */
export type ToWorker = { id: number; name: string; given: unknown } | { stop: number }
export type FromWorker = { id: number } & ({ result: unknown } | { error: SentError } | { news: unknown })

export interface OrderAround {
  signal: AbortSignal
  /** What the agent hears on the way. */
  tell(news: unknown): void
}

type Order = (given: never, around: OrderAround) => Promise<unknown>

const answer = (message: FromWorker) => process.send?.(message)

/** By name. */
export function serveOrders(orders: Readonly<Record<string, Order>>): void {
  const running = new Map<number, AbortController>()
  // The agent is gone, however it went.
  process.on('disconnect', () => process.exit())
  process.on('message', async (sent) => {
    const message = sent as ToWorker
    if ('stop' in message) {
      running.get(message.stop)?.abort()
      return
    }
    const { id, name, given } = message
    const ending = new AbortController()
    running.set(id, ending)
    try {
      requireSameVersion()
      const order = orders[name]
      if (!order) throw new Error(`nobody knows how to ${name}`)
      answer({ id, result: await order(given as never, { signal: ending.signal, tell: (news) => answer({ id, news }) }) })
    } catch (error) {
      answer({ id, error: sendable(error) })
    } finally {
      running.delete(id)
      // The agent kills this process when it needs it no longer: a killed process writes nothing into the compile cache.
      flushCompileCache()
    }
  })
}

/** The files of the program may have been replaced while the agent runs: both sides would not understand each other. */
function requireSameVersion(): void {
  const [agent, here] = [process.argv[2], readVersion()]
  if (agent !== here) throw new ClientError('AGENT_REPLACED', `ph ${here} was installed while the agent, ${agent}, was running.`)
}
