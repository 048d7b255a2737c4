/** Pulls from a server that means harm: bytes without an end, sizes that lie, lists of other jobs, redirects elsewhere, floods. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { limits } from '../../../contract/limits.ts'
import type { PullReport } from '../../../contract/pull-reports.ts'
import { answer, startPeer } from '../../support/peer.ts'
import { emptyProject, filesBelow, onlyJob, type PullProject } from '../../support/pull.ts'
import { type PeerFile, type PeerJob, peerFile, type Serve, serveWell, startPullPeer } from '../../support/pull-peer.ts'

async function pullFrom(files: readonly PeerFile[], job: PeerJob = {}) {
  const peer = await startPullPeer(files, job)
  const project = emptyProject()
  return { peer, project, run: () => project.pull(peer, undefined, { order: async () => [{ entry_id: 1 }] }) }
}

/** The project is as it was before, and the cache holds nothing of it. */
function expectUntouched(project: PullProject): void {
  expect(Object.keys(filesBelow(project.root))).toEqual(['Target.uproject'])
  expect(Object.keys(filesBelow(join(project.cache, 'content', 'objects')))).toEqual([])
}

/** How much was taken of what has no end. */
let pouredBytes = 0

/** Bytes until nobody takes them any more. */
const endless: Serve = (response) => {
  response.writeHead(200)
  const chunk = Buffer.alloc(64 * 1024, 'x')
  const sendFile = () => {
    while (!response.destroyed) {
      pouredBytes += chunk.length
      if (!response.write(chunk)) return void response.once('drain', sendFile)
    }
  }
  sendFile()
}

const short: Serve = (response, bytes) => response.writeHead(200).end(bytes.subarray(1))
const shifted: Serve = (response, bytes) =>
  response.writeHead(206, { 'content-range': `bytes 1-${bytes.length - 1}/${bytes.length}` }).end(bytes.subarray(1))

test.each([
  ['bytes without an end', endless],
  ['less than the list says', short],
  ['a part that was not asked for', shifted],
])('%s are refused by the name of the file, and nothing of them stays', async (_what, serve) => {
  const { peer, project, run } = await pullFrom([peerFile('/Game/A', 'the file')], { serve })
  pouredBytes = 0
  const job = onlyJob(await run())
  expect(pouredBytes).toBeLessThan(16 * 1024 ** 2)
  expect(job).toMatchObject({ status: 'failed', obstacles: [{ kind: 'damaged', file: '/Game/A' }] })
  expect(job.obstacles[0]?.message).toContain('/Game/A')
  expectUntouched(project)
  expect(readdirSync(join(project.cache, 'content', 'incoming'))).toEqual([])
  expect(peer.progress.at(-1)).toMatchObject({ status: 'failed' })
})

test('a size that lies is refused before a byte is fetched, when no disk has that much', async () => {
  const { peer, project, run } = await pullFrom([peerFile('/Game/A', 'a', { blob_size: limits.blobBytes })])
  const many = Array.from({ length: 400 }, (_, at) => peerFile(`/Game/A${at}`, `${at}`, { blob_size: limits.blobBytes }))
  const flood = await pullFrom(many)
  expect(onlyJob(await flood.run())).toMatchObject({ status: 'failed', obstacles: [{ kind: 'cache-full' }] })
  expect(flood.peer.heard.filter(({ url }) => url.startsWith('/store/'))).toEqual([])
  expectUntouched(flood.project)
  const job = onlyJob(await run())
  expect(job.status).toBe('failed')
  expect(peer.heard.length).toBeLessThan(20)
  expectUntouched(project)
})

test('the list of another job is refused before anything is fetched', async () => {
  const { peer, project, run } = await pullFrom([peerFile('/Game/A')], {
    instead: (heard, response) => {
      const isList = heard.url.includes('/closure')
      if (isList) answer(200, { job_id: 2, objects: [peerFile('/Game/A').object] })(response, heard)
      return isList
    },
  })
  const job = onlyJob(await run())
  expect(job).toMatchObject({ status: 'failed', obstacles: [{ kind: 'not-allowed', message: expect.stringContaining('job 2') }] })
  expect(peer.heard.filter(({ url }) => url.startsWith('/store/'))).toEqual([])
  expectUntouched(project)
})

test('a list of more files than a job may have is refused before anything is fetched', async () => {
  const files = Array.from({ length: limits.pullJob.files + 1 }, (_, at) => peerFile(`/Game/All/SM_${at}`, `${at}`))
  const { peer, project, run } = await pullFrom(files)
  const message = 'The list of files for job 1 has more than 5000 files.'
  expect(onlyJob(await run())).toMatchObject({ status: 'failed', obstacles: [{ kind: 'not-allowed', message }] })
  expect(peer.heard.filter(({ url }) => url.startsWith('/store/'))).toEqual([])
  expectUntouched(project)
})

test('addresses elsewhere never see the key, and none but the web is followed', async () => {
  const file = peerFile('/Game/A', 'the file')
  const elsewhere = await startPeer((response) => response.end(file.bytes))
  const redirecting: Serve = (response) => response.writeHead(302, { location: `${elsewhere.url}/bytes` }).end()
  const { project, run } = await pullFrom([file], { serve: redirecting })
  expect(onlyJob(await run())).toMatchObject({ status: 'done' })
  expect(project.files()).toEqual({ 'A.uasset': file.bytes })
  expect(elsewhere.heard.map(({ headers }) => headers.authorization)).toEqual([undefined])
  const toDisk: Serve = (response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end()
  const local = await pullFrom([file], { serve: toDisk })
  await expect(local.run()).rejects.toMatchObject({ code: 'NOT_A_LIBRARY', message: expect.stringContaining('file:') })
  expectUntouched(local.project)
})

test('redirects in circles, and calls of the library that lead elsewhere, are refused', async () => {
  const circle: Serve = (response, _bytes, { url }) => response.writeHead(302, { location: url }).end()
  const round = await pullFrom([peerFile('/Game/A')], { serve: circle })
  await expect(round.run()).rejects.toMatchObject({ code: 'NOT_A_LIBRARY' })
  expectUntouched(round.project)
  const elsewhere = await startPeer(answer(200))
  const { project, run } = await pullFrom([peerFile('/Game/A')], {
    instead: (heard, response) => {
      const isClaim = heard.url.endsWith('/claim')
      if (isClaim) answer(307, {}, { location: `${elsewhere.url}/claim` })(response, heard)
      return isClaim
    },
  })
  await expect(run()).rejects.toBeInstanceOf(Error)
  expect(elsewhere.heard).toEqual([])
  expectUntouched(project)
})

test('a list that does not end is cut off, and the memory of it stays small', async () => {
  const { project, run } = await pullFrom([], {
    instead: (heard, response) => {
      const isList = heard.url.includes('/closure')
      if (isList) endless(response, Buffer.alloc(0), heard)
      return isList
    },
  })
  await expect(run()).rejects.toMatchObject({ code: 'ANSWER_TOO_LARGE' })
  expectUntouched(project)
})

/** So long that their paths alone are more than a report may hold. */
const deepFolder = `/Game/${'Folder_of_a_long_name/'.repeat(9)}`

const sentBytes = (report: unknown): number => Buffer.byteLength(JSON.stringify(report ?? null))

test('a report of five thousand files with long paths is cut to what the library takes, and the job is done', async () => {
  const long = (at: number) => `${deepFolder}SM_${'x'.repeat(40)}_${at}`
  const files = Array.from({ length: limits.pullJob.files }, (_, at) => peerFile(long(at), `${at}`))
  const { peer, project, run } = await pullFrom(files, { serve: serveWell })
  const job = onlyJob(await run())
  expect(job).toMatchObject({ status: 'done', summary: { added: files.length } })
  expect(job.files.map(({ destination }) => destination)).toContain(long(4999))
  expect(readdirSync(join(project.root, 'Content', deepFolder.slice('/Game/'.length)))).toHaveLength(files.length)
  const report = peer.progress.at(-1)?.report_json as PullReport
  expect(report.added.map(({ content_hash }) => content_hash).sort()).toEqual(job.files.map((file) => file.content_hash).sort())
  expect(report.added.map(({ destination }) => destination)).toContain(`…${long(4999).slice(-99)}`)
  expect(sentBytes(report)).toBeLessThanOrEqual(limits.pullJob.reportBytes)
})

test('five thousand files in one folder are placed, and found again without a byte', async () => {
  const files = Array.from({ length: limits.pullJob.files }, (_, at) => peerFile(`/Game/All/SM_${at}`, `${at}`))
  const { peer, project, run } = await pullFrom(files, { serve: serveWell })
  expect(onlyJob(await run())).toMatchObject({ status: 'done', summary: { added: files.length } })
  expect(readdirSync(join(project.root, 'Content', 'All'))).toHaveLength(files.length)
  expect(statSync(join(project.root, 'Content', 'All', 'SM_4999.uasset')).size).toBe(4)
  expect(peer.progress.at(-1)?.report_json?.added).toHaveLength(files.length)
  const asked = peer.heard.length
  expect(onlyJob(await run())).toMatchObject({ summary: { identical: files.length }, bytes: { downloaded: 0, from_cache: 0 } })
  expect(peer.heard.slice(asked).filter(({ url }) => url.startsWith('/store/'))).toEqual([])
})

test.each([
  ['paths', '/Game/Folder_of_a_long_name/', {}],
  ['long paths', deepFolder, {}],
  ['names that JSON has to spell out', deepFolder, { asset_name: '\u0001😀'.repeat(330) }],
])('a report about thousands of files that failed, with %s, fits what the library takes', async (_what, folder, over) => {
  const file = (at: number) => peerFile(`${folder}SM_${'x'.repeat(40)}_${at}`, `${at}`, over)
  const files = Array.from({ length: limits.pullJob.files }, (_, at) => file(at))
  const { peer, run } = await pullFrom(files, { serve: (response) => response.writeHead(404).end() })
  const job = onlyJob(await run())
  expect(job).toMatchObject({ status: 'failed', summary: { failed: files.length } })
  const { report_json, failure_reason } = JSON.parse(peer.heard.findLast(({ method }) => method === 'PATCH')?.body ?? '')
  expect(failure_reason).toMatch(/ And 4999 more\.$/)
  expect(report_json.failed).toHaveLength(files.length)
  expect(sentBytes(report_json)).toBeLessThanOrEqual(limits.pullJob.reportBytes)
  expect(JSON.stringify(report_json).isWellFormed()).toBe(true)
  expect(JSON.stringify(report_json)).not.toMatch(/\\ud[89ab]/)
})
