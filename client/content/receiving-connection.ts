/**
 * A connection that brings one file after the other, with as little work for each byte as there can be: read into memory that is
 * used again, hashed and written from there while the processor still has it at hand. It takes plain answers only, and tries once;
 * whatever else comes is left to `Http`, which is patient and says what is wrong (part-fill.ts). With undici here as well, which
 * reads into new memory each time and copies that for its parser, a pull takes 1.1 to 1.3 times the CPU time and, where the disk is
 * not what it waits for, 1.2 times as long (bench/README.md).
 */
import { connect, isIP, type OnReadOpts, type Socket } from 'node:net'
import { trustAsStarter } from '../http/certificates.ts'
import { type PlainHead, plainHead } from './answer-head.ts'
import { PartFile } from './part-file.ts'

export interface ReceiveOrder {
  /** Absolute, http or https. Carries all it needs: nothing else is sent. */
  url: string
  /** Not there yet: it is made when an answer comes that can be taken. */
  path: string
  /** Bytes and SHA-256 that the file must have. */
  size: number
  hash: string
}

/** What an order came to, and how many bytes are in the file. `stopped`: not all, for a reason that does not matter here. */
export interface Received {
  outcome: 'whole' | 'other-bytes' | 'stopped'
  bytes: number
}

/** The most that is read at once: it stays in the processor's own memory while it is hashed and written. */
const bufferBytes = 256 * 1024
const headBytes = 16 * 1024
const connectMs = 10_000
const silentMs = 60_000
const headEnd = Buffer.from('\r\n\r\n')

interface Taking extends PromiseWithResolvers<Received> {
  order: ReceiveOrder
  /** What came of a head that has not ended yet. */
  head: Buffer
  plain: PlainHead | undefined
  part: PartFile | undefined
}

export class ReceivingConnection {
  readonly #buffer = Buffer.allocUnsafeSlow(bufferBytes)
  #socket: Socket | undefined
  #origin = ''
  #taking: Taking | undefined

  /** One at a time. Rejects with what the disk says. */
  receive(order: ReceiveOrder): Promise<Received> {
    const taking = { order, head: Buffer.alloc(0), plain: undefined, part: undefined, ...Promise.withResolvers<Received>() }
    this.#taking = taking
    const { origin, host, pathname, search } = new URL(order.url)
    // One that the other side has ended may not have closed yet.
    if (origin !== this.#origin || !this.#socket?.writable) this.close()
    this.#socket ??= this.#connect(new URL(origin))
    this.#socket.write(`GET ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\naccept: */*\r\n\r\n`)
    return taking.promise
  }

  /** Bytes that are there of the file on its way. */
  get progress(): number {
    return this.#taking?.part?.size ?? 0
  }

  close(): void {
    const socket = this.#socket
    this.#socket = undefined
    socket?.destroy()
  }

  #connect({ origin, protocol, hostname, port }: URL): Socket {
    this.#origin = origin
    const host = hostname.replace(/^\[(.*)\]$/, '$1')
    const onread: OnReadOpts = { buffer: this.#buffer, callback: (read) => this.#read(socket, this.#buffer.subarray(0, read)) }
    const isSecure = protocol === 'https:'
    if (isSecure) trustAsStarter()
    const target = { host, port: Number(port) || (isSecure ? 443 : 80), onread, ...(isIP(host) ? {} : { servername: host }) }
    // Loading what TLS needs takes a thread as long as starting.
    const socket: Socket = isSecure ? process.getBuiltinModule('node:tls').connect(target) : connect(target)
    socket.setNoDelay()
    socket.setTimeout(connectMs, () => socket.destroy())
    socket.once('connect', () => socket.setTimeout(silentMs))
    // What it died of is of interest to nobody: `close` follows.
    socket.on('error', () => {})
    socket.once('close', () => this.#gone(socket))
    return socket
  }

  #gone(socket: Socket): void {
    if (this.#socket !== socket) return
    this.#socket = undefined
    this.#end('stopped')
  }

  /** Says whether to go on reading. */
  #read(socket: Socket, bytes: Buffer): boolean {
    if (socket !== this.#socket) return false
    try {
      const end = this.#taking ? this.#take(this.#taking, bytes) : 'stopped'
      if (!end) return true
      if (end !== 'whole' || this.#taking?.plain?.isLast) this.close()
      this.#end(end)
    } catch (error) {
      this.close()
      const taking = this.#taking
      this.#taking = undefined
      taking?.part?.close()
      taking?.reject(error)
    }
    return true
  }

  #end(outcome: Received['outcome']): void {
    const taking = this.#taking
    this.#taking = undefined
    taking?.part?.close()
    taking?.resolve({ outcome, bytes: taking.part?.size ?? 0 })
  }

  /** Undefined while more of the answer is to come. */
  #take(taking: Taking, bytes: Buffer): Received['outcome'] | undefined {
    const body = taking.plain ? bytes : this.#takeHead(taking, bytes)
    if (!taking.plain) return body ? 'stopped' : undefined
    const { part, order } = taking
    if (!part || !body || part.size + body.length > order.size) return 'stopped'
    if (body.length > 0) part.write(body)
    if (part.size < order.size) return undefined
    return part.digest() === order.hash ? 'whole' : 'other-bytes'
  }

  /** Gives what follows the head; undefined while it has not ended. Without `plain` afterwards the answer is not to be taken. */
  #takeHead(taking: Taking, bytes: Buffer): Buffer | undefined {
    const all = taking.head.length > 0 ? Buffer.concat([taking.head, bytes]) : bytes
    const end = all.indexOf(headEnd)
    if (end < 0) {
      taking.head = Buffer.from(all)
      return all.length > headBytes ? all : undefined
    }
    const plain = plainHead(all.toString('latin1', 0, end))
    if (plain?.length === taking.order.size) {
      taking.plain = plain
      taking.part = new PartFile(taking.order.path)
    }
    return all.subarray(end + headEnd.length)
  }
}
