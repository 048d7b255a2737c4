/** A wire between a server and its PostgreSQL that reads along which statements are executed, and can stop one (PostgreSQL's protocol 3, "Message Formats"). */
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { connect, createServer } from 'node:net'

export interface StatementWire {
  /** The database's address by way of the wire. */
  url: string
  /** The texts of all statements that were executed so far, by whichever connection. */
  executed: readonly string[]
  /** The next statement that matches, by whichever connection, does not get to the database before `goOn`; all others do. */
  stopBefore(text: RegExp): Stop
  /** None that matches gets to the database before `goOn`, by whichever connection: background work says BEGIN and COMMIT as well. */
  stopAll(text: RegExp): Stop
  end(): void
}

export interface Stop {
  /** Resolves when the statement has come. */
  reached: Promise<void>
  goOn(): void
}

/** The caller ends it. */
export async function readStatements(databaseUrl: string): Promise<StatementWire> {
  const target = new URL(databaseUrl)
  const executed: string[] = []
  const sockets = new Set<Socket>()
  const stops = new Set<Standing>()
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    const line = new Line(upstream, { executed, stops })
    client.on('data', (chunk: Buffer) => line.take(chunk))
    client.on('end', () => upstream.end())
    for (const socket of [client, upstream]) {
      sockets.add(socket.setNoDelay())
      socket.on('error', () => {})
      socket.on('close', () => {
        client.destroy()
        upstream.destroy()
      })
    }
    upstream.pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  url.port = String((server.address() as AddressInfo).port)
  const hold = (text: RegExp, most: number): Stop => {
    const stop = new Standing(text, most)
    stops.add(stop)
    return { reached: stop.reached.promise, goOn: () => stop.goOn() }
  }
  const end = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: url.href,
    executed,
    stopBefore: (text) => hold(text, 1),
    stopAll: (text) => hold(text, Number.POSITIVE_INFINITY),
    end,
  }
}

/** A stop that waits for its statements, at most so many, and holds the lines that they come on. */
class Standing {
  readonly reached = Promise.withResolvers<void>()
  readonly #text: RegExp
  readonly #most: number
  readonly #lines: Line[] = []
  #isOver = false

  constructor(text: RegExp, most: number) {
    this.#text = text
    this.#most = most
  }

  /** Whether the line is held from now on. */
  take(line: Line, statement: string): boolean {
    if (this.#isOver || this.#lines.length >= this.#most || !this.#text.test(statement)) return false
    this.#lines.push(line)
    this.reached.resolve()
    return true
  }

  goOn(): void {
    this.#isOver = true
    for (const line of this.#lines) line.goOn()
  }
}

/** What one client says. The first message, which begins the session, has no type before its length. */
class Line {
  readonly #upstream: Socket
  readonly #wire: { executed: string[]; stops: Set<Standing> }
  readonly #prepared = new Map<string, string>()
  readonly #held: Buffer[] = []
  #bytes: Buffer = Buffer.alloc(0)
  #bound = ''
  #hasBegun = false
  #isHeld = false

  constructor(upstream: Socket, wire: { executed: string[]; stops: Set<Standing> }) {
    this.#upstream = upstream
    this.#wire = wire
  }

  take(chunk: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk])
    for (;;) {
      const typeBytes = this.#hasBegun ? 1 : 0
      if (this.#bytes.length < typeBytes + 4) return
      const end = typeBytes + this.#bytes.readUInt32BE(typeBytes)
      if (this.#bytes.length < end) return
      const message = this.#bytes.subarray(0, end)
      if (this.#hasBegun) this.#read(String.fromCharCode(message[0] ?? 0), message.subarray(5))
      this.#hasBegun = true
      this.#bytes = this.#bytes.subarray(end)
      if (this.#isHeld) this.#held.push(message)
      else this.#upstream.write(message)
    }
  }

  goOn(): void {
    this.#isHeld = false
    for (const message of this.#held.splice(0)) this.#upstream.write(message)
  }

  /** Parse, Bind, Execute and Query; the others execute nothing. A statement begins with its Parse, or with its Bind where it was parsed before. */
  #read(type: string, body: Buffer): void {
    const [first = '', second = ''] = body.toString('latin1').split('\0', 2)
    if (type === 'P') this.#prepared.set(first, second)
    else if (type === 'B') this.#bound = this.#prepared.get(second) ?? ''
    else if (type === 'E') this.#wire.executed.push(this.#bound)
    else if (type === 'Q') this.#wire.executed.push(first)
    const begun = { P: second, B: this.#bound, Q: first }[type]
    if (begun === undefined || this.#isHeld) return
    this.#isHeld = [...this.#wire.stops].some((stop) => stop.take(this, begun))
  }
}
