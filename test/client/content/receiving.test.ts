/** How files are received the fast way: what is taken, what is left to others, and that nothing else gets into a file. */
import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo, Server, Socket } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { Receiver } from '../../../client/content/receiver.ts'
import { type Received, type ReceiveOrder, ReceivingConnection } from '../../../client/content/receiving-connection.ts'
import { answer, startPeer } from '../../support/peer.ts'
import { sha256 } from '../../support/push.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { certificate, privateKey } from '../../support/tls-identity.ts'

const bytes = Buffer.from(Array.from({ length: 900_000 }, (_, at) => (at * at) % 251))

function orderOf(url: string, content: Buffer = bytes, over: Partial<ReceiveOrder> = {}): ReceiveOrder {
  return { url, path: join(temporaryFolder(), 'part'), size: content.length, hash: sha256(content), ...over }
}

function openConnection(): ReceivingConnection {
  const connection = new ReceivingConnection()
  onTestFinished(() => connection.close())
  return connection
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** Answers every request with these pieces, one after the other, each in a packet of its own; then `after` has the connection. */
async function startWire(pieces: readonly (string | Buffer)[], after: (socket: Socket) => void = () => {}) {
  const connections: Socket[] = []
  const asked: string[] = []
  const server = createServer((socket) => {
    connections.push(socket)
    socket.setNoDelay()
    socket.on('error', () => {})
    socket.on('data', async (request) => {
      asked.push(request.toString('latin1'))
      for (const piece of pieces) {
        await new Promise<unknown>((sent) => socket.write(piece, sent))
        await new Promise((apart) => setTimeout(apart, 5))
      }
      after(socket)
    })
  })
  const port = await listen(server)
  onTestFinished(() => {
    for (const socket of connections) socket.destroy()
  })
  return { url: `http://127.0.0.1:${port}/a?b=c`, connections, asked }
}

const head = (length: number, more = '') => `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n${more}\r\n`
const whole = (content: Buffer): Received => ({ outcome: 'whole', bytes: content.length })

test('one file after the other comes over one connection: large, small and empty ones', async () => {
  const contents = [bytes, Buffer.from('small'), Buffer.alloc(0), bytes.subarray(1)]
  const peer = await startPeer((response, { url }) => {
    const content = contents[Number(url.slice(1))] ?? Buffer.alloc(0)
    response.writeHead(200, { 'content-length': content.length }).end(content)
  })
  const connection = openConnection()
  for (const [at, content] of contents.entries()) {
    const order = orderOf(`${peer.url}/${at}`, content)
    expect(await connection.receive(order)).toEqual(whole(content))
    expect(readFileSync(order.path).equals(content)).toBe(true)
  }
  expect(new Set(peer.heard.map(({ headers }) => Object.keys(headers).toSorted().join()))).toEqual(new Set(['accept,host']))
})

test('a head may come in pieces and a body with it, and the connection is used again', async () => {
  const small = Buffer.from('small')
  const wire = await startWire(['HTTP/1.1 20', '0 OK\r\nContent-Length: 5\r', '\nX-More: 1\r\n\r', '\nsm', 'all'])
  const connection = openConnection()
  for (let at = 0; at < 2; at++) expect(await connection.receive(orderOf(wire.url, small))).toEqual(whole(small))
  expect(wire.asked).toEqual(Array(2).fill(expect.stringMatching(/^GET \/a\?b=c HTTP\/1\.1\r\nhost: 127\.0\.0\.1:\d+\r\n/)))
  expect(wire.connections).toHaveLength(1)
})

test.each([
  ['says that it is the last', head(5, 'Connection: keep-alive, Close\r\n'), () => {}],
  ['is closed after the answer', head(5), (socket: Socket) => void socket.end()],
])('a connection that %s is followed by another one', async (_what, text, after) => {
  const small = Buffer.from('small')
  const wire = await startWire([text, small], after)
  const connection = openConnection()
  expect(await connection.receive(orderOf(wire.url, small))).toEqual(whole(small))
  await expect.poll(() => wire.connections[0]?.destroyed).toBe(true)
  expect(await connection.receive(orderOf(wire.url, small))).toEqual(whole(small))
  expect(wire.connections).toHaveLength(2)
})

test.each<[string, string]>([
  ['a refusal', 'HTTP/1.1 403 Forbidden\r\nContent-Length: 5\r\n\r\nsmall'],
  ['a redirect', 'HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 5\r\n\r\nsmall'],
  ['an answer of another length', `${head(6)}small!`],
  ['an answer in chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\nsmall'],
  ['an answer with two lengths', head(5, 'content-length: 5\r\n')],
  ['a coded answer', `${head(5, 'Content-Encoding: gzip\r\n')}small`],
  ['an answer without a length', 'HTTP/1.1 200 OK\r\n\r\nsmall'],
  ['a folded line', `${head(5, 'X-More: 1\r\n 2\r\n')}small`],
  ['something else than HTTP', 'SSH-2.0-OpenSSH\r\n\r\n'],
  ['a head that does not end', `HTTP/1.1 200 OK\r\nX-More: ${'x'.repeat(600_000)}`],
])('%s is left to others: nothing is written', async (_what, text) => {
  const order = orderOf((await startWire([text])).url, Buffer.from('small'))
  expect(await openConnection().receive(order)).toEqual({ outcome: 'stopped', bytes: 0 })
  expect(existsSync(order.path)).toBe(false)
})

test('more than the answer was to hold is not taken, neither for this file nor for the next one', async () => {
  const small = Buffer.from('small')
  const wire = await startWire([`${head(5)}small and more`])
  const connection = openConnection()
  expect((await connection.receive(orderOf(wire.url, small))).outcome).toBe('stopped')
  const late = await startWire([`${head(5)}small`, 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong'])
  expect((await connection.receive(orderOf(late.url, small))).outcome).toBe('whole')
  await expect.poll(() => late.connections[0]?.destroyed).toBe(true)
})

test('of a connection that is cut the beginning stays, and what has another hash is said', async () => {
  const cut = orderOf((await startWire([head(bytes.length), bytes.subarray(0, 300_000)], (socket) => socket.destroy())).url)
  const connection = openConnection()
  expect(await connection.receive(cut)).toEqual({ outcome: 'stopped', bytes: 300_000 })
  expect(readFileSync(cut.path).equals(bytes.subarray(0, 300_000))).toBe(true)
  const wrong = Buffer.from(bytes).fill('x', 7, 8)
  const other = orderOf((await startWire([head(wrong.length), wrong])).url)
  expect(await connection.receive(other)).toEqual({ outcome: 'other-bytes', bytes: bytes.length })
})

test('nobody there, and a name that nobody has, is left to others too', async () => {
  const server = createServer()
  const port = await listen(server)
  server.close()
  const connection = openConnection()
  expect(await connection.receive(orderOf(`http://127.0.0.1:${port}/`))).toEqual({ outcome: 'stopped', bytes: 0 })
  expect(await connection.receive(orderOf('http://nobody.invalid/'))).toEqual({ outcome: 'stopped', bytes: 0 })
})

test('what the disk refuses is said with its file, and the next file comes all the same', async () => {
  const peer = await startPeer((response: ServerResponse) => void response.end(bytes))
  const connection = openConnection()
  const path = join(temporaryFolder(), 'missing', 'part')
  await expect(connection.receive(orderOf(peer.url, bytes, { path }))).rejects.toMatchObject({ code: 'ENOENT', path })
  expect(await connection.receive(orderOf(peer.url))).toEqual(whole(bytes))
})

test('over TLS a server that is trusted is read from, and any other one is not', async () => {
  const server = createSecureServer({ cert: certificate, key: privateKey }, (_request, response) => {
    response.writeHead(200, { 'content-length': bytes.length }).end(bytes)
  })
  const port = await listen(server)
  onTestFinished(() => server.closeAllConnections())
  expect(await openConnection().receive(orderOf(`https://localhost:${port}/`))).toEqual({ outcome: 'stopped', bytes: 0 })
  const before = getCACertificates()
  onTestFinished(() => setDefaultCACertificates(before))
  setDefaultCACertificates([...before, certificate])
  const connection = openConnection()
  for (const host of ['localhost', '127.0.0.1']) {
    const order = orderOf(`https://${host}:${port}/`)
    expect(await connection.receive(order)).toEqual(whole(bytes))
    expect(readFileSync(order.path).equals(bytes)).toBe(true)
  }
})

/** More than one thread is started for. */
const expectedBytes = 64 * 1024 * 1024

test('threads bring many files over no more connections than were allowed, and say how far they are', async () => {
  const sockets = new Set<unknown>()
  // Each half comes in one piece, so that nothing in between can be heard of.
  const content = bytes.subarray(0, 2000)
  const peer = await startPeer((response) => {
    sockets.add(response.socket)
    response.writeHead(200, { 'content-length': content.length }).write(content.subarray(0, 700))
    setTimeout(() => response.end(content.subarray(700)), 250)
  })
  const receiver = new Receiver({ connections: 4, expectedBytes })
  onTestFinished(() => receiver.end())
  const heard: number[] = []
  const orders = Array.from({ length: 12 }, (_, at) => orderOf(`${peer.url}/${at}`, content))
  const received = await Promise.all(orders.map((order) => receiver.receive(order, (at) => heard.push(at))))
  expect(received).toEqual(orders.map(() => whole(content)))
  for (const { path } of orders) expect(sha256(readFileSync(path))).toBe(sha256(content))
  expect(sockets.size).toBeGreaterThan(1)
  expect(sockets.size).toBeLessThanOrEqual(4)
  expect(new Set(heard)).toEqual(new Set([700]))
})

test('what a thread meets on the disk reaches who asked for it', async () => {
  const { url } = await startPeer((response: ServerResponse) => void response.end(bytes))
  const receiver = new Receiver({ connections: 2, expectedBytes: 0 })
  onTestFinished(() => receiver.end())
  const path = join(temporaryFolder(), 'missing', 'part')
  const failed = receiver.receive(orderOf(url, bytes, { path }), () => {})
  await expect(failed).rejects.toMatchObject({ code: 'ENOENT', path, message: expect.stringContaining('no such file') })
})

test('nothing is written any more after the end', async () => {
  let goOn = () => {}
  const peer = await startPeer((response) => {
    response.writeHead(200, { 'content-length': bytes.length }).write(bytes.subarray(0, 300_000))
    goOn = () => response.end(bytes.subarray(300_000))
  }, answer(404))
  const receiver = new Receiver({ connections: 1, expectedBytes })
  const order = orderOf(peer.url)
  const received = receiver.receive(order, () => {})
  const settled = expect(received).rejects.toThrow('have ended')
  await expect.poll(() => statSync(order.path, { throwIfNoEntry: false })?.size).toBe(300_000)
  await receiver.end()
  await settled
  await expect(receiver.receive(orderOf(peer.url), () => {})).rejects.toThrow('have ended')
  goOn()
  await new Promise((later) => setTimeout(later, 100))
  expect(statSync(order.path).size).toBe(300_000)
})
