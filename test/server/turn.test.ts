// Requests that come in one turn of the event loop: their answers leave together, each to the one who asked, in the order of each connection.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { ownTurn } from '../../system/event-loop.ts'
import { callAs, type Json } from '../support/api.ts'
import { item, pushed } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
const { url, keys } = await server.addWorkspace()
const { hostname, port, pathname } = new URL(url)
const connections = 20

/** Each has been used once, so that what comes over it next is read at once, and the front door knows the key. */
async function openConnections(): Promise<Socket[]> {
  const sockets = Array.from({ length: connections }, () => connect(Number(port), hostname).setEncoding('latin1'))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  await Promise.all(sockets.map((socket) => ask(socket, ['/auth/me'])))
  return sockets
}

/** Asks all of it in one write; gives the bodies of the answers as they came. */
function ask(socket: Socket, paths: readonly string[]): Promise<Json[]> {
  const headers = `Host: x\r\nAuthorization: Bearer ${keys.mia}`
  return new Promise((resolve) => {
    let text = ''
    const take = (chunk: string) => {
      text += chunk
      const bodies = bodiesIn(text)
      if (bodies.length === paths.length) resolve(bodies)
    }
    socket.removeAllListeners('data').on('data', take)
    socket.write(paths.map((path) => `GET ${pathname}/api/v1${path} HTTP/1.1\r\n${headers}\r\n\r\n`).join(''))
  })
}

/** Those that are there whole. */
function bodiesIn(text: string): Json[] {
  const bodies: Json[] = []
  for (let at = 0; ; ) {
    const head = text.indexOf('\r\n\r\n', at)
    const end = head + 4 + Number(/^content-length: (\d+)/im.exec(text.slice(at, head))?.[1])
    if (head < 0 || end > text.length) return bodies
    bodies.push(JSON.parse(text.slice(head + 4, end)))
    at = end
  }
}

test.runIf(server.database.kind === 'embedded')('no answer leaves before everything that has arrived is worked on', async () => {
  const sockets = await openConnections()
  const seen: { what: string; port: number | undefined }[] = []
  const channels = { asked: 'http.server.request.start', answered: 'http.server.response.finish' }
  for (const [what, channel] of Object.entries(channels)) {
    const note = (event: unknown) => void seen.push({ what, port: (event as { socket: Socket }).socket.remotePort })
    subscribe(channel, note)
    onTestFinished(() => void unsubscribe(channel, note))
  }
  // All of them are written before the server, which is in this process, reads any.
  await Promise.all(sockets.map((socket) => ask(socket, ['/auth/me'])))
  const asked = seen.slice(0, connections)
  expect(new Set(asked.map(({ port }) => port)).size).toBe(connections)
  expect(seen).toEqual([...asked, ...asked.map(({ port }) => ({ what: 'answered', port }))])
})

test('every request is answered, who else asks in the same moment, and in the order in which its connection asked', async () => {
  const entries = await pushed(
    callAs(url, keys.mia),
    Array.from({ length: connections }, () => item()),
  )
  const sockets = await openConnections()
  for (let round = 0; round < 2; round++) {
    const answers = await Promise.all(
      sockets.map((socket, at) =>
        ask(socket, ['/auth/me', `/entries/${entries[at].entry_id}`, '/auth/me', '/categories/rollup']),
      ),
    )
    const said = answers.map((bodies) => bodies.map(({ user, id, categories }) => user?.name ?? id ?? typeof categories))
    expect(said).toEqual(entries.map(({ entry_id }) => ['mia', entry_id, 'mia', 'object']))
  }
})

test('pieces of large answers have a turn each, and the next one finds its turn behind those that wait', async () => {
  const seen: string[] = []
  const count = (left: number) => {
    seen.push('turn')
    if (left > 0) setImmediate(count, left - 1)
  }
  const pieces = [1, 2, 3].map((n) => ownTurn().then(() => seen.push(`piece ${n}`)))
  setImmediate(count, 3)
  await Promise.all(pieces)
  expect(seen).toEqual(['piece 1', 'turn', 'piece 2', 'turn', 'piece 3'])
  await ownTurn().then(() => seen.push('piece 4'))
  expect(seen.at(-1)).toBe('piece 4')
})
