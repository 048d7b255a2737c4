// The loop that keeps a mirror: how often it asks, what a live connection changes, and what it does when something is wrong.
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ClientError } from '../../../client/client-error.ts'
import { createApi } from '../../../client/http/api.ts'
import { Http } from '../../../client/http/http.ts'
import { pause as realPause } from '../../../client/http/pause.ts'
import { type KeepOptions, keepMirror } from '../../../client/mirror/keep.ts'
import { loadMirror } from '../../../client/mirror/load/load.ts'
import type { MirrorNews } from '../../../client/mirror/load/news.ts'
import { type Mirror, openMirror } from '../../../client/mirror/mirror.ts'
import { mirrorReport } from '../../../client/mirror/report.ts'
import { searchMirror } from '../../../client/mirror/search/search.ts'
import { takeToWrite } from '../../../client/mirror/writing.ts'
import { ApiError } from '../../../contract/errors.ts'
import { callAs } from '../../support/api.ts'
import { callsOf, expectSame, mirrorOf, newFolders } from '../../support/mirror.ts'
import { item, pushed } from '../../support/push.ts'
import { startTestServer } from '../../support/server.ts'
import { startProxy } from '../../support/tcp-proxy.ts'

const server = await startTestServer()

async function newLibrary() {
  const { url, keys, workspaceId } = await server.addWorkspace()
  const caller = callAs(url, keys.adam)
  await pushed(caller, [item(), item()])
  return { url, keys, caller, workspaceId, api: callsOf(url, keys.adam) }
}

/** Keeps it until the test is over. `waits` are the pauses; they take no time unless `isReal`. */
function kept(mirror: Mirror, api: ReturnType<typeof callsOf>, over: Partial<KeepOptions> & { isReal?: boolean } = {}) {
  const ending = new AbortController()
  const waits: number[] = []
  const told: MirrorNews[] = []
  const pause: KeepOptions['pause'] = async (ms, signal) => {
    waits.push(ms)
    await new Promise((resolve) => setTimeout(resolve, over.isReal ? ms : 5))
    signal?.throwIfAborted()
  }
  const tell = (news: MirrorNews) => told.push(news)
  const ended = keepMirror(mirror, api, { pause: over.isReal ? undefined : pause, tell, ...over, signal: ending.signal }).catch(
    (error: unknown) => error,
  )
  const end = async () => {
    ending.abort()
    await ended
  }
  onTestFinished(end)
  return { waits, told, ended, end }
}

/** What never comes ends after a time that no busy machine needs. */
const until = (holds: () => unknown): Promise<unknown> => vi.waitFor(holds, { timeout: 30_000, interval: 20 })

/** Who is paused is woken by the connection, or not at all. */
const untilWoken: KeepOptions['pause'] = (_ms, signal) =>
  new Promise((_resolve, reject) => {
    if (signal?.aborted) reject(signal.reason)
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

test('it asks every five seconds with an editor, and less and less often without one', async () => {
  for (const [hasEditor, expected] of [
    [true, [5000, 5000, 5000, 5000]],
    [false, [15_000, 22_500, 33_750, 50_625, 60_000, 60_000]],
  ] as const) {
    const { url, api } = await newLibrary()
    const { waits, end } = kept(mirrorOf(url), api, { hasEditor: () => hasEditor })
    await until(() => expect(waits.length).toBeGreaterThan(6))
    await end()
    expect(waits.slice(0, expected.length)).toEqual(expected)
  }
})

/** Heads as a live connection tells them, said by the test. */
function liveHeads() {
  let opened = 0
  let wake: (() => void) | undefined
  const heads: (number | 'end')[] = []
  return {
    opened: () => opened,
    say(head: number | 'end') {
      heads.push(head)
      wake?.()
    },
    async *live(signal: AbortSignal) {
      opened++
      for (;;) {
        const head = heads.shift()
        if (head === 'end') return
        if (head !== undefined) yield { seq: head }
        else if (signal.aborted) return
        else
          await new Promise<void>((resolve) => {
            wake = resolve
            signal.addEventListener('abort', () => resolve(), { once: true })
          })
      }
    },
  }
}

test('a head from the live connection brings the change at once, not when the clock says so, and the connection is opened again when it ends', async () => {
  const { url, api, caller } = await newLibrary()
  const mirror = mirrorOf(url)
  const heads = liveHeads()
  // Nobody asks by the clock: that takes five seconds at least.
  const pause: KeepOptions['pause'] = (ms, signal) => (ms < 5000 ? realPause(ms, signal) : untilWoken(ms, signal))
  kept(mirror, api, { live: heads.live, pause })
  await until(() => expect(mirror.standing.state).toBe('current'))
  for (const round of ['first', 'again']) {
    heads.say(mirror.meta('cursor') ?? 0)
    const name = `SM_Live_${round}`
    await pushed(caller, [item({ asset_name: name })])
    const { next_cursor } = await api.changes.list({ cursor: mirror.meta('cursor') ?? 0, limit: 1000 })
    heads.say(next_cursor)
    await until(() => expect(searchMirror(mirror, { name: [name] }).total).toBe(1))
    heads.say('end')
    await until(() => expect(heads.opened()).toBe(round === 'first' ? 2 : 3))
  }
})

test('a server that was set back while it was away is seen when it is back, and its library is loaded anew', async () => {
  const { url, api, caller, workspaceId } = await newLibrary()
  const mirror = mirrorOf(url)
  const live = liveHeads()
  const { told } = kept(mirror, api, { live: live.live, isReal: true })
  await until(() => expect(told.map(({ kind }) => kind)).toContain('loaded'))
  await pushed(caller, [item()])
  live.say(1)
  await until(() => expectSame(mirror, api))
  const { sql } = server.database
  await sql`update changes set entity_id = entity_id + 100000 where workspace_id = ${workspaceId} and seq = ${mirror.meta('cursor') ?? 0}`
  await sql`delete from entries where workspace_id = ${workspaceId} and id = (select max(id) from entries where workspace_id = ${workspaceId})`
  live.say('end')
  await until(() => expect(told.map(({ kind }) => kind)).toContain('reset'))
  await until(() => expectSame(mirror, api))
})

test('what waits after a failure is asked at once when there is a live connection again, also where nothing is new', async () => {
  const { url, keys } = await newLibrary()
  let isAway = false
  const proxy = await startProxy(url, () => (isAway ? 'cut' : undefined))
  const mirror = mirrorOf(proxy.url(url))
  const heads = liveHeads()
  const away = createApi(new Http({ url: proxy.url(url), key: keys.adam, retryForMs: 0 }))
  kept(mirror, away, { live: heads.live, pause: untilWoken })
  await until(() => expect(mirror.standing.state).toBe('current'))
  isAway = true
  heads.say((mirror.meta('cursor') ?? 0) + 1)
  await until(() => expect(mirror.standing.state).toBe('offline'))
  isAway = false
  heads.say(mirror.meta('cursor') ?? 0)
  await until(() => expect(mirror.standing.state).toBe('current'))
})

test('while the server is away it says so with growing pauses, and is current again when it comes back', async () => {
  const { url, keys, caller, api } = await newLibrary()
  let isAway = false
  const proxy = await startProxy(url, () => (isAway ? 'cut' : undefined))
  const mirror = mirrorOf(proxy.url(url))
  const quick = createApi(new Http({ url: proxy.url(url), key: keys.adam, retryForMs: 0 }))
  const { waits, told } = kept(mirror, quick)
  await until(() => expect(mirror.standing.state).toBe('current'))
  isAway = true
  await pushed(caller, [item()])
  waits.length = 0
  await until(() => expect(waits.filter((ms) => ms === 60_000).length).toBeGreaterThan(1))
  expect(mirrorReport(mirror).state).toBe('offline')
  expect(waits.filter((ms, at) => ms > 1999 && at > 0 && ms < (waits[at - 1] ?? 0))).toEqual([])
  expect(told.filter(({ kind }) => kind === 'offline')).toHaveLength(1)
  isAway = false
  await until(() => expect(mirror.standing.state).toBe('current'))
  await expectSame(mirror, api)
})

test('a server that always says reset is listed less and less often, and what is there serves meanwhile', async () => {
  const { url, api } = await newLibrary()
  let exports = 0
  const resetting = {
    ...api,
    changes: {
      ...api.changes,
      export: (...given: Parameters<typeof api.changes.export>) => {
        exports++
        return api.changes.export(...given)
      },
      list: async () => ({ changes: [], next_cursor: 7, reset: true }),
    },
  }
  const mirror = mirrorOf(url)
  const { waits } = kept(mirror, resetting)
  await until(() => expect(waits.filter((ms) => ms === 3_600_000).length).toBeGreaterThan(0))
  expect(waits.filter((ms) => ms >= 60_000).slice(0, 7)).toEqual([60, 120, 240, 480, 960, 1920, 3600].map((s) => s * 1000))
  expect(exports).toBeLessThan(12)
  expect(searchMirror(mirror, {}).total).toBe(2)
})

test('a damaged file is said, and loaded anew', async () => {
  const { url, api } = await newLibrary()
  const folders = newFolders()
  const mirror = mirrorOf(url, folders)
  await loadMirror(mirror, api)
  mirror.close()
  const damage = () => writeFileSync(mirror.files.path(mirror.files.newest() ?? 0), 'no database at all'.repeat(1000))
  damage()
  expect(() => searchMirror(openMirror(folders, url), {})).toThrow(/is damaged/)
  const { told } = kept(mirror, api)
  await until(() => expect(mirror.standing.state).toBe('current'))
  expect(told.map(({ kind }) => kind)).toContain('damaged')
  await expectSame(mirror, api)
})

test('one process writes at a time, and others read meanwhile', async () => {
  const { url, api } = await newLibrary()
  const folders = newFolders()
  const mirror = mirrorOf(url, folders)
  const lock = takeToWrite(mirror)
  await loadMirror(mirror, api)
  const other = openMirror(folders, url)
  expect(() => takeToWrite(other)).toThrow(/keeps the mirror up to date/)
  expect(searchMirror(other, {}).total).toBe(2)
  await loadMirror(mirror, api)
  expect(searchMirror(other, {}).total).toBe(2)
  lock.release()
  takeToWrite(other).release()
  expect(readdirSync(mirror.files.folder).filter((file) => /^mirror-\d+\.sqlite$/.test(file))).toEqual(['mirror-2.sqlite'])
})

test('a file of another workspace is never taken for this one', async () => {
  const { url, api } = await newLibrary()
  const other = await newLibrary()
  const folders = newFolders()
  const mirror = mirrorOf(url, folders)
  await loadMirror(mirror, api)
  const strange = openMirror(folders, other.url)
  expect(strange.db).toBeUndefined()
  strange.files.make()
  mirror.loaded.exec(`vacuum into '${join(strange.files.folder, 'mirror-1.sqlite')}'`)
  expect(strange.db).toBeUndefined()
  expect(() => searchMirror(strange, {})).toThrow(/There is no mirror/)
})

test('a key that is refused ends it', async () => {
  const { url, keys } = await newLibrary()
  const { ended } = kept(mirrorOf(url), callsOf(url, `${keys.adam}x`))
  expect(await ended).toBeInstanceOf(ApiError)
  expect(new ClientError('NO_MIRROR', '').exit).toBe(1)
})
