/** The conversation of a sign-in in the browser, with servers that are slow, away, confused or hostile. */
import { expect, onTestFinished, test } from 'vitest'
import { Http } from '../../../client/http/http.ts'
import { collectKey, type DeviceCode, startDeviceSignIn } from '../../../client/sign-in/device-sign-in.ts'
import { answer, cut, startPeer } from '../../support/peer.ts'

const startMs = Date.parse('2026-01-01T00:00:00Z')
const key = `ph_live_${'k'.repeat(40)}`
const codeAnswer = {
  device_code: 'd'.repeat(43),
  user_code: 'BCDF-GHJK',
  verification_uri: '/device',
  verification_uri_complete: '/device?code=BCDF-GHJK',
  expires_in: 900,
  interval: 5,
}
const issued = (url: string) => ({ token: key, token_id: 1, scope: 'write', gateway_url: `${url}/w/acme` })
const refused = (status: number, code: string, details: object = {}) =>
  answer(status, { error: { code, message: `${code}.`, details } })
const pending = refused(400, 'DEVICE_PENDING', { interval: 5 })

type Answers = Parameters<typeof startPeer>

async function peerWith(...answers: Answers) {
  const peer = await startPeer(...answers)
  const http = new Http({ url: peer.url, retryForMs: 0 })
  onTestFinished(() => http.close('destroy'))
  return { ...peer, http }
}

const start = async (more: object, scope: 'read' | 'write' = 'write') => {
  const { http, heard, url } = await peerWith(answer(200, { ...codeAnswer, ...more }))
  return { url, heard, code: await startDeviceSignIn(http, { clientName: 'ph on box', scope, nowMs: startMs }) }
}

/** Polls with a clock that only waiting moves. */
async function collect(answers: Answers, over: Partial<DeviceCode> = {}) {
  const peer = await peerWith(...answers)
  const waits: number[] = []
  const troubles: (string | undefined)[] = []
  let nowMs = startMs
  const wait = {
    nowMs: () => nowMs,
    pause: async (ms: number, signal?: AbortSignal) => {
      signal?.throwIfAborted()
      waits.push(ms)
      nowMs += ms
    },
    signal: new AbortController().signal,
    onTrouble: (reason: string | undefined) => troubles.push(reason),
  }
  const code = { deviceCode: 'd', userCode: 'u', page: peer.url, expiresAtMs: startMs + 900_000, intervalMs: 5000, ...over }
  const outcome = await collectKey(peer.http, code, wait).then(
    (got) => ({ got, error: undefined }),
    (error) => ({ got: undefined, error }),
  )
  return { ...outcome, waits, troubles, heard: peer.heard, url: peer.url }
}

test('asking for a code says who asks and for which scope, and gives the page on that server', async () => {
  const { code, url, heard } = await start({}, 'read')
  expect(JSON.parse(heard[0]?.body ?? '')).toEqual({ client_name: 'ph on box', scopes: 'read' })
  expect(code).toEqual({
    deviceCode: codeAnswer.device_code,
    userCode: 'BCDF-GHJK',
    page: `${url}/device?code=BCDF-GHJK`,
    expiresAtMs: startMs + 900_000,
    intervalMs: 5000,
  })
})

test('the page of a workspace is below the address of that workspace', async () => {
  const peer = await startPeer(answer(200, codeAnswer))
  const http = new Http({ url: `${peer.url}/w/acme` })
  onTestFinished(() => http.close('destroy'))
  const { page } = await startDeviceSignIn(http, { clientName: 'ph', scope: 'write', nowMs: startMs })
  expect(page).toBe(`${peer.url}/w/acme/device?code=BCDF-GHJK`)
})

test.each([
  ['javascript:alert(1)'],
  ['https://evil.example/device'],
  ['file:///etc/passwd'],
  ['/device?code=\u001b[2J'],
  ['/device\nsecond line'],
  [`/${'x'.repeat(3000)}`],
  [42],
  [undefined],
])('nobody is sent to %j', async (verification_uri_complete) => {
  await expect(start({ verification_uri_complete })).rejects.toMatchObject({ code: 'NOT_A_LIBRARY' })
})

test.each([['//evil.example/device'], ['/\\evil.example/device'], ['/@evil.example']])(
  'an address that looks like another server stays on this one: %s',
  async (verification_uri_complete) => {
    const { code, url } = await start({ verification_uri_complete })
    expect(new URL(code.page).origin).toBe(url)
  },
)

test.each([
  [{ user_code: 'BCDF\u001b[31m' }],
  [{ user_code: 'X'.repeat(100) }],
  [{ device_code: '' }],
  [{ device_code: 'two words' }],
  [{ expires_in: -1 }],
  [{ expires_in: 'soon' }],
])('a code that cannot be used is refused: %j', async (more) => {
  await expect(start(more)).rejects.toMatchObject({ code: 'NOT_A_LIBRARY' })
})

test('a server that lets a code live for years, or wants to be asked at once or never, is held to reason', async () => {
  expect((await start({ expires_in: 1e12 })).code.expiresAtMs).toBe(startMs + 3_600_000)
  expect((await start({ interval: 1e9 })).code.intervalMs).toBe(60_000)
  expect((await start({ interval: 0 })).code.intervalMs).toBe(5000)
  expect((await start({ interval: 0.001 })).code.intervalMs).toBe(1000)
  expect((await start({ interval: undefined })).code.intervalMs).toBe(5000)
})

test('the key comes after the approval, with its scope and the workspace it is for', async () => {
  const { got, waits, url, heard } = await collect([
    pending,
    pending,
    (response) => answer(200, issued(urlOf(response)))(response, never),
  ])
  expect(got).toEqual({ key, scope: 'write', url: `${url}/w/acme` })
  expect(waits).toEqual([5100, 5100, 5100])
  expect(heard.map(({ body }) => JSON.parse(body))).toEqual(Array(3).fill({ device_code: 'd' }))
})

test('a server that wants to be asked less often is', async () => {
  const slow = refused(429, 'DEVICE_SLOW_DOWN', { interval: 10 })
  const still = refused(400, 'DEVICE_PENDING', { interval: 10 })
  const { waits } = await collect([pending, slow, still, refused(400, 'DEVICE_DENIED')])
  expect(waits).toEqual([5100, 5100, 10_100, 10_100])
})

test('slowing down without saying how much adds five seconds, and never more than a minute in all', async () => {
  const slow = refused(429, 'DEVICE_SLOW_DOWN')
  const { waits } = await collect([...Array(14).fill(slow), refused(400, 'DEVICE_DENIED')])
  expect(waits.slice(0, 3)).toEqual([5100, 10_100, 15_100])
  expect(waits.at(-1)).toBe(60_100)
})

test('denial and expiry end it with what they are', async () => {
  expect((await collect([pending, refused(400, 'DEVICE_DENIED')])).error).toMatchObject({ code: 'DEVICE_DENIED' })
  expect((await collect([pending, refused(400, 'DEVICE_EXPIRED')])).error).toMatchObject({ code: 'DEVICE_EXPIRED' })
})

test('a server that never decides is not asked beyond the life of the code', async () => {
  const { error, heard } = await collect([pending], { expiresAtMs: startMs + 30_000 })
  expect(error).toMatchObject({ code: 'DEVICE_EXPIRED' })
  expect(heard.length).toBe(6)
})

test('a cut connection, a server that starts and a proxy without one do not end it, and are told once each', async () => {
  const busy = answer(503, { error: 'Starting.' }, { 'retry-after': '5' })
  const { got, troubles } = await collect([
    cut,
    busy,
    answer(502, '<html>'),
    pending,
    (response) => answer(200, issued(urlOf(response)))(response, never),
  ])
  expect(got?.key).toBe(key)
  expect(troubles).toEqual([
    expect.stringContaining('the connection was cut'),
    'Starting.',
    expect.stringContaining('502'),
    undefined,
  ])
})

test('a key that was lost on its way is said to be, with what to revoke', async () => {
  const { error } = await collect([pending, cut, refused(401, 'UNAUTHORIZED')])
  expect(error).toMatchObject({ code: 'SIGN_IN_LOST', message: expect.stringContaining('lost on its way') })
  expect(error.next).toContain('revoke')
})

test('a server that forgot the sign-in is said to have', async () => {
  const { error } = await collect([pending, refused(401, 'UNAUTHORIZED')])
  expect(error).toMatchObject({ code: 'SIGN_IN_LOST', next: expect.stringContaining('ph login') })
})

test.each([
  [{ token: 'short' }],
  [{ token: 'with a space and long enough' }],
  [{ token: `${key}\r\nX-Other: 1` }],
  [{ token: 7 }],
  [{ token: undefined }],
  [{ scope: 'admin' }],
  [{ gateway_url: 'javascript:alert(1)' }],
  [{ gateway_url: 'ftp://elsewhere' }],
  [{ gateway_url: 5 }],
])('a key of the wrong form is refused: %j', async (more) => {
  const { error } = await collect([(response) => answer(200, { ...issued(urlOf(response)), ...more })(response, never)])
  expect(error).toMatchObject({ code: 'NOT_A_LIBRARY' })
})

test('a key that cannot be used is revoked where it came from, not where it points', async () => {
  const elsewhere = await startPeer(answer(204, ''))
  const wrong = { token: key, token_id: 1, scope: 'everything', gateway_url: elsewhere.url }
  const { heard } = await collect([answer(200, wrong), answer(204, '')])
  expect(heard.map(({ url }) => url)).toEqual(['/api/v1/auth/device/token', '/api/v1/auth/logout'])
  expect(heard[1]?.headers.authorization).toBe(`Bearer ${key}`)
  expect(elsewhere.heard).toEqual([])
})

test('a key that arrives after Ctrl-C is revoked', async () => {
  const stopping = new AbortController()
  let handOver = () => {}
  const peer = await peerWith(
    (response) => {
      handOver = () => answer(200, issued(urlOf(response)))(response, never)
      stopping.abort('interrupted')
    },
    (response) => response.writeHead(204).end(),
  )
  const code = { deviceCode: 'd', userCode: 'u', page: peer.url, expiresAtMs: startMs + 900_000, intervalMs: 5000 }
  const collecting = collectKey(peer.http, code, {
    nowMs: () => startMs,
    pause: async () => {},
    signal: stopping.signal,
    onTrouble: () => {},
  })
  const ended = expect(collecting).rejects.toBe('interrupted')
  while (!stopping.signal.aborted) await new Promise(setImmediate)
  handOver()
  await ended
  expect(peer.heard.map(({ url }) => url)).toEqual(['/api/v1/auth/device/token', '/w/acme/api/v1/auth/logout'])
})

test('an answer without end does not fill the memory', async () => {
  const endless = (response: Parameters<Answers[number]>[0]) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const chunk = Buffer.alloc(1024 * 1024, 0x20)
    const sendFile = () => {
      while (!response.destroyed && response.write(chunk));
      if (!response.destroyed) response.once('drain', sendFile)
    }
    sendFile()
  }
  expect((await collect([endless])).error).toMatchObject({ code: 'ANSWER_TOO_LARGE' })
})

const never = { method: '', url: '', headers: {}, body: '' }
const urlOf = (response: Parameters<Answers[number]>[0]): string => `http://${response.req.headers.host}`
