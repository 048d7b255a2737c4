// What a request says stays text: no header of an answer, no line of the log, no file of the machine, no property of every object.
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { allRoutes } from '../../contract/index.ts'
import { inputLocations } from '../../contract/route.ts'
import { pageAddresses } from '../../server/dashboard/site.ts'
import type { Json } from '../support/api.ts'
import { openBrowser, workspaceWithPasswords } from '../support/browser.ts'
import { signedInBrowser } from '../support/page-browser.ts'
import { sendRaw } from '../support/raw-http.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
const acme = await workspaceWithPasswords(server)
const base = `/w/${acme.slug}`
const key = `Authorization: Bearer ${acme.keys.olivia}`
const statusOf = (answer: string) => Number(answer.split(' ')[1])

/** One request as it is written here, whose connection the server closes behind it. */
const ask = (line: string, headers: readonly string[] = []) =>
  sendRaw(server.url, `${line} HTTP/1.1\r\n${['Host: x', ...headers, 'Connection: close'].join('\r\n')}\r\n\r\n`)

const breaks = ['%0d%0aX-Injected: 1', '%0aX-Injected: 1', '%E5%98%8A%E5%98%8DX-Injected: 1', '%00X-Injected: 1'].map((text) =>
  text.replaceAll(' ', '%20'),
)

test('nothing that a request says begins a header of its answer', async () => {
  const olivia = await signedInBrowser(server.url, base, acme.credentialsOf('olivia'))
  const cookie = `Cookie: ph_session=${olivia.cookies.get('ph_session')}`
  for (const text of breaks)
    for (const line of [
      `GET ${base}/sign-in?next=${base}/keys${text}`,
      `GET ${base}/keys${text}`,
      `GET ${base}/device?code=${text}`,
      `GET /w/nobody${text}/keys`,
      `GET ${base}/api/v1/entries?name=${text}`,
      `GET ${base}/api/v1/${text}`,
      `GET /storage/1/blobs/${text}?name=${text}&signature=x`,
      `GET /${text}`,
    ])
      for (const headers of [[], [cookie], [key, `X-PH-API: ${text}`], [`Cookie: ph_session=${text}; ph_notice=${text}`]]) {
        const [head = ''] = (await ask(line, headers)).split('\r\n\r\n')
        expect([line, statusOf(head)]).toEqual([line, expect.any(Number)])
        expect([line, /^x-injected/im.test(head)]).toEqual([line, false])
      }
})

test('each request is one line of the log, in which what it said is text', async () => {
  const forged = `\\n{"level":60,"msg":"forged"}`
  const lines = [
    `GET ${base}/api/v1/%0a%7B"level":60,"msg":"forged"%7D`,
    `GET ${base}/api/v1/"},"msg":"forged","x":{"`,
    `GET ${base}/api/v1/%1b[2J%1b]0;forged%07`,
    `GET ${base}/api/v1/${forged}`,
    `FORGED"}\\n /`,
  ]
  server.logLines.length = 0
  const headers = [
    key,
    `X-PH-Client: ${forged}/1`,
    `User-Agent: ${forged}`,
    `X-Request-Id: ${forged}`,
    `X-Forwarded-For: ${forged}`,
  ]
  for (const line of lines) expect(statusOf(await ask(line, headers))).toBeGreaterThanOrEqual(400)
  await expect.poll(() => server.logLines.length).toBeGreaterThanOrEqual(lines.length - 1)
  for (const line of server.logLines) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
    expect(line).toMatch(/^[^\u0000-\u001f\u007f]*\n$/)
    expect(['answered', undefined]).toContain(JSON.parse(line).msg)
    expect(JSON.parse(line).level).toBeLessThan(60)
  }
})

test('no spelling of a path leads out of the store, with whatever signature', async () => {
  writeFileSync(join(server.dataDir, 'secret'), 'out of bounds')
  const hash = randomBytes(32).toString('hex')
  const signedFor = async (file: string) => {
    const as = { contentType: 'text/plain', fileName: undefined, expiresAt: new Date(server.clock.now().getTime() + 60_000) }
    const address = new URL(await server.storage.downloadUrl(file, { ...as, origin: server.url }))
    return address.search
  }
  const [genuine, forged] = [await signedFor(`1/blobs/${hash.slice(0, 2)}/${hash}`), await signedFor('1/../../secret')]
  for (const path of [
    '/storage/../secret',
    '/storage/1/../../secret',
    '/storage/..%2fsecret',
    '/storage/1%2f..%2f..%2fsecret',
    '/storage/%2e%2e/secret',
    '/storage/1/%2e%2e%2f%2e%2e%2fsecret',
    '/storage/..%5csecret',
    '/storage/....//secret',
    '/storage/%252e%252e/secret',
    '/storage//etc/passwd',
    '/storage/%2fetc%2fpasswd',
    '/storage/1/../../secret%00.uasset',
    `${base}/storage/../../../secret`,
    '/pages.css/../../secret',
    '/%2e%2e/secret',
  ])
    for (const query of ['', genuine, forged]) {
      const answer = await ask(`GET ${path}${query}`)
      expect([path, query, statusOf(answer) >= 400]).toEqual([path, query, true])
      expect(answer).not.toMatch(/out of bounds|root:/)
    }
})

/** Bodies that make every object of a careless program an administrator. */
const poisons = [
  '{"__proto__":{"isAdmin":true},"isSafe":true}',
  '{"constructor":{"prototype":{"isAdmin":true}}}',
  '{"workspace":{"__proto__":{"isAdmin":true}},"owner":{"__proto__":{"isAdmin":true}}}',
  '{"\\u005f\\u005fproto\\u005f\\u005f":{"isAdmin":true}}',
]

test('no route of the API is poisoned by what is called __proto__ or constructor', async () => {
  const olivia = await openBrowser(acme.url, acme.credentialsOf('olivia'))
  const session = { cookie: `ph_session=${olivia.sessionId}`, 'x-csrf-token': olivia.csrf }
  const taking = allRoutes.filter(([, , route]) => inputLocations(route).body.length > 0)
  expect(taking.length).toBeGreaterThan(30)
  for (const [noun, verb, route] of taking)
    for (const body of poisons) {
      const who = route.scope === 'session' ? session : { authorization: `Bearer ${acme.keys.olivia}` }
      const path = route.path.replaceAll(/\{\w+\}/g, '1')
      const headers = { 'content-type': 'application/json', ...(route.scope === 'none' ? {} : who) }
      const { status } = await fetch(`${acme.url}/api/v1${path}`, { method: route.method, headers, body })
      expect([noun, verb, body, status < 500]).toEqual([noun, verb, body, true])
      expect(({} as Json).isAdmin).toBeUndefined()
    }
})

test('no form and no query of a page is poisoned by what is called __proto__ or constructor', async () => {
  const poison = '__proto__=1&__proto__[isAdmin]=true&constructor[prototype][isAdmin]=true&constructor=1&hasOwnProperty=1'
  for (const { address } of pageAddresses) {
    const olivia = await signedInBrowser(server.url, base, acme.credentialsOf('olivia'))
    const csrf_token = (await olivia.open(`${base}/keys/new`)).forms[0]?.fields.csrf_token ?? ''
    const [method = '', path = ''] = address.replace(':id', String(acme.idsOf('max').personId)).split(' ')
    const body = new URLSearchParams(`${poison}&csrf_token=${csrf_token}`)
    const answer = await olivia.ask(`${base}${path}?${poison}`, { method, ...(method === 'POST' ? { body } : {}) })
    expect([address, answer.status < 500]).toEqual([address, true])
    expect(({} as Json).isAdmin).toBeUndefined()
  }
})
