/** A process of connection-attacks.ts: attacks until it is told to stop, or asks as another person would, and says what it saw. */
import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { attack } from '../test/support/connection-attacks.ts'
import type { Asked, Order } from './connection-attacks.ts'

const betweenMs = 125

function once(url: string, { key, agent }: { key: string; agent: Agent }): Promise<number> {
  return new Promise((resolve, reject) => {
    const asking = request(url, { agent, timeout: 10_000, headers: { authorization: `Bearer ${key}` } }, (answer) => {
      answer
        .resume()
        .once('end', () => resolve(answer.statusCode ?? 0))
        .once('error', reject)
    })
    asking.once('timeout', () => asking.destroy(new Error('no answer within 10 s')))
    asking.once('error', reject).end()
  })
}

/** A connection that was closed while it waited is opened again, as clients do; the time counts from the first attempt. */
async function asked({ url, key, seconds }: Extract<Order, { role: 'ask' }>, keepAlive: boolean): Promise<Asked> {
  const agent = new Agent({ keepAlive, maxSockets: 1 })
  const seen: Asked = { answers: 0, failures: [], timesMs: [] }
  const until = performance.now() + seconds * 1000
  while (performance.now() < until) {
    const began = performance.now()
    const isClosed = (error: NodeJS.ErrnoException) => keepAlive && error.code === 'ECONNRESET'
    const status = await once(url, { key, agent })
      .catch((error) => (isClosed(error) ? once(url, { key, agent }) : Promise.reject(error)))
      .catch((error: Error) => error.message)
    const tookMs = performance.now() - began
    seen.timesMs.push(tookMs)
    if (status === 200) seen.answers++
    else seen.failures.push(`${status}`)
    await pause(Math.max(0, betweenMs - tookMs))
  }
  return seen
}

async function carryOut(order: Order): Promise<void> {
  if (order.role === 'ask') {
    const [fresh, kept] = await Promise.all([asked(order, false), asked(order, true)])
    process.send?.({ fresh, kept })
    return
  }
  const siege = attack(order.name, order.target, order)
  process.on('message', () => {
    siege.stop()
    process.send?.(siege.opened)
  })
}

process.once('message', (order: Order) => void carryOut(order))
process.once('disconnect', () => process.exit())
