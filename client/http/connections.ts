/**
 * The connections of undici, without the rest of it: loading all of the package takes twice as long and 13 MB more, which a
 * push that finds nothing to do would mostly spend on that. What is loaded here is what its own index.js puts together.
 */
import { createRequire } from 'node:module'
import type { Agent as UndiciAgent, Dispatcher as UndiciDispatcher, EnvHttpProxyAgent as UndiciProxyAgent } from 'undici'
import { presentedBy, trustSystem, trustsSystem } from './certificates.ts'
import { isOfCertificate, isUntrusted, keepPresented } from './failures/tls-error.ts'
import { type Environment, proxiesIn, proxyFor, thisMachine } from './proxies.ts'

const require = createRequire(import.meta.url)

function putTogether(): void {
  const base = require('undici/lib/dispatcher/dispatcher.js') as typeof UndiciDispatcher
  Object.assign(base.prototype, require('undici/lib/api/index.js'))
}

/** Connections to any server: through the proxies of the environment (HTTPS_PROXY, HTTP_PROXY, NO_PROXY) where it names some. */
export function openDispatcher(options: UndiciAgent.Options, env: Environment = process.env): UndiciDispatcher {
  putTogether()
  const { httpProxy, httpsProxy } = proxiesIn(env)
  if (httpProxy === '' && httpsProxy === '') {
    const Agent = require('undici/lib/dispatcher/agent.js') as typeof UndiciAgent
    return new Agent(options)
  }
  const ProxyAgent = require('undici/lib/dispatcher/env-http-proxy-agent.js') as typeof UndiciProxyAgent
  const noProxy = [env.no_proxy || env.NO_PROXY || '', ...thisMachine].join(',')
  return new ProxyAgent({ ...options, httpProxy, httpsProxy, noProxy })
}

const timeouts = { connectTimeout: 10_000, headersTimeout: 120_000, bodyTimeout: 60_000, keepAliveTimeout: 10_000 }

interface Sizes {
  /** Per origin. */
  connections: number
  /** So long an answer that goes on may say nothing. */
  silenceMs?: number | undefined
}

/**
 * The connections to one workspace: for calls, and for answers that go on, of which each keeps one for as long as it lasts. Opened, and what
 * they are made of loaded, when they are used first.
 */
export class Connections {
  readonly #sizes: Sizes
  #calls: UndiciDispatcher | undefined
  #streams: UndiciDispatcher | undefined
  #isClosed = false

  /** Throws ClientError `WRONG_ADDRESS` for a proxy that is none. */
  constructor(sizes: Sizes) {
    this.#sizes = sizes
    proxiesIn(process.env)
  }

  /**
   * Sends a request over the connections of that kind. When the signer of a certificate is unknown, it loads the authorities of the system and
   * sends the request once more. That is safe: a refused certificate ends the connection before any of the request is sent.
   */
  async request(kind: 'calls' | 'streams', make: () => UndiciDispatcher.RequestOptions): Promise<UndiciDispatcher.ResponseData> {
    const wasTrusting = trustsSystem()
    const options = make()
    try {
      return await this[kind].request(options)
    } catch (error) {
      if (!isOfCertificate(error)) throw error
      if (isUntrusted(error) && !wasTrusting && trustSystem()) return this.request(kind, make)
      const url = new URL(String(options.origin))
      if (url.protocol === 'https:' && proxyFor(url.href, process.env) === undefined) keepPresented(error, await presentedBy(url))
      throw error
    }
  }

  get calls(): UndiciDispatcher {
    if (!this.#calls) {
      this.#calls = openDispatcher({ ...timeouts, connections: this.#sizes.connections })
      // Who calls after the end is refused, as where there were some before.
      if (this.#isClosed) void this.#calls.destroy()
    }
    return this.#calls
  }

  get streams(): UndiciDispatcher {
    this.#streams ??= openDispatcher({ ...timeouts, bodyTimeout: this.#sizes.silenceMs ?? timeouts.bodyTimeout })
    return this.#streams
  }

  /** `finish` waits for calls that run. Answers that go on end in both cases. */
  async close(how: 'finish' | 'destroy'): Promise<void> {
    this.#isClosed = true
    await this.#streams?.destroy()
    await (how === 'finish' ? this.#calls?.close() : this.#calls?.destroy())
  }

  /** From now on over new ones. Calls that run over the old ones fail as if these had been cut. */
  async renewCalls(): Promise<void> {
    const old = this.#calls
    this.#calls = undefined
    await old?.destroy(Object.assign(new Error('the connections are opened anew'), { code: 'ECONNRESET' }))
  }
}
