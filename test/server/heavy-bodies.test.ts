// Bodies as heavy as they may be, and many at once: the server lives, and others are answered meanwhile.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { callAs, type Json } from '../support/api.ts'
import { askDuring, send, statusOf, withJunk } from '../support/large-bodies.ts'
import { commitOf, item } from '../support/push.ts'
import { workspaceOf } from '../support/server.ts'
import { startServerProcess } from '../support/server-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** A server process with two workspaces; `heapMiB`: all that it may use of the heap. */
async function started(heapMiB?: number) {
  const folder = temporaryFolder()
  const [one, two] = [workspaceOf('one'), workspaceOf('two')]
  const provision = join(folder, 'provision.json')
  writeFileSync(provision, JSON.stringify({ workspaces: [one.workspace, two.workspace] }))
  const heap: Record<string, string> = heapMiB ? { NODE_OPTIONS: `--max-old-space-size=${heapMiB}` } : {}
  const env = { ...heap, PH_RATE_LIMIT_REQUESTS: '1000000', PH_RATE_LIMIT_PUSH: '1000000' }
  const server = await startServerProcess(['--data', join(folder, 'data'), '--provision', provision], { env })
  onTestFinished(async () => void (await server.kill()))
  const at = (slug: string, path: string) => `${server.url}/w/${slug}/api/v1${path}`
  return { server, at, one: one.keys, two: two.keys }
}

/** Weighs just under 256 MiB, in 8 MiB. */
const heaviest = withJunk('{}', 2_900_000)

test('while the heaviest body is read, the server answers whether it lives, and what another workspace asks', async () => {
  const { server, at, one, two } = await started()
  for (const path of ['/push/negotiate', '/push/commit']) {
    const { sent, answer } = send(at('one', path), { key: one.mia, body: heaviest })
    await sent
    const asked = Promise.all([
      askDuring(answer, () => statusOf(`${server.url}/healthz`)),
      askDuring(answer, () => statusOf(at('two', '/entries'), two.mia)),
    ])
    for (const answered of await asked) expect([path, answered >= 5], `${answered} answers`).toEqual([path, true])
    const { status, text } = await answer
    expect([path, status], text.slice(0, 300)).toEqual([path, path === '/push/commit' ? 409 : 200])
  }
})

test.each([12, 40])(
  'a server with little memory outlives %i heavy bodies at once, and everybody else is answered',
  async (count) => {
    const { server, at, one, two } = await started(256)
    const keys = [one.olivia, one.adam, one.mia, one.max]
    // Too heavy for this server, as heavy as it takes, and less.
    const bodies = [heaviest, withJunk('{}', 700_000), withJunk('[1.5,"text"]', 150_000), withJunk('0', 300_000)]
    const hostile = Array.from({ length: count }, (_, index) => {
      const body = bodies[index % bodies.length] ?? ''
      return send(at('one', '/push/negotiate'), { key: keys[(index >> 2) % keys.length] ?? '', body, isChunked: index % 3 === 0 })
    })
    const items = Array.from({ length: 20 }, () => item())
    const honest = callAs(`${server.url}/w/one`, one.max)
    const all = Promise.all([...hostile.map(({ answer }) => answer), commitOf(honest, items)])
    const [lives, reads] = await Promise.all([
      askDuring(all, () => statusOf(`${server.url}/healthz`)),
      askDuring(all, () => statusOf(at('two', '/entries'), two.mia)),
    ])
    expect(lives, `${lives} signs of life`).toBeGreaterThanOrEqual(10)
    expect(reads, `${reads} reads`).toBeGreaterThanOrEqual(10)
    for (const { answer } of hostile) {
      const { status, text, headers } = await answer
      expect([200, 422, 503], text.slice(0, 300)).toContain(status)
      if (status === 200) expect(JSON.parse(text).missing_hashes).toHaveLength(1)
      if (status === 422) expect(JSON.parse(text).error.message).toContain('send less at once')
      if (status === 503) expect([headers['retry-after'], JSON.parse(text).error.code]).toEqual(['5', 'UNAVAILABLE'])
    }
    const committed = (await all).at(-1) as Json
    expect(committed.body.results.map((result: Json) => result.status)).toEqual(items.map(() => 'new'))
    const listed = (await honest.get('/entries?limit=200')).body.entries.map((entry: Json) => entry.name)
    expect(listed).toEqual(expect.arrayContaining(items.map((one) => one.asset_name)))
    expect(server.isAlive()).toBe(true)
  },
)
