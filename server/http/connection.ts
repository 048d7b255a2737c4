/** One connection: a request at a time. What comes ahead of its turn waits, unread as far as it has not come yet. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Held } from '../../serving/bodies/held-bytes.ts'
import { Pieces } from './pieces.ts'

export type Handle = (request: IncomingMessage, response: ServerResponse) => void

/** `silent`: no request has come. `over`: its last answer was given, and the other side has to close. */
export type Standing = 'silent' | 'asked' | 'idle' | 'over'

interface Turn {
  request: IncomingMessage
  response: ServerResponse
}

interface Around {
  handle: Handle
  /** Hears of every change. */
  onStanding: (standing: Standing) => void
  /** Hears how many requests more, or fewer, wait for their turn. */
  onWaiting: (change: number) => void
}

/** The other side may read its last answer for so long: to close at once could take it away again. */
const lingerMs = 1000

export class Connection {
  readonly socket: Socket
  /** Large answers that have not left altogether. */
  readonly answers = new Set<Held>()
  /** Since when nothing has left of an answer that waits; undefined while something does. */
  stalledSinceMs: number | undefined
  readonly #around: Around
  /** The request that is under way, or was last. */
  #current: Turn | undefined
  #isAsked = false
  #isOver = false
  #isHeld = false
  #hearsResume = false
  #waiting: Turn[] = []
  #last: string | undefined
  #pieces: Pieces | undefined

  constructor(socket: Socket, around: Around) {
    this.socket = socket
    this.#around = around
    // An answer that still waits behind others does not close by itself.
    socket.once('close', () => {
      for (const answer of this.answers) answer.letGo()
      this.#forget()
    })
  }

  /** Requests that wait for the answer of one before them. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** What comes goes to Node's parser by way of us from now on. */
  split(): void {
    const { socket } = this
    const [parse] = socket.listeners('data') as ((piece: Buffer) => void)[]
    if (!parse) return
    const newest = () => (this.#waiting.at(-1) ?? this.#current)?.request
    const pieces = new Pieces({ parse, mayGoOn: () => !this.#isHeld && !this.#isOver && !socket.destroyed, newest })
    this.#pieces = pieces
    socket.off('data', parse)
    socket.on('data', (chunk: Buffer) => pieces.add(chunk))
  }

  /** Begins a request, or lets it wait for its turn: then nothing more is read before. */
  take(turn: Turn): void {
    if (this.#isAsked) {
      this.#waiting.push(turn)
      this.#hold()
      this.#around.onWaiting(1)
    } else this.#begin(turn)
  }

  /** Says `text` behind the answers of what was asked, or instead of one whose own body cannot be read, and ends the connection. */
  endWith(text: string): void {
    const newest = this.#waiting.at(-1) ?? this.#current
    const isBroken = newest?.request.complete === false
    if (isBroken && newest === this.#current) this.#end(newest.response.headersSent ? '' : text)
    else {
      if (isBroken) this.#forget(1)
      this.#last = text
      if (this.#isAsked) this.#hold()
      else this.#end(text)
    }
  }

  /** Ends the connection at once, and all that waits. */
  drop(): void {
    this.#forget()
    this.socket.destroy()
  }

  /** Whether it is the server that does not read on. */
  get isHeld(): boolean {
    return this.#isHeld
  }

  #begin(turn: Turn): void {
    const { request, response } = turn
    this.#current = turn
    if (!this.#isAsked) {
      this.#isAsked = true
      this.#around.onStanding('asked')
    }
    response.once('close', () => this.#next())
    this.#around.handle(request, response)
  }

  /** An answer has left. */
  #next(): void {
    if (this.#isOver) return
    if (!this.socket.writable) this.#forget()
    const next = this.#waiting.shift()
    if (next) this.#around.onWaiting(-1)
    const isRead = this.#waiting.length === 0 && this.#last === undefined
    if (isRead) this.#isHeld = false
    if (next) this.#begin(next)
    else this.#rest()
    if (isRead) this.#readOn()
  }

  #rest(): void {
    this.#isAsked = false
    if (this.#last !== undefined) this.#end(this.#last)
    else this.#around.onStanding('idle')
  }

  /** The last ones, or all that wait. */
  #forget(many = this.#waiting.length): void {
    this.#around.onWaiting(-many)
    this.#waiting.splice(this.#waiting.length - many)
  }

  /** Who reads a body resumes the connection: it stands still again before anything is read. */
  #hold(): void {
    this.#isHeld = true
    this.socket.pause()
    if (this.#hearsResume) return
    this.#hearsResume = true
    this.socket.on('resume', () => {
      if (this.#isHeld) this.socket.pause()
    })
  }

  /** First what is here already. */
  #readOn(): void {
    this.#pieces?.goOn()
    if (!this.#isHeld && this.#hearsResume) this.socket.resume()
  }

  #end(text: string): void {
    const { socket } = this
    this.#isOver = true
    this.#forget()
    this.#around.onStanding('over')
    socket.end(text)
    const soon = setTimeout(() => socket.destroy(), lingerMs)
    socket.once('close', () => clearTimeout(soon))
  }
}
