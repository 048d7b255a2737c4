/** The calls of one message, counted against the allowance once they are sure to be carried out: what is refused before costs nothing. */
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
} from '@modelcontextprotocol/server'
import type { FastifyRequest } from 'fastify'
import { ToolRefusal } from '../../mcp/tools/refusal.ts'
import { own } from '../../mcp/tools/said.ts'
import type { Taken } from './allowance.ts'
import type { Message } from './message.ts'

export class CountedCalls {
  readonly #take: () => Promise<Taken>
  #taking: Promise<Taken> | undefined
  /** Undefined until they are taken. */
  taken: Taken | undefined

  constructor(take: () => Promise<Taken>) {
    this.#take = take
  }

  /** All of the message's, once, failed ones too. */
  take(): Promise<Taken> {
    this.#taking ??= this.#take().then((taken) => {
      this.taken = taken
      return taken
    })
    return this.#taking
  }

  /** Before a call is carried out. Throws ToolRefusal `AGENT_CALL_LIMIT`. */
  async require(): Promise<void> {
    const { isTaken, used, limit } = await this.take()
    if (!isTaken)
      throw new ToolRefusal(
        'AGENT_CALL_LIMIT',
        own`This workspace made ${used} of its ${limit ?? 0} agent calls of this month. They begin anew with the next month of UTC; \`ph\` and the API go on working.`,
      )
  }
}

/**
 * A batch is answered as a whole where the allowance does not suffice, so its calls are counted before the first one: where the
 * protocol's package will not refuse it anyway. Where this is mistaken, its calls are counted as they begin.
 */
export function isServedBatch({ json, calls }: Message, { method, headers }: FastifyRequest): boolean {
  if (!Array.isArray(json) || calls === 0 || method !== 'POST') return false
  const { accept = '', 'content-type': type = '' } = headers
  const isAsked =
    accept.includes('application/json') && accept.includes('text/event-stream') && /^application\/json\b/i.test(type)
  return isAsked && json.every(isMessage) && !json.some((one) => isJSONRPCRequest(one) && one.method === 'initialize')
}

const isMessage = (one: unknown): boolean =>
  isJSONRPCRequest(one) || isJSONRPCNotification(one) || isJSONRPCResultResponse(one) || isJSONRPCErrorResponse(one)
