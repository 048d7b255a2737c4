/** A wire between a server and its PostgreSQL that reads along which statements are executed (PostgreSQL's protocol 3, "Message Formats"). */
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { connect, createServer } from 'node:net'

export interface StatementWire {
  /** The database's address by way of the wire. */
  url: string
  /** The texts of all statements that were executed so far, by whichever connection. */
  executed: readonly string[]
  end(): void
}

/** The caller ends it. */
export async function readStatements(databaseUrl: string): Promise<StatementWire> {
  const target = new URL(databaseUrl)
  const executed: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    const reader = new Reader((text) => executed.push(text))
    client.on('data', (chunk: Buffer) => reader.take(chunk))
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        client.destroy()
        upstream.destroy()
      })
    }
    client.pipe(upstream).pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  url.port = String((server.address() as AddressInfo).port)
  const end = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  return { url: url.href, executed, end }
}

/** What one client says. The first message, which begins the session, has no type before its length. */
class Reader {
  readonly #tell: (text: string) => void
  readonly #prepared = new Map<string, string>()
  #bytes: Buffer = Buffer.alloc(0)
  #bound = ''
  #hasBegun = false

  constructor(tell: (text: string) => void) {
    this.#tell = tell
  }

  take(chunk: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk])
    for (;;) {
      const typeBytes = this.#hasBegun ? 1 : 0
      if (this.#bytes.length < typeBytes + 4) return
      const end = typeBytes + this.#bytes.readUInt32BE(typeBytes)
      if (this.#bytes.length < end) return
      if (this.#hasBegun) this.#read(String.fromCharCode(this.#bytes[0] ?? 0), this.#bytes.subarray(5, end))
      this.#hasBegun = true
      this.#bytes = this.#bytes.subarray(end)
    }
  }

  /** Parse, Bind, Execute and Query; the others execute nothing. */
  #read(type: string, body: Buffer): void {
    const [first = '', second = ''] = body.toString('latin1').split('\0', 2)
    if (type === 'P') this.#prepared.set(first, second)
    else if (type === 'B') this.#bound = this.#prepared.get(second) ?? ''
    else if (type === 'E') this.#tell(this.#bound)
    else if (type === 'Q') this.#tell(first)
  }
}
