/** Answers that go on: events as they come, a sign of life where nothing happens, until the client goes or the program ends. */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { eventText, keepAlive, type StreamEvent } from '../contract/event-stream.ts'

/** Proxies close what is silent for a minute. */
const usualMs = 20_000

/** The streams that are open at one application: they end before it does, because nothing else would end them. */
export class EventAnswers {
  readonly #ending = new AbortController()
  readonly #aliveMs: number

  constructor(aliveMs = usualMs) {
    this.#aliveMs = aliveMs
  }

  mount(app: FastifyInstance): void {
    app.addHook('preClose', async () => this.#ending.abort())
  }

  /** Aborted when the client has gone, or the program ends. */
  signalOf({ raw }: FastifyReply): AbortSignal {
    const gone = new AbortController()
    // Of the answer, not of the connection, which takes more requests after one that was refused.
    raw.once('close', () => gone.abort())
    // Of one that went while it was found out who asks, nothing more is told.
    if (raw.destroyed) gone.abort()
    return AbortSignal.any([gone.signal, this.#ending.signal])
  }

  send(reply: FastifyReply, events: AsyncIterable<StreamEvent>): FastifyReply {
    const iterator = events[Symbol.asyncIterator]()
    const isHead = reply.request.method === 'HEAD'
    // Who made the events may hold something for as long as they are read.
    if (isHead) void iterator.return?.()
    return reply
      .header('Cache-Control', 'no-store')
      .header('X-Accel-Buffering', 'no')
      .type('text/event-stream; charset=utf-8')
      .send(Readable.from(isHead ? [] : textOf(iterator, this.#aliveMs)))
  }
}

/** Begins at once, so that the client has the headers. */
async function* textOf(iterator: AsyncIterator<StreamEvent>, aliveMs: number): AsyncGenerator<string> {
  yield keepAlive
  let next = iterator.next()
  try {
    for (;;) {
      const result = await within(next, aliveMs)
      if (result === undefined) {
        yield keepAlive
        continue
      }
      if (result.done) return
      yield eventText(result.value)
      next = iterator.next()
    }
  } finally {
    next.catch(() => {})
    await iterator.return?.()
  }
}

/** Undefined when nothing came in time. */
async function within<T>(next: Promise<T>, ms: number): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), ms)
  try {
    return await Promise.race([next, promise])
  } finally {
    clearTimeout(timer)
  }
}
