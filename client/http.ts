/** The one place that talks HTTP: adds the key, repeats what may be repeated, turns refusals into errors. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Dispatcher } from 'undici'
import { ApiError } from '../contract/errors.ts'
import { ClientError } from './client-error.ts'
import { Agent } from './dispatcher.ts'
import { type Bytes, bodyOf, readText, type Stored, splitLines } from './http-body.ts'
import { decodeError } from './http-error.ts'
import { isNetworkError, reasonOf, wasReached } from './network-error.ts'
import { type Failure, parseRetryAfter, retryDelayMs } from './retry.ts'

/** Told before every wait, so that a person sees why nothing moves. `reason` is a short sentence. */
export interface WaitEvent {
  reason: string
  delayMs: number
  failures: number
  method: string
  url: string
}

export interface HttpOptions {
  /** Address of the workspace, without `/api/v1`; see `normalizeAddress`. */
  url: string
  key?: string
  /** Sent as `X-PH-Client`: `<name>/<version>`. */
  clientName?: string
  onWait?: (event: WaitEvent) => void
  /** The longest that one request waits between its attempts in all. */
  retryForMs?: number
  /** Connections per origin. */
  connections?: number
  signal?: AbortSignal
}

export interface ApiRequest {
  method: Dispatcher.HttpMethod
  /** Below `/api/v1`. */
  path: string
  query?: URLSearchParams
  json?: unknown
  bytes?: Bytes
  contentType?: string
  /** Repeating it does no harm; the default is what the method promises (RFC 9110 9.2.2). */
  idempotent?: boolean
  signal?: AbortSignal
}

export interface StoredRequest {
  /** Absolute, or relative to the workspace's address. */
  url: string
  method?: 'GET' | 'PUT'
  /** Sent exactly as given. */
  headers?: Record<string, string>
  bytes?: Bytes
  /** Statuses that are answers, not failures, beside the 2xx. */
  accept?: readonly number[]
  signal?: AbortSignal
}

interface Exchange {
  url: URL
  method: Dispatcher.HttpMethod
  headers: Record<string, string>
  bytes?: Bytes
  idempotent: boolean
  signal?: AbortSignal
  accept?: readonly number[]
}

const timeouts = { connectTimeout: 10_000, headersTimeout: 120_000, bodyTimeout: 60_000, keepAliveTimeout: 10_000 }
const defaultRetryMs = 120_000
const redirectsFollowed = 3
const safeToRepeat = new Set<string>(['GET', 'HEAD', 'PUT', 'DELETE'])

/** A connection to one workspace. Every method throws ApiError (the service refused) or ClientError (nothing usable came back). */
export class Http {
  readonly url: string
  readonly #options: HttpOptions
  readonly #agent: Agent
  #seenAlive = false

  constructor(options: HttpOptions) {
    this.url = options.url
    this.#options = options
    this.#agent = new Agent({ ...timeouts, connections: options.connections ?? 8 })
  }

  /** Lets requests that run finish, then ends the connections; `destroy` does not wait. */
  async close(how: 'finish' | 'destroy' = 'finish'): Promise<void> {
    await (how === 'finish' ? this.#agent.close() : this.#agent.destroy())
  }

  /** A call whose answer is JSON; undefined for 204. */
  async json(request: ApiRequest): Promise<unknown> {
    const { status, text } = await this.#exchange(this.#signed(request), async (answer) => ({
      status: answer.statusCode,
      text: await readText(answer.body),
    }))
    if (status === 204 || text === '') return undefined
    try {
      return JSON.parse(text)
    } catch (cause) {
      throw new ClientError('NOT_A_LIBRARY', `${this.url} answered with something that is not JSON.`, { cause })
    }
  }

  /** A call that answers with a redirect: its target, which is to be fetched by `open`, without the key. */
  async redirect(request: ApiRequest): Promise<{ location: string }> {
    return this.#exchange({ ...this.#signed(request), accept: [302, 303, 307] }, async (answer) => {
      await answer.body.dump()
      const { location } = answer.headers
      if (typeof location === 'string') return { location: this.#addressOf(location, this.url).href }
      throw new ClientError('NOT_A_LIBRARY', `${this.url} sent no address for ${request.path}.`)
    })
  }

  /** A call that answers with one JSON value a line. Nothing is repeated once the first line has come. */
  async *lines(request: ApiRequest): AsyncGenerator<unknown> {
    const body = await this.#exchange(this.#signed(request), async (answer) => answer.body)
    try {
      for await (const line of splitLines(body)) yield JSON.parse(line)
    } catch (error) {
      throw this.#thrown(error, this.url)
    }
  }

  /** Sends bytes to, or asks something of, a presigned address. Never carries the key. Gives the status. */
  async store(stored: StoredRequest): Promise<number> {
    return this.#exchange(this.#unsigned(stored), async (answer) => {
      await answer.body.dump()
      return answer.statusCode
    })
  }

  /** Opens a presigned address for reading. Never carries the key; follows at most three further redirects. */
  async open(stored: StoredRequest): Promise<Stored> {
    let { href: url } = this.#addressOf(stored.url, this.url)
    for (let hop = 0; hop <= redirectsFollowed; hop++) {
      const answer = await this.#exchange(
        { ...this.#unsigned({ ...stored, url }), accept: [301, 302, 303, 307, 308] },
        async (got) => got,
      )
      const { location } = answer.headers
      if (answer.statusCode < 300) return { headers: answer.headers, body: answer.body }
      await answer.body.dump()
      url = this.#addressOf(typeof location === 'string' ? location : '', url).href
    }
    throw new ClientError('NOT_A_LIBRARY', `${new URL(url).host} redirects in circles.`)
  }

  #signed(call: ApiRequest): Exchange {
    const url = this.#address(call)
    const { key, clientName = 'ph' } = this.#options
    const headers: Record<string, string> = { accept: 'application/json', 'x-ph-api': '1', 'x-ph-client': clientName }
    if (key) headers.authorization = `Bearer ${key}`
    const bytes = call.json === undefined ? call.bytes : bodyOf(JSON.stringify(call.json))
    if (bytes) headers['content-type'] = call.contentType ?? (call.bytes ? 'application/octet-stream' : 'application/json')
    const idempotent = call.idempotent ?? safeToRepeat.has(call.method)
    return { url, method: call.method, headers, bytes, idempotent, signal: call.signal }
  }

  /** The key travels with these addresses, so none of them may lead out of the workspace's API. */
  #address(call: ApiRequest): URL {
    const base = `${this.url}/api/v1/`
    const url = new URL(`${this.url}/api/v1${call.path}`)
    if (!url.href.startsWith(base)) throw new ClientError('WRONG_ADDRESS', `${call.path} leads out of ${base}`)
    if (call.query) url.search = call.query.toString()
    return url
  }

  #unsigned(stored: StoredRequest): Exchange {
    const url = this.#addressOf(stored.url, this.url)
    const { method = 'GET', headers = {}, bytes, accept, signal } = stored
    return { url, method, headers, bytes, accept, signal, idempotent: true }
  }

  /** An address that came from outside; it may be anything. */
  #addressOf(text: string, base: string): URL {
    const url = URL.parse(text, base)
    if (url?.protocol === 'http:' || url?.protocol === 'https:') return url
    const what = url ? `that is not on the web: ${url.protocol}` : 'that is none.'
    throw new ClientError('NOT_A_LIBRARY', `${this.url} named an address ${what}`)
  }

  /** Sends a request until it is answered or given up; `consume` reads the answer and is part of what is repeated. */
  async #exchange<T>(exchange: Exchange, consume: (answer: Dispatcher.ResponseData) => Promise<T>): Promise<T> {
    const { retryForMs: limitMs = defaultRetryMs } = this.#options
    let waitedMs = 0
    for (let failures = 1; ; failures++) {
      try {
        return await consume(await this.#attempt(exchange))
      } catch (error) {
        this.#signalOf(exchange)?.throwIfAborted()
        const failure = failureOf(error)
        const state = { failures, limitMs, waitedMs, idempotent: exchange.idempotent, seenAlive: this.#seenAlive }
        const delayMs = failure && retryDelayMs(failure, { ...state, random: Math.random })
        if (delayMs === undefined) throw this.#thrown(error, exchange.url.origin)
        waitedMs += delayMs
        await this.#wait(exchange, { delayMs, failures, reason: reasonOf(error) })
      }
    }
  }

  async #attempt(exchange: Exchange): Promise<Dispatcher.ResponseData> {
    const { url, method, headers, bytes, accept = [] } = exchange
    const length = bytes ? { 'content-length': String(bytes.size) } : {}
    const answer = await this.#agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers: { ...headers, ...length },
      // Any iterable of bytes will do, though the types know of streams only.
      body: bytes?.open() as Uint8Array | undefined,
      signal: this.#signalOf(exchange),
    })
    this.#seenAlive = true
    const { statusCode: status } = answer
    if ((status >= 200 && status < 300) || accept.includes(status)) return answer
    throw await refusal(answer)
  }

  #signalOf(exchange: Exchange): AbortSignal | undefined {
    const { signal: own } = this.#options
    const { signal } = exchange
    return own && signal && own !== signal ? AbortSignal.any([own, signal]) : (signal ?? own)
  }

  async #wait(exchange: Exchange, { delayMs, failures, reason }: { delayMs: number; failures: number; reason: string }) {
    // Query strings of presigned addresses are secrets.
    const url = exchange.url.origin + exchange.url.pathname
    this.#options.onWait?.({ reason, delayMs, failures, method: exchange.method, url })
    const signal = this.#signalOf(exchange)
    await sleep(delayMs, undefined, { signal }).catch(() => signal?.throwIfAborted())
  }

  #thrown(error: unknown, origin: string): unknown {
    if (!isNetworkError(error)) return error
    return new ClientError('UNREACHABLE', `Cannot reach ${origin}: ${reasonOf(error)}.`, { cause: error })
  }
}

async function refusal(answer: Dispatcher.ResponseData): Promise<ApiError> {
  const id = answer.headers['x-request-id']
  const error = decodeError(answer.statusCode, await readText(answer.body), typeof id === 'string' ? id : undefined)
  const after = answer.headers['retry-after']
  const waitMs = parseRetryAfter(typeof after === 'string' ? after : undefined, Date.now())
  if (waitMs !== undefined) error.details.retry_after_seconds ??= Math.ceil(waitMs / 1000)
  return error
}

function failureOf(error: unknown): Failure | undefined {
  if (isNetworkError(error)) return { kind: 'network', reached: wasReached(error) }
  if (!(error instanceof ApiError)) return undefined
  const { retry_after_seconds: seconds, reason } = error.details
  return {
    kind: 'status',
    status: error.status,
    retryAfterMs: typeof seconds === 'number' ? seconds * 1000 : undefined,
    reason: typeof reason === 'string' ? reason : undefined,
  }
}
