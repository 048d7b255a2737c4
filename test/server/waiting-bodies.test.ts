// Bodies of JSON that wait for memory, and clients that leave meanwhile.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import Fastify from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { JsonBodies } from '../../serving/bodies/json-bodies.ts'

const MiB = 1024 * 1024

/** Of bodies that are small enough for it, 4 MiB are let in at once; who is let in stays. */
async function place() {
  const app = Fastify()
  const begun: string[] = []
  const end = Promise.withResolvers<void>()
  /** Asked for when a body begins, and when it has come and gets into the queue. */
  const asked: string[] = []
  const bodies = new JsonBodies(({ headers }) => {
    asked.push(String(headers['x-who']))
    return { workspace: String(headers['x-who']), key: '' }
  }, 32 * MiB)
  const isInQueue = (who: string) => expect.poll(() => asked.filter((one) => one === who)).toHaveLength(2)
  app.removeAllContentTypeParsers()
  bodies.mount(app)
  app.route({
    method: 'POST',
    url: '/props',
    config: { route: { method: 'POST', path: '/props', summary: '', scope: 'write', bodyBytes: 8 * MiB } },
    handler: (request) =>
      bodies.during(request, async () => {
        begun.push(String(request.headers['x-who']))
        await end.promise
        return {}
      }),
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => {
    end.resolve()
    return app.close()
  })
  const { port } = app.server.address() as AddressInfo
  const send = (who: string, bytes: number) => {
    const body = JSON.stringify({ text: 'x'.repeat(bytes) })
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    socket.write(`POST /props HTTP/1.1\r\nHost: x\r\nX-Who: ${who}\r\nContent-Type: application/json\r\n`)
    socket.write(`Content-Length: ${body.length}\r\n\r\n${body}`)
    onTestFinished(() => void socket.destroy())
    return socket
  }
  return { begun, send, isInQueue }
}

test('a client that leaves while its body waits makes room at once for those behind it', async () => {
  const { begun, send, isInQueue } = await place()
  send('mia', 2.5 * MiB)
  await expect.poll(() => begun).toEqual(['mia'])
  const leaving = send('max', 2.5 * MiB)
  await isInQueue('max')
  send('rita', 1000)
  await isInQueue('rita')
  expect(begun, 'nobody slips past').toEqual(['mia'])
  leaving.destroy()
  await once(leaving, 'close')
  // Waiting ends by itself after ten seconds.
  await expect.poll(() => begun, { timeout: 5_000 }).toEqual(['mia', 'rita'])
})
