/** Bare connections for tests: what is sent over them, what came back, and that nobody reads it before a test says so. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterFile } from './after-file.ts'

export interface BareConnection {
  socket: Socket
  /** Everything that has come so far. */
  said(): string
  /** From now on what comes is read. */
  read(): void
  /** Resolves when the server has closed, also of one that did not read. */
  closed: Promise<unknown>
}

/** Connected, and not read unless `isRead`. Closed after the test file. */
export async function openConnection(url: string, text = '', { isRead = false } = {}): Promise<BareConnection> {
  const { hostname, port } = new URL(url)
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true }).on('error', () => {})
  afterFile(async () => void socket.destroy())
  await once(socket, 'connect')
  let said = ''
  const closed = new Promise((resolve) => socket.once('end', resolve).once('close', resolve))
  const read = () => void socket.on('data', (chunk) => (said += chunk.toString('latin1')))
  if (isRead) read()
  if (text) socket.write(text)
  return { socket, said: () => said, read, closed }
}

/** A request as text, over a connection that stays. */
export const asText = (line: string, headers: readonly string[] = [], body = ''): string =>
  `${line} HTTP/1.1\r\nHost: x\r\n${headers.map((header) => `${header}\r\n`).join('')}\r\n${body}`

/** A number of `/metrics`. */
export async function metricOf(server: { app: { metrics: { url: string | undefined } } }, name: string): Promise<number> {
  const text = await (await fetch(server.app.metrics.url ?? '')).text()
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1])
}
