/**
 * Where `/metrics` is shown by default: at a port of its own, on 127.0.0.1. On the server's own port nothing tells a monitor on this
 * machine from the internet behind a proxy on this machine: both come from 127.0.0.1, and a proxy need not say that it is one.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { keepNewest } from '../../serving/newest-connections.ts'
import { SettingError, type Settings } from '../config.ts'
import type { Logger } from './log.ts'

export interface MetricsText {
  contentType: string
  text: string
}

const host = '127.0.0.1'
/** More than monitors of one machine need. Every program of the machine reaches the port: those that say nothing keep no monitor out. */
const mostConnections = 64
const requestMs = 10_000
/** A page of another site whose name leads to this machine is refused by the name. */
const ownHost = /^(127\.0\.0\.1|localhost)(:\d{1,5})?$/i

export class MetricsListener {
  readonly #read: () => Promise<MetricsText>
  #server: Server | undefined

  constructor(read: () => Promise<MetricsText>) {
    this.#read = read
  }

  /** `http://127.0.0.1:7411/metrics`; undefined while nothing listens. */
  get url(): string | undefined {
    const address = this.#server?.address() as AddressInfo | null | undefined
    return address ? `http://${host}:${address.port}/metrics` : undefined
  }

  /**
   * `mainPort`: where the server itself listens. Throws SettingError when a port that was chosen cannot be had; without the one beside
   * the server's own port it goes on, and the log says so.
   */
  async open({ metricsPort, port }: Settings, mainPort: number, log: Logger): Promise<void> {
    if (metricsPort === undefined) return
    const isChosen = metricsPort !== 'beside'
    const listenPort = isChosen ? metricsPort : port === 0 ? 0 : mainPort + 1
    try {
      this.#server = await listenOn(listenPort, (request, response) => void this.#answer(request, response, log))
      log.info(`metrics at ${this.url}`)
    } catch (error) {
      const why = `${host}:${listenPort} cannot be listened on (${(error as NodeJS.ErrnoException).code})`
      if (isChosen) throw new SettingError(`PH_METRICS is "${metricsPort}": ${why}. Choose another port.`)
      log.warn(`No metrics are shown: ${why}. PH_METRICS chooses another port.`)
    }
  }

  async close(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    if (!server) return
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }

  async #answer({ method, url, headers }: IncomingMessage, response: ServerResponse, log: Logger): Promise<void> {
    const refusal = refusalOf(method, url?.split('?')[0], headers.host)
    if (refusal)
      return send(response, refusal[0], { contentType: 'application/json', text: JSON.stringify({ error: refusal[1] }) })
    try {
      send(response, 200, await this.#read())
    } catch (err) {
      log.error({ err }, 'the metrics could not be read')
      send(response, 500, {
        contentType: 'application/json',
        text: '{"error":"The metrics could not be read. The log says why."}',
      })
    }
  }
}

async function listenOn(port: number, answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<Server> {
  if (port > 65_535) throw Object.assign(new Error('no such port'), { code: 'no such port' })
  const server = createServer({ requestTimeout: requestMs, headersTimeout: requestMs }, answer)
  keepNewest(server, mostConnections)
  server.listen({ host, port })
  await once(server, 'listening')
  return server
}

function refusalOf(method = '', path = '', name = ''): [status: number, sentence: string] | undefined {
  if (!ownHost.test(name)) return [403, `Metrics are served as ${host}, not under another name.`]
  if (path !== '/metrics') return [404, 'There is nothing here but /metrics.']
  if (method !== 'GET' && method !== 'HEAD') return [405, 'Metrics are read with GET.']
  return undefined
}

function send(response: ServerResponse, status: number, { contentType, text }: MetricsText): void {
  response.writeHead(status, { 'Content-Type': contentType, 'Content-Length': Buffer.byteLength(text) })
  response.end(response.req.method === 'HEAD' ? undefined : text)
}
