/** The one file that talks HTTP: adds the key, repeats what may be repeated, turns refusals into errors. */
import type { Dispatcher } from 'undici'
import type { StreamEvent } from '../../contract/event-stream.ts'
import { ratePolicyHeader } from '../../contract/rate-policy.ts'
import { apiBase, apiMajor, clientVersionHeader } from '../../contract/version.ts'
import { ClientError } from '../client-error.ts'
import { bodyOf, eventsOf, readText, type Stored } from './body.ts'
import { Connections } from './connections.ts'
import { causeOf, failureOf, refusalOf } from './failures/http-error.ts'
import { isNetworkError, proxyAway, reasonOf } from './failures/network-error.ts'
import { tlsNext } from './failures/tls-error.ts'
import type { HttpOptions, WaitEvent } from './http-options.ts'
import { jsonLines } from './json-lines.ts'
import { learnOffered } from './offered-version.ts'
import { onOwnWay } from './own-address.ts'
import { pause } from './pause.ts'
import { unreachedProxy } from './proxies.ts'
import type { ApiRequest, Exchange, StoredRequest } from './request.ts'
import { type Admission, RequestGate } from './request-gate.ts'
import { asksForPatience, type Failure, patienceMs, retryDelayMs } from './retry.ts'
import { SharedCount } from './shared-count.ts'

export type { HttpOptions, WaitEvent } from './http-options.ts'

type Consume<T> = (answer: Dispatcher.ResponseData) => Promise<T>

interface Tries {
  admission: Admission
  /** Over all admissions of one request. */
  spent: { failures: number; waitedMs: number }
}

const redirectsFollowed = 3
/** A window of a minute, and what its parts add to it. */
const longestRoomMs = 90_000
const busyKey =
  'programs on this machine have made most of the requests that this key may make in a minute, and the rest is for people.'
const safeToRepeat = new Set<string>(['GET', 'HEAD', 'PUT', 'DELETE'])

/** A connection to one workspace. Every method throws ApiError (the service refused) or ClientError (nothing usable came back). */
export class Http {
  readonly url: string
  readonly #options: HttpOptions
  readonly #connections: Connections
  readonly #gates: Record<Exchange['budget'], RequestGate>
  readonly #shared: SharedCount | undefined
  #leavingRoom = 0
  #isClosed = false
  /** Something at this address answered, whatever it said. */
  wasAnswered = false

  constructor(options: HttpOptions) {
    this.url = options.url
    this.#options = options
    const { connections = 8, silenceMs, url, key, folders, leavesRoom = false } = options
    this.#shared = key && folders ? new SharedCount({ stateFolder: folders.state, url, key, leavesRoom }) : undefined
    this.#connections = new Connections({ connections, silenceMs })
    const gate = () => new RequestGate(connections)
    this.#gates = { general: gate(), push: gate(), storage: gate() }
  }

  /** Lets requests that run finish, then ends the connections; `destroy` does not wait. Answers that go on end in both cases. */
  async close(how: 'finish' | 'destroy' = 'finish'): Promise<void> {
    this.#isClosed = true
    await this.#connections.close(how)
  }

  /** As after a sleep, when connections may be dead without a word: calls that run are sent again where they may be repeated. */
  async reconnect(): Promise<void> {
    if (!this.#isClosed) await this.#connections.renewCalls()
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
      if (typeof location === 'string') return { location: this.addressOf(location).href }
      throw new ClientError('NOT_A_LIBRARY', `${this.url} sent no address for ${request.path}.`)
    })
  }

  /** A call that answers with one JSON value a line; throws where the last one is missing. Nothing is repeated once the first line has come. */
  async *lines(request: ApiRequest): AsyncGenerator<unknown> {
    const body = await this.#exchange(this.#signed(request), async (answer) => answer.body)
    try {
      yield* jsonLines(body, this.url)
    } catch (error) {
      throw this.#thrown(error, this.url)
    }
  }

  /**
   * A call that answers with events, until the server ends it. It is asked once, and throws where it is refused, cut, or silent for a minute:
   * who follows events comes back, and has to ask then what it missed.
   */
  async *events(request: ApiRequest): AsyncGenerator<StreamEvent> {
    const exchange = this.#signed(request)
    exchange.headers.accept = 'text/event-stream'
    try {
      yield* eventsOf(await this.#attempt(exchange, 'streams'), this.url)
    } catch (error) {
      this.#signalOf(exchange)?.throwIfAborted()
      if (!this.#isClosed) throw this.#thrown(error, exchange.url.origin)
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
    let { href: url } = this.addressOf(stored.url)
    for (let hop = 0; hop <= redirectsFollowed; hop++) {
      const answer = await this.#exchange(
        { ...this.#unsigned({ ...stored, url }), accept: [301, 302, 303, 307, 308] },
        async (got) => got,
      )
      const { location } = answer.headers
      if (answer.statusCode < 300) return { headers: answer.headers, body: answer.body }
      await answer.body.dump()
      url = this.addressOf(typeof location === 'string' ? location : '', url).href
    }
    throw new ClientError('NOT_A_LIBRARY', `${new URL(url).host} redirects in circles.`)
  }

  /** Asks once, without the key, and gives whatever is answered: to find out what stands at an address. */
  async probe(path: string, signal?: AbortSignal): Promise<Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'>> {
    const { origin, pathname } = this.#address({ method: 'GET', path })
    try {
      const asked = { origin, path: pathname, method: 'GET', signal } as const
      const { statusCode, headers, body } = await this.#connections.request('calls', () => asked)
      await body.dump()
      return { statusCode, headers }
    } catch (error) {
      throw this.#thrown(error, origin)
    }
  }

  #signed(call: ApiRequest): Exchange {
    const url = this.#address(call)
    const { key, clientName = 'ph' } = this.#options
    const headers: Record<string, string> = {
      accept: 'application/json',
      'x-ph-api': String(apiMajor),
      'x-ph-client': clientName,
    }
    if (key) headers.authorization = `Bearer ${key}`
    const bytes = call.json === undefined ? call.bytes : bodyOf(JSON.stringify(call.json))
    if (bytes) headers['content-type'] = call.contentType ?? (call.bytes ? 'application/octet-stream' : 'application/json')
    const idempotent = call.idempotent ?? safeToRepeat.has(call.method)
    return { url, budget: call.budget ?? 'general', method: call.method, headers, bytes, idempotent, signal: call.signal }
  }

  /** The key travels with these addresses, so none of them may lead out of the workspace's API. */
  #address(call: ApiRequest): URL {
    const base = `${this.url}${apiBase}/`
    const url = new URL(this.url + apiBase + call.path)
    if (!url.href.startsWith(base)) throw new ClientError('WRONG_ADDRESS', `${call.path} leads out of ${base}`)
    if (call.query) url.search = call.query.toString()
    return url
  }

  #unsigned(stored: StoredRequest): Exchange {
    const url = this.addressOf(stored.url)
    const { method = 'GET', headers = {}, bytes, accept, signal } = stored
    return { url, budget: 'storage', method, headers, bytes, accept, signal, idempotent: true }
  }

  /** An address that came from outside, in full; it may be anything. Throws ClientError `NOT_A_LIBRARY` unless it is on the web. */
  addressOf(text: string, base = this.url): URL {
    const url = URL.parse(text, base)
    if (url?.protocol === 'http:' || url?.protocol === 'https:') return onOwnWay(url, this.url)
    const what = url ? `that is not on the web: ${url.protocol}` : 'that is none.'
    throw new ClientError('NOT_A_LIBRARY', `${this.url} named an address ${what}`)
  }

  /** Sends a request until it is answered or given up; `consume` reads the answer and is part of what is repeated. */
  async #exchange<T>(exchange: Exchange, consume: Consume<T>): Promise<T> {
    const gate = this.#gates[exchange.budget]
    const spent = { failures: 0, waitedMs: 0 }
    for (let first = false; ; first = true) {
      const admission = await gate.enter({ first, signal: this.#signalOf(exchange) })
      try {
        const served = await this.#serve(exchange, consume, { admission, spent })
        if (served) return served.value
      } finally {
        admission.leave()
      }
    }
  }

  /** Sends it for as long as it is admitted. Undefined: another request already waits for what this one was refused. */
  async #serve<T>(exchange: Exchange, consume: Consume<T>, { admission, spent }: Tries): Promise<{ value: T } | undefined> {
    for (;;) {
      try {
        await this.#leaveRoom(exchange)
        const answer = await this.#attempt(exchange)
        admission.passed()
        return { value: await consume(answer) }
      } catch (error) {
        this.#signalOf(exchange)?.throwIfAborted()
        const failure = failureOf(error)
        const delayMs = failure && this.#delayOf(failure, { ...spent, idempotent: exchange.idempotent })
        if (!failure || delayMs === undefined) throw this.#thrown(error, exchange.url.origin)
        if (asksForPatience(failure) && !admission.refused()) return undefined
        spent.failures++
        spent.waitedMs += delayMs
        await this.#wait(exchange, { delayMs, failures: spent.failures, reason: reasonOf(error), for: causeOf(failure) })
      }
    }
  }

  /** Waits while the programs of this machine have made their share of what the key may make, and never for long: then the server decides. */
  async #leaveRoom(exchange: Exchange): Promise<void> {
    const { budget } = exchange
    if (!this.#shared || budget === 'storage') return
    const { retryForMs: longestMs = longestRoomMs } = this.#options
    for (let waitedMs = 0; ; ) {
      const delayMs = this.#shared.waitMs(budget)
      if (delayMs === 0 || waitedMs + delayMs > longestMs) return
      waitedMs += delayMs
      // Requests that wait together are told of once.
      const isFirst = this.#leavingRoom++ === 0
      const wait = { delayMs, failures: 0, reason: busyKey, for: 'machine' } as const
      await this.#wait(exchange, wait, isFirst).finally(() => this.#leavingRoom--)
    }
  }

  #delayOf(failure: Failure, { failures, ...state }: Tries['spent'] & { idempotent: boolean }): number | undefined {
    const { retryForMs = causeOf(failure) === 'budget' ? patienceMs.budget : patienceMs.server } = this.#options
    const now = { failures: failures + 1, limitMs: retryForMs, seenAlive: this.wasAnswered, random: Math.random }
    return retryDelayMs(failure, { ...state, ...now })
  }

  async #attempt(exchange: Exchange, kind: 'calls' | 'streams' = 'calls'): Promise<Dispatcher.ResponseData> {
    const { url, budget, method, headers, bytes, accept = [] } = exchange
    if (budget !== 'storage') this.#shared?.add(budget)
    const length = bytes ? { 'content-length': String(bytes.size) } : {}
    const answer = await this.#connections.request(kind, () => ({
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers: { ...headers, ...length },
      // Any iterable of bytes will do, though the types know of streams only.
      body: bytes?.open() as Uint8Array | undefined,
      signal: this.#signalOf(exchange),
    }))
    this.wasAnswered = true
    learnOffered(answer.headers[clientVersionHeader])
    if (budget !== 'storage') this.#shared?.learn(budget, answer.headers[ratePolicyHeader])
    const { statusCode: status } = answer
    if ((status >= 200 && status < 300) || accept.includes(status)) return answer
    throw await refusalOf(answer, exchange)
  }

  #signalOf(exchange: Exchange): AbortSignal | undefined {
    const { signal: own } = this.#options
    const { signal } = exchange
    return own && signal && own !== signal ? AbortSignal.any([own, signal]) : (signal ?? own)
  }

  async #wait(exchange: Exchange, event: Omit<WaitEvent, 'method' | 'url'>, isTold = true): Promise<void> {
    // Query strings of presigned addresses are secrets.
    const url = exchange.url.origin + exchange.url.pathname
    const { onWait, pause: wait = pause } = this.#options
    if (isTold) onWait?.({ ...event, method: exchange.method, url })
    await wait(event.delayMs, this.#signalOf(exchange))
  }

  #thrown(error: unknown, origin: string): unknown {
    if (!isNetworkError(error)) return error
    const proxy = unreachedProxy(error, origin, process.env)
    if (proxy !== undefined) return proxyAway(proxy, origin, error)
    return new ClientError('UNREACHABLE', `Cannot reach ${origin}: ${reasonOf(error)}.`, { cause: error, next: tlsNext(error) })
  }
}
