// Who follows a library that was set back to an earlier state begins anew, and says so: the change feed, the activity, mirrors, watched projects.
import { expect, onTestFinished, test } from 'vitest'
import { readNews } from '../../agent/watching/library-news.ts'
import { type FollowedPage, type FollowingChanges, followChanges } from '../../client/activity/changes.ts'
import { followActivity } from '../../client/activity/follow.ts'
import { type Api, createApi } from '../../client/http/api.ts'
import { Http } from '../../client/http/http.ts'
import { followOnce } from '../../client/mirror/follow.ts'
import { keepMirror } from '../../client/mirror/keep.ts'
import { loadMirror } from '../../client/mirror/load/load.ts'
import type { MirrorNews } from '../../client/mirror/load/news.ts'
import { updateMirror } from '../../client/mirror/update.ts'
import { inTransaction } from '../../server/database/transaction.ts'
import { beginEpoch, newEpochId } from '../../server/epoch.ts'
import { callAs } from '../support/api.ts'
import { expectSame, mirrorOf } from '../support/mirror.ts'
import { ph, signedIn } from '../support/ph.ts'
import { item, pushed } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
/** As a restore does, of a backup that lacks nothing: the numbers go on far ahead. */
const setBack = () => inTransaction(server.database.sql, (sql) => beginEpoch(sql, { id: newEpochId(), now: new Date() }))
const soon = () => new Promise<void>((resolve) => setImmediate(resolve))

async function library() {
  const { url, keys } = await server.addWorkspace()
  const mia = callAs(url, keys.mia)
  await pushed(mia, [item()])
  const http = new Http({ url, key: keys.mia, retryForMs: 0 })
  onTestFinished(() => http.close('destroy'))
  return { url, key: keys.mia, api: createApi(http), push: () => pushed(mia, [item()]) }
}

/** Runs until the test is over. */
function running(work: (signal: AbortSignal) => Promise<unknown>): void {
  const stop = new AbortController()
  const ended = work(stop.signal).catch(() => {})
  onTestFinished(async () => {
    stop.abort()
    await ended
  })
}

function pagesOf(api: Api, following: FollowingChanges = {}): FollowedPage[] {
  const pages: FollowedPage[] = []
  running(async (signal) => {
    for await (const page of followChanges(api, { signal, pause: soon, ...following })) pages.push(page)
  })
  return pages
}

test('who follows the change feed hears of it once, also who comes back later with the epoch of before', async () => {
  const { api, push } = await library()
  const pages = pagesOf(api, { cursor: 0 })
  await expect.poll(() => pages.length).toBe(1)
  const [before] = pages
  await setBack()
  await push()
  await expect.poll(() => pages.map(({ reset }) => reset)).toContain(true)
  await push()
  await expect.poll(() => pages.at(-1)?.changes.length).toBeGreaterThan(0)
  expect(pages.filter(({ reset }) => reset)).toHaveLength(1)
  const last = pages.at(-1)
  expect(last?.epoch).not.toBe(before?.epoch)
  const later = pagesOf(api, { cursor: before?.cursor ?? 0, epoch: before?.epoch ?? '' })
  await expect.poll(() => later.length).toBeGreaterThan(0)
  expect(later[0]).toMatchObject({ changes: [], reset: true, epoch: last?.epoch })
  expect(later[0]?.cursor).toBeGreaterThanOrEqual(last?.cursor ?? 0)
})

test('who follows the activity is told once, and gets what happens from then on', async () => {
  const { api, push } = await library()
  const seen: number[] = []
  const told: unknown[] = []
  running(async (signal) => {
    const following = { recent: 5, everyMs: 1, poll: api, pause: soon, signal, tell: (state: unknown) => void told.push(state) }
    for await (const { id } of followActivity(api, following)) seen.push(id)
  })
  await expect.poll(() => seen.length).toBe(1)
  await setBack()
  await expect.poll(() => told).toEqual(['set-back'])
  await push()
  await expect.poll(() => seen.length).toBe(2)
  expect(Number(seen[1]) - Number(seen[0])).toBeGreaterThan(1_000_000)
  expect(told).toEqual(['set-back'])
})

test('an event ahead of the newest one is taken for a library that was set back, and what follows is not missed', async () => {
  const { api, push } = await library()
  const seen: number[] = []
  const told: unknown[] = []
  running(async (signal) => {
    const following = {
      recent: 0,
      after: 900,
      everyMs: 1,
      poll: api,
      pause: soon,
      signal,
      tell: (state: unknown) => void told.push(state),
    }
    for await (const { id } of followActivity(api, following)) seen.push(id)
  })
  await expect.poll(() => told).toEqual(['set-back'])
  await push()
  await expect.poll(() => seen.length).toBe(1)
})

test('a mirror is loaded anew, by who keeps it and by who brings it up to date once, and both say why', async () => {
  const { url, key, api, push } = await library()
  const [kept, updated] = [mirrorOf(url), mirrorOf(url)]
  const news: MirrorNews[] = []
  await loadMirror(updated, api)
  running((signal) => keepMirror(kept, api, { signal, pause: soon, tell: (one) => void news.push(one) }))
  await expect.poll(() => news.map(({ kind }) => kind)).toContain('loaded')
  await followOnce(updated, api)
  await setBack()
  await push()
  await expect.poll(() => news).toContainEqual({ kind: 'reset', isSetBack: true })
  await expect.poll(() => news.filter(({ kind }) => kind === 'loaded').length).toBe(2)
  expect((await followOnce(updated, api)).reset).toBe(true)
  const told: MirrorNews[] = []
  await updateMirror(updated, api, { tell: (one) => void told.push(one) })
  expect(told).toContainEqual({ kind: 'reset', isSetBack: true })
  expect((await followOnce(updated, api)).reset).toBe(false)
  await expectSame(updated, api)

  const env = { ...signedIn(url, key), PH_STATE_DIR: updated.files.folder }
  expect((await ph('mirror update', { env })).stderr).not.toContain('set back')
  await setBack()
  expect((await ph('mirror update', { env })).stderr).toContain(
    'The library was set back to an earlier state: the mirror is loaded anew.',
  )
})

test('an agent that watches a project looks at all of it', async () => {
  const { api, push } = await library()
  const first = await readNews(api, { cursor: 0, epoch: undefined })
  await push()
  const next = await readNews(api, first)
  expect(next).toMatchObject({ tooMuch: false, isSetBack: false })
  await setBack()
  expect(await readNews(api, next)).toMatchObject({ tooMuch: true, isSetBack: true })
  expect(await readNews(api, { cursor: 9_000_000_000_000_000, epoch: undefined })).toMatchObject({ tooMuch: true })
})
