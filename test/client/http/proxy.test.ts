/** The way through a proxy that the environment names. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ContentCache } from '../../../client/content/cache.ts'
import { ContentFetch } from '../../../client/content/fetch.ts'
import { Http } from '../../../client/http/http.ts'
import { proxyFor } from '../../../client/http/proxies.ts'
import { answer, startPeer } from '../../support/peer.ts'
import { sha256 } from '../../support/push.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** A forward proxy that leads every name to one server, and writes down what it was asked for. */
async function startForwarder(target: string): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = []
  const { hostname, port } = new URL(target)
  const proxy = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    const path = new URL(request.url ?? '').pathname
    const onward = httpRequest({ hostname, port, path, method: request.method, headers: request.headers }, (answered) => {
      response.writeHead(answered.statusCode ?? 502, answered.headers)
      answered.pipe(response)
    })
    request.pipe(onward)
  })
  proxy.on('connect', (request, socket) => {
    asked.push(`CONNECT ${request.url}`)
    const onward = connect(Number(port), hostname, () => socket.write('HTTP/1.1 200 OK\r\n\r\n'))
    onward.on('error', () => socket.destroy())
    socket.on('error', () => onward.destroy())
    onward.pipe(socket).pipe(onward)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, asked }
}

function open(url: string): Http {
  const http = new Http({ url, retryForMs: 0 })
  onTestFinished(() => http.close('destroy'))
  return http
}

const get = { method: 'GET', path: '/entries' } as const

test('a server elsewhere is reached through the proxy that HTTP_PROXY names', async () => {
  const peer = await startPeer(answer(200, { ok: true }))
  const proxy = await startForwarder(peer.url)
  vi.stubEnv('HTTP_PROXY', proxy.url)
  expect(await open('http://props.example').json(get)).toEqual({ ok: true })
  expect(proxy.asked).toEqual(['GET http://props.example/api/v1/entries'])
})

test('an address with TLS goes through a tunnel, in which the proxy sees nothing', async () => {
  const peer = await startPeer(answer(200, { ok: true }))
  const proxy = await startForwarder(peer.url)
  vi.stubEnv('HTTPS_PROXY', proxy.url.replace('http://', ''))
  // What answers there speaks no TLS, so it ends here.
  await expect(open('https://props.example').json(get)).rejects.toMatchObject({ code: 'UNREACHABLE' })
  expect(proxy.asked).toEqual(['CONNECT props.example:443'])
})

test('this machine, and what NO_PROXY names, is reached directly', async () => {
  const peer = await startPeer(answer(200, { ok: true }))
  const proxy = await startForwarder('http://127.0.0.1:1')
  vi.stubEnv('HTTP_PROXY', proxy.url)
  vi.stubEnv('NO_PROXY', 'props.invalid')
  expect(await open(peer.url).json(get)).toEqual({ ok: true })
  await expect(open('http://props.invalid').json(get)).rejects.toMatchObject({ code: 'UNREACHABLE' })
  expect(proxy.asked).toEqual([])
})

test('a variable that holds no address is named, and shown without name and password where it does', () => {
  vi.stubEnv('HTTP_PROXY', 'ftp://nowhere')
  expect(() => open('http://props.example')).toThrow(expect.objectContaining({ code: 'WRONG_ADDRESS' }))
  expect(proxyFor('https://props.example', { HTTPS_PROXY: 'http://ada:secret@proxy.example:8080' })).toBe('proxy.example:8080')
  expect(proxyFor('http://localhost:7410', { HTTP_PROXY: 'http://proxy.example' })).toBeUndefined()
})

test('files come through the proxy as well, though threads of their own would know the way', async () => {
  const content = Buffer.alloc(2 * 1024 * 1024, 'prop')
  const elsewhere = createServer()
  let visitors = 0
  elsewhere.on('connection', () => visitors++).listen(0, '127.0.0.2')
  await once(elsewhere, 'listening')
  onTestFinished(() => void elsewhere.close())
  const peer = await startPeer((response) => void response.end(content))
  const proxy = await startForwarder(peer.url)
  vi.stubEnv('HTTP_PROXY', proxy.url)
  const url = `http://127.0.0.2:${(elsewhere.address() as AddressInfo).port}/file`
  const cache = new ContentCache(temporaryFolder())
  onTestFinished(() => cache.close())
  const addresses = { of: async () => url, renew: async () => {} }
  const fetch = new ContentFetch({ http: open(peer.url), cache, addresses, onProgress: () => {}, onFetched: () => {} })
  const wanted = { hash: sha256(content), size: content.length, title: 'SM_Barrel' }
  expect(await fetch.run([wanted])).toEqual(new Map())
  expect(readFileSync(cache.pathOf(wanted.hash)).equals(content)).toBe(true)
  expect(proxy.asked).toEqual([`GET ${url}`])
  expect(visitors).toBe(0)
})

test.each([
  ['HTTP_PROXY', 'http://props.example'],
  ['HTTPS_PROXY', 'https://props.example'],
])('a proxy that %s names and that is not there is named, not the server', async (variable, url) => {
  const closed = createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const { port } = closed.address() as AddressInfo
  await once(closed.close(), 'close')
  vi.stubEnv(variable, `http://127.0.0.1:${port}`)
  const error = await open(url)
    .json(get)
    .then(
      () => expect.fail('it was answered'),
      (thrown) => thrown,
    )
  expect(error).toMatchObject({
    code: 'UNREACHABLE',
    message: `Cannot reach the proxy 127.0.0.1:${port} on the way to ${url}: nothing listens there.`,
  })
  expect(error.next).toContain('props.example in NO_PROXY')
  vi.stubEnv(variable, 'http://no-such-proxy.invalid:8080')
  await expect(open(url).json(get)).rejects.toMatchObject({
    message: expect.stringContaining('the proxy no-such-proxy.invalid:8080'),
  })
})

test('a proxy that asks for a sign-in before it leads on says so', async () => {
  const front = createServer().listen(0, '127.0.0.1')
  front.on('connect', (_request, socket) =>
    socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n'),
  )
  await once(front, 'listening')
  onTestFinished(() => void front.close())
  vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${(front.address() as AddressInfo).port}`)
  await expect(open('https://props.example').json(get)).rejects.toMatchObject({
    message: 'Cannot reach https://props.example: the proxy does not lead there: it answers 407 and asks for a sign-in.',
  })
})
