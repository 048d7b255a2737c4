/** What stands between here and the library, and answers in its place: a proxy, a filter, a page to sign in. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { Http } from '../../../client/http/http.ts'
import { ph, signedIn } from '../../support/ph.ts'
import { startTestServer } from '../../support/server.ts'
import { makeProject } from '../../support/unreal-project.ts'

const server = await startTestServer()
const { url: library, keys } = await server.addWorkspace()

type Answer = readonly [status: number, headers: Record<string, string>, body: string]

/** Answers what `stops` names, and leads everything else to the library. */
async function startProxyBefore(stops: (asked: IncomingMessage) => Answer | undefined): Promise<string> {
  const front = createServer((asked, answer: ServerResponse) => {
    const stopped = stops(asked)
    if (stopped) {
      asked.resume()
      const [status, headers, body] = stopped
      return answer.writeHead(status, { 'content-type': 'text/html', ...headers }).end(body)
    }
    const { method, headers } = asked
    const onward = request(new URL(asked.url ?? '/', library), { method, headers }, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers)
      got.pipe(answer)
    })
    onward.on('error', () => answer.destroy())
    return asked.pipe(onward)
  }).listen(0, '127.0.0.1')
  await once(front, 'listening')
  onTestFinished(() => void front.close().closeAllConnections())
  return `http://127.0.0.1:${(front.address() as AddressInfo).port}`
}

async function refusal(answer: Answer) {
  const origin = await startProxyBefore(() => answer)
  const http = new Http({ url: `${origin}${new URL(library).pathname}`, key: keys.mia, retryForMs: 0 })
  const error = await http.json({ method: 'GET', path: '/auth/me' }).then(
    () => expect.fail('it was answered'),
    (thrown) => thrown,
  )
  await http.close()
  return { error, host: new URL(origin).host, origin }
}

const page = (title: string) => `<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`
const nginx = { server: 'nginx/1.22.1' }

test('a library that moved is named by its new address, with the command that signs in there; the key is not sent there', async () => {
  const path = `${new URL(library).pathname}/api/v1/auth/me`
  const { error, host } = await refusal([301, { location: `https://props.studio.test${path}` }, page('301 Moved Permanently')])
  expect(error).toMatchObject({ code: 'PROXY_ANSWERED', details: { status: 301, location: `https://props.studio.test${path}` } })
  expect(error.message).toBe(
    `${host} answers 301 and leads to https://props.studio.test${path}, where ph does not follow with the key.`,
  )
  expect(error.next).toContain(`\`ph login --url https://props.studio.test${new URL(library).pathname}\``)
})

test('an address that a proxy made up ends no command that is copied from the advice', async () => {
  const path = `${new URL(library).pathname}/api/v1/auth/me`
  const { error } = await refusal([301, { location: `https://x.test/$(id);'${path}` }, ''])
  expect(error.next).not.toContain('ph login')
  const moved = await refusal([301, { location: `https://x.test${path}?a=$(id)` }, ''])
  expect(moved.error.next).toMatch(/`ph login --url https:\/\/x\.test\/w\/\w+`/)
})

test('a page to sign in is named by where it leads, without what its address carries', async () => {
  const { error, origin } = await refusal([302, { location: 'https://sso.studio.test/login?token=secret' }, ''])
  expect(error.message).toContain('https://sso.studio.test/login,')
  expect(error.message).not.toContain('secret')
  expect(error.next).toBe(
    `That may be the sign-in page of a proxy. Ask who runs it to let ph reach ${origin}, or use an address of the library that does not lead through it.`,
  )
})

test.each([
  [
    401,
    { 'www-authenticate': 'Basic realm="Studio"' },
    /asks for a sign-in of its own \(Basic realm="Studio"\)\. The library was not reached\./,
  ],
  [403, {}, /answers GET .*\/auth\/me with 403, “Request blocked”\. The library was not reached\./],
  [404, {}, /answers GET .*\/auth\/me with 404, “Request blocked”\./],
  [405, {}, /lets no GET through \(405, “Request blocked”\)\./],
  [407, { 'proxy-authenticate': 'Negotiate' }, /asks for a sign-in of its own \(Negotiate\)\./],
])('a page with status %i is told as that of a proxy, by its name and with what it says', async (status, headers, words) => {
  const { error, host } = await refusal([status, { ...nginx, ...headers }, page('Request blocked')])
  expect(error).toMatchObject({ code: 'PROXY_ANSWERED', exit: 1, details: { status, answered_by: 'nginx/1.22.1' } })
  expect(error.message).toMatch(words)
  expect(error.message).toContain(`nginx/1.22.1 on the way to ${host}`)
})

test.each([502, 503, 504])('a page with status %i is a library that cannot be reached, which may pass', async (status) => {
  const { error, host } = await refusal([status, nginx, page(`${status} Bad Gateway`)])
  expect(error).toMatchObject({ code: 'UNAVAILABLE', status })
  expect(error.message).toBe(
    `nginx/1.22.1 on the way to ${host} answers ${status}, “${status} Bad Gateway” in the place of the library, which it does not reach.`,
  )
})

test('what a proxy says is shown without control characters, and not without end', async () => {
  const { error } = await refusal([403, {}, `\u001b[31mblocked ${'x'.repeat(10_000)}`])
  expect(error.message).not.toContain('\u001b')
  expect(error.message.length).toBeLessThan(400)
})

test('a file that is too large for a proxy fails alone, with its name and the limit to raise; the others of the push go on', async () => {
  const origin = await startProxyBefore(({ method, headers }) =>
    method === 'PUT' && Number(headers['content-length']) > 100_000
      ? [413, nginx, page('413 Request Entity Too Large')]
      : undefined,
  )
  const project = await makeProject({
    'Content/SM_Small.uasset': {},
    'Content/SM_Big.uasset': { payload: Buffer.alloc(200_000, 'x') },
  })
  const env = signedIn(`${origin}${new URL(library).pathname}`, keys.mia)
  const { code, stdout } = await ph('push', { cwd: project.root, env })
  expect(code).toBe(6)
  const words = stdout.replaceAll(/\s+/g, ' ')
  expect(words).toMatch(
    /Content\/SM_Big\.uasset: nginx\/1\.22\.1 on the way to \S+ takes no request of 2\d\d,\d\d\d bytes \(413, “413 Request Entity Too Large”\)\./,
  )
  expect(words).toContain('`client_max_body_size`')
  expect(words).toContain('1 new 1 failed')
})
