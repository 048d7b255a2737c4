/** What commands make of refusals that are no fault of the request: versions, busy servers, budgets, closed workspaces, strange words. */
import { expect, test } from 'vitest'
import { answer, startPeer } from '../../support/peer.ts'
import { ph, type Setting, signedIn } from '../../support/ph.ts'

type Answers = Parameters<typeof startPeer>

/** Someone who asks a server that answers so; waits take no time, and are written down. */
async function asking(line: string, ...answers: Answers) {
  const { url, heard } = await startPeer(...answers)
  const waits: number[] = []
  const setting: Setting = { env: signedIn(url, 'ph_live_key'), pause: async (ms) => void waits.push(ms) }
  return { ...(await ph(line, setting)), waits, heard }
}

const envelope = (status: number, code: string, details: object = {}) =>
  answer(status, { error: { code, message: 'No.', details } })
const empty = answer(200, { entries: [], next_cursor: null })

test.each([
  [2, 'Update ph on this machine to a version that speaks API 2'],
  [0, 'Ask the administrator of the server to update it: it speaks API 0'],
  [1, 'look for a proxy in between'],
  [undefined, 'Update the side that is older.'],
])('a server that speaks version %s says which side to update', async (server_major, next) => {
  const { code, stderr, waits } = await asking('search', envelope(426, 'UPGRADE_REQUIRED', { server_major, source: 'header' }))
  expect([code, waits]).toEqual([1, []])
  expect(stderr).toContain(next)
})

test('a busy server is waited for, which is told, and the answer is the only thing on stdout', async () => {
  const busy = answer(503, { error: 'The library is starting.' }, { 'retry-after': '5' })
  const { code, stdout, stderr, waits } = await asking('pack list', busy, busy, answer(200, { packs: [], next_cursor: null }))
  expect([code, stdout]).toEqual([0, 'No packs.\n'])
  expect(waits.map((ms) => Math.floor(ms / 5000))).toEqual([1, 1])
  expect(stderr).toMatch(/^(Waiting [56]\.\d s for the library: The library is starting\.\n){2}$/)
})

test('with --json waits are silent, and stdout is the one document', async () => {
  const busy = answer(503, { error: 'Starting.' }, { 'retry-after': '5' })
  const { stderr, json } = await asking('search --json', busy, empty)
  expect(stderr).toBe('')
  expect(json()).toEqual({ entries: [], next_cursor: null })
})

test('a server that stays busy is given up after two minutes, with exit code 3', async () => {
  const { code, waits } = await asking('search', answer(503, { error: 'Starting.' }, { 'retry-after': '5' }))
  expect(code).toBe(3)
  const sum = waits.reduce((all, ms) => all + ms, 0)
  // One more wait, of at most half a minute, would be more than two minutes; each is lengthened at random.
  expect(sum).toBeGreaterThan(90_000)
  expect(sum).toBeLessThanOrEqual(125_000)
})

test('a budget that stays used up is given up after five minutes', async () => {
  const { code, waits } = await asking('search', answer(429, { error: 'Too many.' }, { 'retry-after': '60' }))
  expect(code).toBe(3)
  expect(waits.length).toBeGreaterThanOrEqual(4)
  expect(waits.reduce((all, ms) => all + ms, 0)).toBeLessThanOrEqual(325_000)
})

test('a wait that is longer than that is not begun, and is told', async () => {
  const { code, stderr, waits } = await asking('search', answer(429, { error: 'Too many.' }, { 'retry-after': '600' }))
  expect([code, waits]).toEqual([3, []])
  expect(stderr).toContain('Try again in 10 min')
})

test('a suspended workspace sends to its owner', async () => {
  const { code, stderr } = await asking('search', answer(402, { error: 'Suspended.' }))
  expect(code).toBe(1)
  expect(stderr).toContain('bill')
})

test('words of a server that would drive the terminal are shown harmless, in errors, places and waits', async () => {
  const evil = '\u001b[2J\u009b31mgone\u202e'
  const places = [
    { path: evil, message: evil },
    { path: evil, message: evil },
  ]
  const refused = await asking(
    'search',
    answer(422, { error: { code: 'VALIDATION', message: evil, details: { errors: places } } }),
  )
  const waited = await asking('search', answer(503, { error: evil }, { 'retry-after': '5' }), empty)
  for (const { stderr } of [refused, waited]) {
    expect(stderr).toContain('gone')
    expect(stderr.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u)
  }
})
