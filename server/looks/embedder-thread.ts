/** The embedder of a server, in a thread of its own: opened when something is first asked of it, and again where its thread has ended. */
import { Worker } from 'node:worker_threads'
import { ApiError } from '../../contract/errors.ts'
import { FormatError } from '../../formats/format-error.ts'
import { shareDecodingPlaces } from '../../formats/pictures/decoding-places.ts'
import type { Clock } from '../clock.ts'
import type { Logger } from '../monitoring/log.ts'
import type { Look } from './embedder.ts'
import type { EmbedderFacts, EmbedderRequest, ThreadAnswer } from './embedder-answers.ts'

interface EmbedderThreadParts {
  /** As `PH_EMBEDDER` has it. */
  setting: string
  clock: Clock
  log: Pick<Logger, 'warn'>
  /** Exports `openEmbedder`; tests have embedders of their own. */
  module?: URL | undefined
}

/** A model of some hundred megabytes is read within this. */
const openMs = 60_000
/** One picture, however large. */
const answerMs = 30_000
/** So long after an embedder could not be opened it is not tried again. */
const pauseMs = 60_000
/** Of what JavaScript holds; models and pixels come on top. */
const heapMiB = 512

const workerFile = new URL(import.meta.url.endsWith('.ts') ? './embedder-worker.ts' : './embedder-worker.js', import.meta.url)

/** The thread ended, or was ended, before it answered. */
export class ThreadEnded extends Error {}

/** Who waits for an answer of a thread. */
interface Waiting {
  resolve(looks: Look[]): void
  reject(error: Error): void
}

export class EmbedderThread {
  readonly isOff: boolean
  readonly #parts: EmbedderThreadParts
  #thread: Thread | undefined
  #facts: EmbedderFacts | undefined
  #failure: { message: string; untilMs: number } | undefined
  #isClosed = false

  constructor(parts: EmbedderThreadParts) {
    this.#parts = parts
    this.isOff = parts.setting === 'off'
  }

  /** What the embedder is, as soon as that is known; then it does not change. */
  get facts(): EmbedderFacts | undefined {
    return this.#facts
  }

  /** `idle`: nothing has asked for it yet. */
  get state(): 'off' | 'fails' | 'ok' | 'idle' {
    if (this.isOff) return 'off'
    if (this.#failure) return 'fails'
    return this.#facts ? 'ok' : 'idle'
  }

  /** Why it cannot be used now. */
  get failure(): string | undefined {
    return this.#failure?.message
  }

  /** Undefined where there is none: it is off, or cannot be opened; the log says why. */
  async open(): Promise<EmbedderFacts | undefined> {
    if (this.#facts) return this.#facts
    return (await this.#opened())?.facts
  }

  /** The same; where there is none, EMBEDDINGS_UNAVAILABLE. */
  async require(): Promise<EmbedderFacts> {
    const facts = await this.open()
    if (facts) return facts
    throw unavailable(this.isOff ? 'Search by look is switched off on this server.' : undefined)
  }

  /** Of a picture. Throws FormatError where it cannot be read, ThreadEnded, or EMBEDDINGS_UNAVAILABLE. */
  async look(bytes: Uint8Array): Promise<Look> {
    const [look] = await this.#ask({ want: 'look', bytes })
    if (!look) throw new Error('the embedder gave nothing for a picture')
    return look
  }

  /** Of a picture that is searched for: one for each view of it that counts as the same. Throws as `look` does. */
  questions(bytes: Uint8Array): Promise<Look[]> {
    return this.#ask({ want: 'questions', bytes })
  }

  /** Of words. Throws as `look` does. */
  words(text: string): Promise<Look[]> {
    return this.#ask({ want: 'words', text })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#thread?.end('The server ends.')
  }

  async #ask(order: EmbedderRequest): Promise<Look[]> {
    const opened = await this.#opened()
    if (!opened) throw unavailable()
    return opened.thread.ask(order)
  }

  async #opened(): Promise<{ thread: Thread; facts: EmbedderFacts } | undefined> {
    if (this.isOff || this.#isClosed) return undefined
    if (this.#failure && this.#nowMs() < this.#failure.untilMs) return undefined
    const thread = this.#living()
    const opening = await thread.opening
    if ('opened' in opening) {
      this.#facts ??= opening.opened
      this.#failure = undefined
      // Files of a model that was changed meanwhile make another embedder, which vectors of this one do not fit.
      if (this.#facts.name === opening.opened.name) return { thread, facts: this.#facts }
      await this.#fail(thread, 'The embedder was changed while the server ran. Restart the server to use it.')
    } else await this.#fail(thread, opening.notOpened)
    return undefined
  }

  #living(): Thread {
    if (this.#thread?.isAlive) return this.#thread
    const { setting, module } = this.#parts
    this.#thread = new Thread({ setting, module: module?.href })
    return this.#thread
  }

  async #fail(thread: Thread, message: string): Promise<void> {
    if (!this.#isClosed && this.#failure?.message !== message)
      this.#parts.log.warn({ embedder: this.#parts.setting }, `search by look does not work: ${message}`)
    this.#failure = { message, untilMs: this.#nowMs() + pauseMs }
    await thread.end(message)
  }

  #nowMs(): number {
    return this.#parts.clock.now().getTime()
  }
}

const unavailable = (message?: string): ApiError => new ApiError('EMBEDDINGS_UNAVAILABLE', message, { httpStatus: 503 })

/** One life of the thread. */
class Thread {
  readonly opening: Promise<{ opened: EmbedderFacts } | { notOpened: string }>
  isAlive = true
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  readonly #heard = Promise.withResolvers<{ opened: EmbedderFacts } | { notOpened: string }>()
  #lastId = 0

  constructor(workerData: { setting: string; module: string | undefined }) {
    this.opening = this.#heard.promise
    shareDecodingPlaces()
    this.#worker = new Worker(workerFile, { workerData, resourceLimits: { maxOldGenerationSizeMb: heapMiB } })
    this.#worker.unref()
    const slow = setTimeout(() => void this.end(`It was not ready within ${openMs / 1000} seconds.`), openMs).unref()
    void this.opening.then(() => clearTimeout(slow))
    this.#worker.on('message', (answer: ThreadAnswer) => this.#hear(answer))
    this.#worker.on('error', (error: NodeJS.ErrnoException) =>
      this.#ended(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'It took more memory than it may.' : error.message),
    )
    this.#worker.on('exit', () => this.#ended('Its thread ended.'))
  }

  ask(order: EmbedderRequest): Promise<Look[]> {
    return new Promise((resolve, reject) => {
      if (!this.isAlive) return reject(new ThreadEnded('The thread of the embedder ended.'))
      const id = ++this.#lastId
      const slow = setTimeout(() => void this.end(`A picture took longer than ${answerMs / 1000} seconds.`), answerMs)
      const settled = <T>(settle: (value: T) => void) => {
        return (value: T) => {
          clearTimeout(slow)
          settle(value)
        }
      }
      this.#waiting.set(id, { resolve: settled(resolve), reject: settled(reject) })
      this.#worker.postMessage({ id, ...order })
    })
  }

  async end(why: string): Promise<void> {
    this.#ended(why)
    await this.#worker.terminate()
  }

  #hear(answer: ThreadAnswer): void {
    if (!('id' in answer)) {
      this.#heard.resolve(answer)
      return
    }
    const waiting = this.#waiting.get(answer.id)
    this.#waiting.delete(answer.id)
    if ('looks' in answer) waiting?.resolve(answer.looks)
    else waiting?.reject(answer.isUnreadable ? new FormatError('damaged', answer.failure) : new Error(answer.failure))
  }

  #ended(why: string): void {
    if (!this.isAlive) return
    this.isAlive = false
    this.#heard.resolve({ notOpened: why })
    for (const { reject } of this.#waiting.values()) reject(new ThreadEnded(why))
    this.#waiting.clear()
  }
}
