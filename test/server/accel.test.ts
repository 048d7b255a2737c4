/** Files on a disk that a real nginx sends where PH_ACCEL says so: the server decides who may, nginx reads. */
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { readSettings } from '../../server/config.ts'
import { callAs, type Json } from '../support/api.ts'
import { freePort, hasNginx, startNginx } from '../support/nginx.ts'
import { item, pushed, sha256 } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

test.runIf(hasNginx)('nginx sends what the server allows, with ranges, names and safe headers, and nothing else', async () => {
  const port = await freePort()
  const server = await startTestServer({ accel: '/internal/', publicUrl: `http://127.0.0.1:${port}` })
  const own = await server.addWorkspace()
  const url = await startNginx(port, { to: server.url, dataDir: server.dataDir })
  const mia = callAs(own.url.replace(server.url, url), own.keys.mia)
  const one = item({ bytes: randomBytes(3_000_000) })
  const [{ entry_id }] = (await pushed(mia, [one])) as [Json]
  const address = (await mia.get(`/entries/${entry_id}/download`)).headers.get('location') ?? ''
  expect(address.startsWith(url)).toBe(true)
  const get = async (to: string, init: RequestInit = {}) => {
    const answer = await fetch(to, init)
    return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) }
  }
  const whole = await get(address)
  expect([whole.status, sha256(whole.bytes), whole.headers.get('x-accel-redirect')]).toEqual([200, one.content_hash, null])
  const said = Object.fromEntries(whole.headers)
  expect(said).toMatchObject({
    'content-disposition': `attachment; filename="${one.asset_name}.uasset"`,
    'content-type': 'application/octet-stream',
    'content-length': '3000000',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'cache-control': 'private, max-age=31536000, immutable',
  })
  const part = await get(address, { headers: { range: 'bytes=1000-1009' } })
  expect([part.status, part.bytes]).toEqual([206, one.bytes.subarray(1000, 1010)])
  expect((await get(address, { headers: { range: 'bytes=3000000-' } })).status).toBe(416)
  expect((await get(address, { headers: { 'if-none-match': said.etag ?? '' } })).status).toBe(304)
  expect((await get(address, { method: 'HEAD' })).headers.get('content-length')).toBe('3000000')
  expect((await get(address.replace('signature=', 'signature=0'))).status).toBe(403)
  const key = new URL(address).pathname.replace('/storage/', '')
  expect((await get(`${url}/internal/${key}`)).status).toBe(404)
  server.clock.advance(3_600_000)
  expect((await get(address)).status).toBe(403)
})

test('a location of nginx has a slash at both ends, and goes with files on a disk', () => {
  const read = (PH_ACCEL: string) => readSettings({}, { PH_ACCEL }, '/nowhere').accel
  expect(read('/internal/')).toBe('/internal/')
  for (const wrong of ['internal', '/internal', '/', '/a/../b/', 'http://x/'])
    expect(() => read(wrong), wrong).toThrow('PH_ACCEL')
})
