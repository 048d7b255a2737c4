/** One request to an endpoint: signed, with redirects, checked addresses and an end to every wait (spec 6). */
import type { Agent, Dispatcher } from 'undici'
import { limits } from '../../contract/limits.ts'
import { messageHeaders } from '../../serving/webhook-signature.ts'
import type { Clock } from '../clock.ts'
import { endpointUrl } from './endpoint-url.ts'
import { Names } from './name-lookup.ts'
import { sendingFailure } from './sending-failure.ts'

/** What an answer may hold before its connection is given up instead of used again. */
const mostAnswerBytes = 64 * 1024
const timeoutMs = limits.webhook.timeoutSeconds * 1000
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

export interface Message {
  url: string
  secret: string
  eventType: string
  /** `<delivery id>.<attempt>`. */
  delivery: string
  body: Buffer
}

/** What came of it. `interrupted`: the server ends, and nothing is known. */
export type Sent =
  | { result: 'delivered'; status: number }
  | { result: 'failed'; error: string; status?: number }
  | { result: 'interrupted' }

export interface SenderOptions {
  clock: Clock
  allowPrivate: boolean
  /** Other name servers than those of the machine; for tests. */
  nameServers?: readonly string[] | undefined
}

export class Sender {
  readonly names: Names
  readonly #clock: Clock
  readonly #allowPrivate: boolean
  #agent?: Promise<Agent>
  readonly #stopping = new AbortController()

  constructor({ clock, allowPrivate, nameServers }: SenderOptions) {
    this.#clock = clock
    this.#allowPrivate = allowPrivate
    this.names = new Names({ allowPrivate, nameServers })
  }

  /** Never throws. */
  async send(message: Message): Promise<Sent> {
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(timeoutMs)])
    try {
      return await this.#follow(message, signal)
    } catch (error) {
      if (this.#stopping.signal.aborted) return { result: 'interrupted' }
      return { result: 'failed', error: sendingFailure(error) }
    }
  }

  /** Ends every request under way. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the server stops'))
    await (await this.#agent)?.destroy()
  }

  async #follow(message: Message, signal: AbortSignal): Promise<Sent> {
    let url = endpointUrl(message.url, { allowPrivate: this.#allowPrivate })
    for (let followed = 0; ; followed++) {
      const { statusCode: status, headers, body } = await this.#post(url, message, signal)
      // What a receiver goes on to say is read only so that the connection can be used again.
      await body.dump({ limit: mostAnswerBytes, signal }).catch(() => {})
      if (status >= 200 && status < 300) return { result: 'delivered', status }
      const { location } = headers
      if (!redirects.has(status) || typeof location !== 'string')
        return { result: 'failed', error: `It answered ${status}.`, status }
      if (followed === limits.webhook.redirects)
        return { result: 'failed', error: `It redirected more than ${followed} times.`, status }
      url = this.#redirected(url, location)
    }
  }

  #redirected(from: URL, location: string): URL {
    try {
      return endpointUrl(URL.canParse(location, from.href) ? new URL(location, from.href).href : '', {
        allowPrivate: this.#allowPrivate,
      })
    } catch (error) {
      throw new Error(`It redirected to another address. ${(error as Error).message}`, { cause: error })
    }
  }

  async #post(url: URL, { secret, eventType, delivery, body }: Message, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    this.#agent ??= agentFor(this.names)
    return (await this.#agent).request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: 'POST',
      body,
      signal,
      headers: messageHeaders({ type: eventType, delivery }, { secret, body, now: this.#clock.now() }),
    })
  }
}

/**
 * Connects to the addresses that were checked: the name is resolved once for each connection, and what that answers is both looked at and
 * used. Requests to a name go over a connection that is there, whatever its resolver answers by then.
 */
async function agentFor(names: Names): Promise<Agent> {
  // A hundred files, which a server without endpoints never needs: a tenth of its start.
  const { Agent, buildConnector } = await import('undici')
  return new Agent({
    connect: buildConnector({
      allowH2: false,
      timeout: timeoutMs,
      lookup: (host, { all }, done) => {
        names.addressesOf(host).then(
          (found) => (all ? done(null, found) : done(null, found[0]?.address ?? '', found[0]?.family)),
          (error) => done(error, ''),
        )
      },
    }),
    // Shorter than receivers keep connections: one that closes its end at the moment of a request costs an attempt.
    keepAliveTimeout: 2_000,
    keepAliveMaxTimeout: 4_000,
    headersTimeout: 0,
    bodyTimeout: 0,
    pipelining: 1,
  })
}
