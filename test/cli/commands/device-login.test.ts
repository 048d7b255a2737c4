/** ph login in the browser, as it is shown and ended: on a terminal, for scripts, and with servers that mean harm. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { encode } from 'uqr'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { deviceScreen } from '../../../cli/commands/login/device-screen.ts'
import { qrBlock } from '../../../cli/terminal/views/qr.ts'
import { answer, type Heard, startPeer } from '../../support/peer.ts'
import { ph, type Setting } from '../../support/ph.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const key = `ph_live_${'k'.repeat(40)}`
const identity = {
  user: { id: 1, name: 'ada', email: 'ada@acme.test', display_name: 'Ada L', role: 'member' },
  name: 'ph on box (device)',
  org_id: 1,
  org: { id: 1, name: 'Acme', slug: 'acme' },
  scope: 'write',
}
const codeAnswer = {
  device_code: 'd'.repeat(43),
  user_code: 'BCDF-GHJK',
  verification_uri: '/device',
  verification_uri_complete: '/device?code=BCDF-GHJK',
  expires_in: 900,
  interval: 5,
}
const refusal = (code: string) => ({ error: { code, message: `${code}.`, details: {} } })

type Respond = Parameters<typeof startPeer>[0]

interface Script {
  code?: object
  polls: Respond[]
  me?: Respond
}

/** A server whose device sign-in goes as a test writes it down. */
async function scripted({ code = {}, polls, me = answer(200, identity) }: Script) {
  let poll = 0
  const peer = await startPeer((response, heard: Heard) => {
    const path = heard.url.replace(/^.*\/api\/v1/, '')
    if (path === '/auth/device/code') return answer(200, { ...codeAnswer, ...code })(response, heard)
    if (path === '/auth/device/token') return polls[Math.min(poll++, polls.length - 1)]?.(response, heard)
    if (path === '/auth/logout') return response.writeHead(204).end()
    return me(response, heard)
  })
  return { ...peer, asked: () => peer.heard.map(({ url }) => url.replace(/^.*\/api\/v1/, '')) }
}

const issued: Respond = (response, heard) =>
  answer(200, { token: key, token_id: 1, scope: 'write', gateway_url: `http://${response.req.headers.host}/w/acme` })(
    response,
    heard,
  )
const pending = answer(400, { error: { code: 'DEVICE_PENDING', message: 'Pending.', details: { interval: 5 } } })

/** A person who uses ph for the first time, with a clock that only waiting moves. */
function newcomer(more: Setting = {}): Setting & { env: { PH_CONFIG_DIR: string } } {
  let nowMs = Date.parse('2026-01-01T00:00:00Z')
  return {
    now: () => new Date(nowMs),
    pause: async (ms, signal) => {
      signal?.throwIfAborted()
      nowMs += ms
    },
    ...more,
    env: { PH_CONFIG_DIR: temporaryFolder(), ...more.env },
  }
}

const login = (url: string, setting: Setting, more = '') =>
  ph(`login --insecure-storage --no-browser --url ${url} ${more}`, setting)

test('without a terminal code and address are told plainly on stderr, and stdout has the result alone', async () => {
  const { url } = await scripted({ polls: [pending, issued] })
  const person = newcomer()
  const { code, stdout, stderr } = await login(url, person)
  expect(code).toBe(0)
  expect(stderr).toContain(`${url}/device?code=BCDF-GHJK`)
  expect(stderr).toContain('BCDF-GHJK there. It asks for a key with write scope. Waiting for that, at most 15 min 0 s.')
  expect(stderr).not.toContain('\u001b')
  expect(stdout).toMatch(
    /^Signed in to Acme at \S+\/w\/acme as Ada L\.\nThe write key "ph on box \(device\)" is kept in \S+keys\.json/,
  )
  expect(stdout + stderr).not.toContain(key)
  expect((await ph('whoami', person)).stdout).toContain(`${key.slice(0, 12)}…`)
})

test('with --json stdout is one document, and stderr has what the person needs as a line of JSON', async () => {
  const { url } = await scripted({ polls: [issued] })
  const told = await login(url, newcomer(), '--json --scope write')
  expect(told.json()).toMatchObject({ profile: 'default', key_place: 'file', scope: 'write', org: { slug: 'acme' } })
  expect(JSON.parse(told.stderr)).toEqual({
    device: {
      user_code: 'BCDF-GHJK',
      verification_url: `${url}/device?code=BCDF-GHJK`,
      scope: 'write',
      expires_at: '2026-01-01T00:15:00.000Z',
    },
  })
})

test('what is asked for is a key of the chosen scope, under the name of this machine', async () => {
  const { url, heard } = await scripted({ polls: [issued] })
  await login(url, newcomer(), '--scope read')
  expect(JSON.parse(heard[0]?.body ?? '')).toEqual({ client_name: expect.stringMatching(/^ph on \S/), scopes: 'read' })
  expect((await login(url, newcomer(), '--scope all')).code).toBe(2)
})

test('a denied sign-in ends with exit code 4 and leaves nothing behind', async () => {
  const { url } = await scripted({ polls: [pending, answer(400, refusal('DEVICE_DENIED'))] })
  const person = newcomer()
  const { code, stdout, stderr } = await login(url, person)
  expect([code, stdout]).toEqual([4, ''])
  expect(stderr).toContain('DEVICE_DENIED.')
  expect(readdirSync(person.env.PH_CONFIG_DIR)).toEqual([])
})

test('without anybody to ask, an expired code ends with exit code 4 and the command to start again', async () => {
  const { url, asked } = await scripted({ polls: [answer(400, refusal('DEVICE_EXPIRED'))] })
  const { code, stderr } = await login(url, newcomer())
  expect(code).toBe(4)
  expect(stderr).toContain('ph login')
  expect(asked()).toEqual(['/auth/device/code', '/auth/device/token'])
})

test('on a terminal an expired code may be replaced by a new one', async () => {
  const { url, asked } = await scripted({ polls: [answer(400, refusal('DEVICE_EXPIRED')), issued] })
  const { code, stderr } = await login(url, newcomer({ columns: 80, typed: ['\n'] }))
  expect(code).toBe(0)
  expect(stderr).toContain('Get a new one? [Y/n]')
  expect(asked().filter((path) => path === '/auth/device/code')).toHaveLength(2)
})

test('Ctrl-C ends it with 130, without a word and with nothing left behind', async () => {
  const stopping = new AbortController()
  const { url } = await scripted({ polls: [pending] })
  const person = newcomer({ signal: stopping.signal })
  let waits = 0
  const { code, stderr } = await login(url, {
    ...person,
    pause: async (ms, signal) => {
      if (++waits === 2) stopping.abort('interrupted')
      await person.pause?.(ms, signal)
    },
  })
  expect(code).toBe(130)
  expect(stderr).not.toContain('error')
  expect(readdirSync(person.env.PH_CONFIG_DIR)).toEqual([])
})

test('a key for another server is not used there unasked: it is revoked, and the way there is said', async () => {
  const elsewhere = await startPeer(answer(200, identity))
  const wrong = { token: key, token_id: 1, scope: 'write', gateway_url: `${elsewhere.url}/w/acme` }
  const { url, heard } = await scripted({ polls: [answer(200, wrong)] })
  const person = newcomer()
  const { code, stderr } = await login(url, person)
  expect(code).toBe(1)
  expect(stderr).toContain(`ph login --url ${elsewhere.url}/w/acme`)
  expect(elsewhere.heard).toEqual([])
  expect(heard.at(-1)).toMatchObject({ url: '/api/v1/auth/logout', headers: { authorization: `Bearer ${key}` } })
  expect(readdirSync(person.env.PH_CONFIG_DIR)).toEqual([])
})

test('on a terminal someone may agree to another server', async () => {
  const elsewhere = await startPeer(answer(200, identity))
  const wrong = { token: key, token_id: 1, scope: 'write', gateway_url: `${elsewhere.url}/w/acme` }
  const { url } = await scripted({ polls: [answer(200, wrong)] })
  const person = newcomer({ columns: 80, typed: ['y\n'] })
  expect((await login(url, person)).stdout).toContain(`at ${elsewhere.url}/w/acme`)
  expect(elsewhere.heard[0]?.headers.authorization).toBe(`Bearer ${key}`)
})

test('a redirect of the server does not take the key along', async () => {
  const elsewhere = await startPeer(answer(200, identity))
  const me: Respond = (response) => response.writeHead(307, { location: `${elsewhere.url}/api/v1/auth/me` }).end()
  const { url } = await scripted({ polls: [issued], me })
  expect((await login(url, newcomer())).code).not.toBe(0)
  expect(elsewhere.heard).toEqual([])
})

test('a key that turns out not to work is revoked and not kept', async () => {
  const { url, asked } = await scripted({ polls: [issued], me: answer(200, { ...identity, org: { name: 'Acme' } }) })
  const person = newcomer()
  const { code, stderr } = await login(url, person)
  expect([code, stderr]).toEqual([1, expect.stringContaining('does not say who the key belongs to')])
  expect(asked().at(-1)).toBe('/auth/logout')
  expect(readdirSync(person.env.PH_CONFIG_DIR)).toEqual([])
})

test('names that would drive the terminal are shown harmless', async () => {
  const evil = { ...identity, org: { ...identity.org, name: 'Ac\u001b]0;owned\u0007me' } }
  const { url } = await scripted({ polls: [issued], me: answer(200, evil) })
  const { stdout, stderr } = await login(url, newcomer())
  expect(stdout + stderr).not.toContain('\u001b')
  const sneaky = answer(400, { error: { code: 'DEVICE_DENIED', message: '\u001b[2Jno', details: {} } })
  expect((await login((await scripted({ polls: [sneaky] })).url, newcomer())).stderr).not.toContain('\u001b')
})

test('who is signed in already is told, and no new key is made', async () => {
  const { url, asked } = await scripted({ polls: [issued] })
  const person = newcomer()
  await login(url, person)
  const again = await login(url, person)
  expect(again.code).toBe(0)
  expect(again.stdout).toContain('Signed in already to Acme')
  expect(asked().filter((path) => path === '/auth/device/code')).toHaveLength(1)
})

test('--again replaces the key, and revokes the one that nobody else can have', async () => {
  const { url, heard } = await scripted({
    polls: [issued, answer(200, { token: `${key.slice(0, -1)}2`, token_id: 2, scope: 'write', gateway_url: '/w/acme' })],
  })
  const person = newcomer()
  await login(url, person)
  const { stdout } = await login(url, person, '--again')
  expect(stdout).toContain('The key that was kept here before is revoked.')
  expect(heard.at(-1)).toMatchObject({ url: '/w/acme/api/v1/auth/logout', headers: { authorization: `Bearer ${key}` } })
})

test('a sign-in elsewhere stands beside the first one, and is the one that is used', async () => {
  const first = await scripted({ polls: [issued] })
  const second = await scripted({ polls: [issued] })
  const person = newcomer()
  await login(first.url, person)
  expect((await login(second.url, person)).stdout).toContain('profile acme, which ph uses from now on')
  const all = (await ph('whoami --all --json', person)).json() as { current: string; profiles: object }
  expect([all.current, Object.keys(all.profiles)]).toEqual(['acme', ['default', 'acme']])
})

describe.runIf(process.platform === 'linux')('without a keychain', () => {
  beforeEach(() => void vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', 'unix:path=/nonexistent'))
  const plainly = (url: string, setting: Setting) => ph(`login --no-browser --profile studio --url ${url}`, setting)

  test('a script is refused before any key is made, with the command that it has to say', async () => {
    const { url, asked } = await scripted({ polls: [issued] })
    const { code, stderr } = await plainly(url, newcomer())
    expect([code, asked()]).toEqual([1, ['/auth/device/code']])
    expect(stderr).toContain(`\`ph login --url ${url} --profile studio --insecure-storage\``)
  })

  test('a person is asked before a file is used, and may say no', async () => {
    const { url, asked } = await scripted({ polls: [issued] })
    const refused = newcomer({ columns: 100, typed: ['\n'] })
    expect((await plainly(url, refused)).code).toBe(1)
    expect([asked(), readdirSync(refused.env.PH_CONFIG_DIR)]).toEqual([['/auth/device/code'], []])
    const agreed = newcomer({ columns: 100, typed: ['y\n'] })
    const { code, stdout, stderr } = await plainly(url, agreed)
    expect([code, stderr]).toEqual([0, expect.stringContaining('which only you can read? [y/N]')])
    expect(stdout).toContain(join(agreed.env.PH_CONFIG_DIR, 'keys.json'))
  })

  test('a wrong address or workspace is said before anything is asked', async () => {
    const { url } = await startPeer(answer(404, { error: 'There is no library "acmee" on this server.' }))
    const person = newcomer({ columns: 100, typed: ['y\n'] })
    const strange = await plainly(`${url}/w/acmee`, person)
    expect([strange.code, strange.stderr]).toEqual([1, expect.stringContaining(`There is no workspace at ${url}/w/acmee`)])
    const nobody = await plainly('http://127.0.0.1:9', person)
    expect([nobody.code, nobody.stderr]).toEqual([3, expect.stringContaining('http://127.0.0.1:9')])
    for (const { stderr } of [strange, nobody]) expect(stderr).not.toMatch(/\[y\/N\]|through the browser/)
  })
})

test('a server without such a sign-in is named, with what to do instead', async () => {
  const { url } = await startPeer(answer(404, { error: { code: 'NOT_FOUND', message: 'Nothing.', details: {} } }))
  const { code, stderr } = await login(url, newcomer())
  expect(code).toBe(1)
  expect(stderr).toContain('ph login --with-key')
})

const request = {
  url: 'https://props.example.com',
  page: 'https://props.example.com/device?code=BCDF-GHJK',
  userCode: 'BCDF-GHJK',
  scope: 'write',
} as const
const plain = (_style: unknown, text: string) => text
const isDrawn = (line: string) => /[█▀▄]/.test(line)

test('the code of the page stands beside the words where there is room, above them or nowhere where there is not', () => {
  const qr = qrBlock(request.page, false)
  const beside = deviceScreen(request, { columns: 80, rows: 24, paint: plain }, qr)
  expect(beside.length).toBeLessThanOrEqual(23)
  expect(beside.find((line) => line.includes('BCDF-GHJK') && isDrawn(line))).toBeDefined()
  expect(deviceScreen(request, { columns: 44, rows: 24, paint: plain }, qr).some(isDrawn)).toBe(false)
  expect(deviceScreen(request, { columns: 44, rows: 50, paint: plain }, qr).filter(isDrawn)).toHaveLength(qr.lines.length)
  const narrow = deviceScreen(request, { columns: 30, rows: 50, paint: plain }, qr)
  expect(narrow.some(isDrawn)).toBe(false)
  expect(narrow.join('\n')).toContain(request.page)
})

/** Which modules a terminal shows dark, out of the colours and blocks of the lines. */
function modulesOf(lines: readonly string[]): boolean[][] {
  const rows: boolean[][] = []
  for (const line of lines) {
    const [upper, lower]: [boolean[], boolean[]] = [[], []]
    for (const [, fore, back, letters = ''] of line.matchAll(/38;5;(\d+);48;5;(\d+)m([ ▀]*)/g))
      for (const letter of letters) {
        upper.push((letter === '▀' ? fore : back) === '16')
        lower.push(back === '16')
      }
    rows.push(upper, lower)
  }
  return rows
}

test('the code is drawn in its own black and white, module for module, with the light border that scanners need', () => {
  const { lines, width } = qrBlock(request.page, true)
  const { data } = encode(request.page, { ecc: 'L', border: 4 })
  expect(modulesOf(lines).slice(0, width)).toEqual(data)
  expect(data.slice(0, 4).flat()).not.toContain(true)
  expect(lines.every((line) => line.endsWith('\u001b[0m'))).toBe(true)
})

test('without colour the light modules are drawn', () => {
  const { lines, width } = qrBlock(request.page, false)
  expect(lines[0]).toBe('█'.repeat(width))
  expect(lines.join('')).not.toContain('\u001b')
})
