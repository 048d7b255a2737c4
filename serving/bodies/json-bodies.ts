/** How bodies of JSON come in: within the limit of their route, a few large ones at a time, and the largest read in threads of their own. */
import { getHeapStatistics } from 'node:v8'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { maxBodyBytes, type Route } from '../../contract/route.ts'
import { hasBody } from '../unread-body.ts'
import { HeldBytes } from './held-bytes.ts'
import { parseJson } from './parse.ts'
import { BodyReader } from './reader.ts'
import { brokenOff, type Received, receive } from './receive.ts'
import { type GiveBack, type Owner, WeightedQueue } from './weighted-queue.ts'

const MiB = 1024 * 1024

/** An input that has been checked already. */
export class ReadInput {
  readonly input: Record<string, unknown>

  constructor(input: Record<string, unknown>) {
    this.input = input
  }
}

/** Bodies of about one weight, which wait for each other only. */
interface Lane {
  /** The heaviest that belongs here. */
  weight: number
  queue: WeightedQueue
  /** Without one, bodies are read where everything happens: at this weight that takes some milliseconds. */
  reader?: BodyReader
}

/** What becomes of a request's body. */
interface Work {
  over: AbortController
  giveBack?: GiveBack
  isHandled?: boolean
}

export class JsonBodies {
  readonly #lanes: readonly Lane[]
  readonly #held: HeldBytes
  readonly #works = new WeakMap<FastifyRequest, Work>()
  readonly #ownerOf: (request: FastifyRequest) => Owner

  /** `heapBytes`: of the process; half of it is for bodies that are read, or worked on. */
  constructor(ownerOf: (request: FastifyRequest) => Owner, heapBytes = getHeapStatistics().heap_size_limit) {
    this.#ownerOf = ownerOf
    this.#lanes = [
      { weight: 3 * MiB, queue: new WeightedQueue(heapBytes / 8) },
      { weight: 32 * MiB, queue: new WeightedQueue(heapBytes / 8), reader: new BodyReader(Math.min(256, heapBytes / MiB)) },
      {
        weight: Number.POSITIVE_INFINITY,
        queue: new WeightedQueue(heapBytes / 4),
        reader: new BodyReader(Math.min(1024, heapBytes / MiB)),
      },
    ]
    // Outside the heap. The largest body has room in any case.
    this.#held = new HeldBytes(Math.max(80 * MiB, heapBytes / 16))
  }

  mount(app: FastifyInstance): void {
    app.addContentTypeParser('application/json', (request, _payload, done) => {
      this.#take(request).then((body) => done(null, body), done)
    })
    app.addHook('onRequest', (request, reply, done) => {
      if (hasBody(request.raw)) reply.raw.once('close', () => this.#over(request))
      // Some programs send a Content-Type without a body, as `fetch` does for an empty text.
      else delete request.raw.headers['content-type']
      done()
    })
    app.addHook('onClose', async () => {
      await Promise.all(this.#lanes.map(({ reader }) => reader?.close()))
    })
  }

  /** The memory of its body stays counted until the work is done, whatever becomes of the connection. */
  async during<T>(request: FastifyRequest, work: () => Promise<T>): Promise<T> {
    const own = this.#works.get(request)
    if (!own) return work()
    own.isHandled = true
    try {
      return await work()
    } finally {
      own.giveBack?.()
    }
  }

  async #take(request: FastifyRequest): Promise<unknown> {
    const { route } = request.routeOptions.config
    if (!route) throw new Error(`${request.routeOptions.url} is no route of the contract`)
    const work: Work = { over: new AbortController() }
    this.#works.set(request, work)
    const { signal } = work.over
    const held = this.#held.open(this.#ownerOf(request), (reason) => work.over.abort(reason))
    try {
      const name = `${route.method} ${route.path}`
      const received = await receive(request.raw, { maxBytes: maxBodyBytes(route), routeName: name, held, signal })
      // No text at all is no body.
      const body = received.sizeBytes === 0 ? undefined : await this.#read(request, received, work)
      // No handler would come, and nothing would give its memory back to the queue.
      if (request.raw.socket.destroyed) throw brokenOff()
      return body
    } catch (error) {
      work.giveBack?.()
      throw error
    } finally {
      held.letGo()
    }
  }

  async #read(request: FastifyRequest, { blocks, weight }: Received, work: Work): Promise<unknown> {
    const { signal } = work.over
    const lane = this.#lanes.find((one) => weight <= one.weight)
    if (!lane) throw new Error('every weight has a lane')
    work.giveBack = await lane.queue.take({ owner: this.#ownerOf(request), weight, signal })
    if (!lane.reader) return parseJson(blocks)
    const { method, path } = request.routeOptions.config.route as Route
    const { params, query } = request as { params: Record<string, string>; query: Record<string, string> }
    return new ReadInput(await lane.reader.read({ method, path, params, query, blocks }, signal))
  }

  /** Answered, or the connection broke before that: then its body does not wait any longer, and only work that has begun goes on. */
  #over(request: FastifyRequest): void {
    const work = this.#works.get(request)
    work?.over.abort(brokenOff())
    if (!work?.isHandled) work?.giveBack?.()
  }
}
