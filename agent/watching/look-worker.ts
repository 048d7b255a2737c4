/** The process that looks at files. See look-process.ts. */
import { type LookWire, lookOrders } from './look-orders.ts'
import { type SentError, sendable } from './sent-error.ts'

export interface LookOrder {
  id: number
  name: keyof typeof lookOrders
  wire: LookWire
  root: string
  given: unknown
}

/** `stop`: what was ordered under this number is not needed any more. */
export type ToLooker = LookOrder | { stop: number }
export type FromLooker = { id: number; result: unknown } | { id: number; error: SentError }

const running = new Map<number, AbortController>()
const answer = (message: FromLooker) => process.send?.(message)
// The agent is gone, however it went.
process.on('disconnect', () => process.exit())

process.on('message', async (sent) => {
  const message = sent as ToLooker
  if ('stop' in message) {
    running.get(message.stop)?.abort()
    return
  }
  const { id, name, wire, root, given } = message
  const ending = new AbortController()
  running.set(id, ending)
  try {
    const order = lookOrders[name] as (place: object, given: unknown) => Promise<unknown>
    answer({ id, result: await order({ wire, root, signal: ending.signal }, given) })
  } catch (error) {
    answer({ id, error: sendable(error) })
  } finally {
    running.delete(id)
  }
})
