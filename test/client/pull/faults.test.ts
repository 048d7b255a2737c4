/** Pulls from a library that misbehaves: names that must not be, bytes that are others, addresses that expire, claims that are lost. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { PullOptions } from '../../../client/pull/pull.ts'
import { answer } from '../../support/peer.ts'
import { emptyProject, filesBelow, onlyJob } from '../../support/pull.ts'
import { type PeerFile, type PeerJob, peerFile, type Serve, serveWell, startPullPeer } from '../../support/pull-peer.ts'

const large = Buffer.alloc(3 * 1024 * 1024, 'prop').toString()

/** Pulls what a peer says into an empty project. */
async function pullFrom(files: readonly PeerFile[], job: PeerJob = {}, options: Partial<PullOptions> = {}) {
  const peer = await startPullPeer(files, job)
  const project = emptyProject()
  const run = () => project.pull(peer, undefined, { order: async () => [{ entry_id: 1 }], ...options })
  return { peer, project, run }
}

const paths = (requests: { url: string }[]): string[] =>
  requests.map(({ url }) => url.replace(/[?].*/, '').replace('/api/v1', ''))

test.each([
  ['a path that leads out', [peerFile('/Game/A'), peerFile('/Game/B', 'b', { origin_path: '/Game/../../B' })]],
  ['two places in one', [peerFile('/Game/A/X'), peerFile('/Game/A/x')]],
  ['an extension', [peerFile('/Game/A'), peerFile('/Game/B', 'b', { source_ext: '../exe' })]],
])('%s in a list is refused before anything is written, and the library is told', async (_what, files) => {
  const { peer, project, run } = await pullFrom(files)
  const job = onlyJob(await run())
  expect(job).toMatchObject({ status: 'failed', obstacles: [{ kind: 'not-allowed' }], files: [] })
  expect(filesBelow(project.root)).toEqual({ 'Target.uproject': expect.any(Buffer) })
  expect(existsSync(project.cache)).toBe(false)
  expect(peer.progress).toMatchObject([{ status: 'running' }, { status: 'failed', failure_reason: job.reason }])
})

test('a file that is called like a device is left out and named, and the rest comes', async () => {
  const { project, run } = await pullFrom([peerFile('/Game/A'), peerFile('/Game/NUL')])
  const job = onlyJob(await run())
  expect(job).toMatchObject({ status: 'done', summary: { added: 1, left_out: 1 } })
  expect(job.warnings.map(({ message }) => message).join()).toContain('NUL')
  expect(Object.keys(project.files())).toEqual(['A.uasset'])
})

test('a root that leads out is refused', async () => {
  const { project, run } = await pullFrom([peerFile('/Game/A')], { root: '/Game/../..' })
  expect(onlyJob(await run())).toMatchObject({ status: 'failed' })
  expect(Object.keys(filesBelow(project.root))).toEqual(['Target.uproject'])
})

test('bytes that arrive damaged are fetched again, from an address of their own', async () => {
  let spoilt = 2
  const serve: Serve = (response, bytes, heard) =>
    serveWell(response, spoilt-- > 0 ? Buffer.from(bytes).fill('x', 0, 1) : bytes, heard)
  const { peer, project, run } = await pullFrom([peerFile('/Game/A', large)], { serve })
  expect(onlyJob(await run())).toMatchObject({ status: 'done', summary: { added: 1 } })
  expect(project.files()['A.uasset']?.toString() === large).toBe(true)
  const asked = peer.heard.filter(({ url }) => url.startsWith('/store/')).map(({ url }) => url)
  expect(new Set(asked).size).toBe(3)
})

test('bytes that stay damaged are named, nothing is placed, and what arrived well is kept for the next time', async () => {
  const [good, bad] = [peerFile('/Game/Good'), peerFile('/Game/Bad')]
  const serve: Serve = (response, bytes, heard) =>
    serveWell(response, heard.url.includes(bad.object.content_hash) ? Buffer.alloc(bytes.length) : bytes, heard)
  const { peer, project, run } = await pullFrom([good, bad], { serve })
  const job = onlyJob(await run())
  expect(job).toMatchObject({ status: 'failed', summary: { failed: 2, added: 0 } })
  expect(job.obstacles).toMatchObject([{ kind: 'damaged', file: '/Game/Bad' }])
  expect(Object.keys(filesBelow(project.root))).toEqual(['Target.uproject'])
  expect(readdirSync(join(project.cache, 'content/incoming'))).toEqual([])
  expect(peer.progress[1]?.report_json).toMatchObject({ added: [], failed: [{ asset_name: 'Good' }, { asset_name: 'Bad' }] })
  const asked = peer.heard.filter(({ url }) => url.includes(`/store/${bad.object.content_hash}`))
  expect(asked).toHaveLength(3)
  onlyJob(await run())
  expect(peer.heard.filter(({ url }) => url.includes(`/store/${good.object.content_hash}`))).toHaveLength(1)
})

test('bytes that the library lost are named', async () => {
  const { run } = await pullFrom([peerFile('/Game/A')], {
    serve: (response, _bytes, heard) => answer(404, { error: 'gone' })(response, heard),
  })
  expect(onlyJob(await run())).toMatchObject({ status: 'failed', obstacles: [{ kind: 'missing', file: '/Game/A' }] })
})

test('addresses whose time is over are asked for once more, all together', async () => {
  const files = Array.from({ length: 20 }, (_, at) => peerFile(`/Game/A${at}`))
  const serve: Serve = (response, bytes, heard) =>
    Number(/n=(\d+)/.exec(heard.url)?.[1]) < files.length
      ? answer(403, { error: 'this address has expired' })(response, heard)
      : serveWell(response, bytes, heard)
  const { peer, run } = await pullFrom(files, { serve })
  expect(onlyJob(await run())).toMatchObject({ status: 'done', summary: { added: 20 } })
  expect(paths(peer.heard).filter((path) => path === '/pull-jobs/1/closure')).toHaveLength(2)
})

test('a server without addresses in its list is asked blob by blob', async () => {
  const { peer, project, run } = await pullFrom([peerFile('/Game/A'), peerFile('/Game/B')], { urls: false })
  expect(onlyJob(await run())).toMatchObject({ status: 'done', summary: { added: 2 } })
  expect(Object.keys(project.files())).toEqual(['A.uasset', 'B.uasset'])
  expect(paths(peer.heard).filter((path) => path.startsWith('/blobs/'))).toHaveLength(2)
})

test('a connection that is cut is taken up where it stopped', async () => {
  let cuts = 2
  const serve: Serve = (response, bytes, heard) => {
    if (cuts-- <= 0) return serveWell(response, bytes, heard)
    const start = Number(/^bytes=(\d+)-$/.exec(heard.headers.range ?? '')?.[1] ?? 0)
    response.writeHead(start > 0 ? 206 : 200, {
      'content-length': bytes.length - start,
      ...(start > 0 ? { 'content-range': `bytes ${start}-${bytes.length - 1}/${bytes.length}` } : {}),
    })
    response.write(bytes.subarray(start, start + 1_000_000), () => response.socket?.destroy())
  }
  const { peer, run } = await pullFrom([peerFile('/Game/A', large)], { serve })
  const job = onlyJob(await run())
  expect(job).toMatchObject({ status: 'done', bytes: { downloaded: large.length } })
  const ranges = peer.heard.filter(({ url }) => url.startsWith('/store/')).map(({ headers }) => headers.range)
  expect(ranges).toEqual([undefined, expect.stringMatching(/^bytes=[1-9]/), expect.stringMatching(/^bytes=[1-9]/)])
})

test('a claim that is lost before anything is placed ends the pull, and nothing is placed', async () => {
  const { project, run } = await pullFrom([peerFile('/Game/A')], {
    instead: (heard, response) => {
      const isProgress = heard.method === 'PATCH'
      if (isProgress) answer(409, { error: { code: 'JOB_STATE', message: 'Someone else has it.', details: {} } })(response, heard)
      return isProgress
    },
  })
  expect(onlyJob(await run())).toMatchObject({ status: 'lost', reason: expect.stringContaining('Someone else has it.') })
  expect(project.files()).toEqual({})
  expect(Object.keys(filesBelow(project.root))).toEqual(['Target.uproject'])
})

test('a pull that cannot be says so only when the library has answered that it began', async () => {
  const said: string[] = []
  const { run } = await pullFrom([peerFile('/Game/NUL')], {
    instead: (heard, response) => {
      if (heard.method !== 'PATCH') return false
      const { status } = JSON.parse(heard.body)
      const reply = () => {
        said.push(`${status} is answered`)
        answer(200, {})(response, heard)
      }
      said.push(status)
      setTimeout(reply, status === 'running' ? 300 : 0)
      return true
    },
  })
  expect(onlyJob(await run())).toMatchObject({ status: 'failed' })
  expect(said).toEqual(['running', 'running is answered', 'failed', 'failed is answered'])
})

test('a claim that is lost at the very end is said, with what was placed', async () => {
  const { project, run } = await pullFrom([peerFile('/Game/A')], {
    instead: (heard, response) => {
      const isDone = heard.body.includes('"done"')
      if (isDone) answer(409, { error: { code: 'JOB_STATE', message: 'Someone else has it.', details: {} } })(response, heard)
      return isDone
    },
  })
  expect(onlyJob(await run())).toMatchObject({ status: 'lost', summary: { added: 1 } })
  expect(Object.keys(project.files())).toEqual(['A.uasset'])
})

test('an interrupted pull stops, places nothing, and the next one goes on with the same claim', async () => {
  const stop = new AbortController()
  let isFirst = true
  const serve: Serve = (response, bytes, heard) => {
    if (isFirst) stop.abort(new Error('Ctrl-C'))
    isFirst = false
    serveWell(response, bytes, heard)
  }
  const { peer, project, run } = await pullFrom([peerFile('/Game/A', large)], { serve })
  const order = async () => [{ entry_id: 1 }]
  await expect(project.pull(peer, undefined, { order, signal: stop.signal })).rejects.toThrow('Ctrl-C')
  expect(project.files()).toEqual({})
  const job = onlyJob(await run())
  expect(job).toMatchObject({ status: 'done', resumed: true, summary: { added: 1 } })
  const posted = paths(peer.heard.filter(({ method }) => method === 'POST'))
  expect(posted.filter((path) => path === '/pull-jobs' || path.endsWith('/claim'))).toHaveLength(2)
  expect(paths(peer.heard)).toContain('/pull-jobs/1/heartbeat')
})
