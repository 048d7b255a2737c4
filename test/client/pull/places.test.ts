/** What a pull finds on disk: files that cannot be replaced, edits while it runs, an earlier pull that was killed, another one beside it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { PullEvent } from '../../../client/progress.ts'
import type { JobReport } from '../../../client/pull/report.ts'
import { answer, cut } from '../../support/peer.ts'
import { emptyProject, filesBelow, onlyJob, outcomesOf, type PullProject } from '../../support/pull.ts'
import { type PeerFile, type PeerJob, peerFile, type Serve, serveWell, startPullPeer } from '../../support/pull-peer.ts'
import { temporaryFolder, writeFiles } from '../../support/temporary-folder.ts'

const order = async () => [{ entry_id: 1 }]
const [a, b] = [peerFile('/Game/Town/A', 'first'), peerFile('/Game/Town/B', 'second')]

async function peerAndProject(files: readonly PeerFile[] = [a, b], job: PeerJob = {}) {
  const peer = await startPullPeer(files, job)
  const project = emptyProject()
  const run = (options = {}) => project.pull(peer, undefined, { order, ...options })
  return { peer, project, run }
}
const fileA = 'Content/Town/A.uasset'
const put = ({ root }: PullProject, files: Record<string, string>) => writeFiles(root, files)
const textOf = ({ root }: PullProject, file: string) => readFileSync(join(root, file), 'utf8')

/** A later version of the same prop at the same place. */
const nextOf = ({ object }: PeerFile, content: string): PeerFile =>
  peerFile(object.origin_path ?? '', content, { lineage_id: object.lineage_id })

/** A project that has the first versions, from a library that now has the next one of A. */
async function withNextVersion() {
  const { project, run } = await peerAndProject()
  await run()
  const peer = await startPullPeer([nextOf(a, 'first, painted'), b])
  return { project, peer }
}

test('nothing is placed while a file that would be replaced is read-only or open elsewhere, and each is named with what to do', async () => {
  const { project, run } = await peerAndProject()
  put(project, { [fileA]: 'mine', 'Content/Town/B.uasset': 'mine too' })
  chmodSync(join(project.root, fileA), 0o444)
  const holder = spawn('sleep', ['60'], {
    stdio: [openSync(join(project.root, 'Content/Town/B.uasset'), 'r'), 'ignore', 'ignore'],
  })
  try {
    const job = onlyJob(await run({ onConflict: 'overwrite' }))
    expect(job.status).toBe('failed')
    expect(job.obstacles).toMatchObject([
      { kind: 'read-only', file: fileA, next: expect.stringContaining('p4 edit') },
      { kind: 'open', file: 'Content/Town/B.uasset', message: expect.stringContaining('sleep') },
    ])
    expect([textOf(project, fileA), textOf(project, 'Content/Town/B.uasset')]).toEqual(['mine', 'mine too'])
    expect(existsSync(join(project.root, 'Saved'))).toBe(false)
    expect(job.files.map(({ outcome }) => outcome)).toEqual(['failed', 'failed'])
  } finally {
    holder.kill()
    await once(holder, 'exit')
  }
  chmodSync(join(project.root, fileA), 0o644)
  expect(onlyJob(await run({ onConflict: 'overwrite' })).summary).toMatchObject({ overwritten: 2 })
})

test('links, and folders and files in the place of each other, are refused by name', async () => {
  const refused = async (prepare: (project: PullProject) => void) => {
    const { project, run } = await peerAndProject()
    mkdirSync(join(project.root, 'Content'))
    prepare(project)
    const before = filesBelow(project.root)
    const job = onlyJob(await run())
    expect(filesBelow(project.root)).toEqual(before)
    return job.obstacles.map(({ kind, file }) => `${kind} ${file}`)
  }
  const elsewhere = temporaryFolder()
  expect(await refused((project) => put(project, { 'Content/Town': 'a file' }))).toEqual(['in-the-way Content/Town'])
  expect(await refused((project) => put(project, { [`${fileA}/x`]: '' }))).toEqual([`in-the-way ${fileA}`])
  expect(await refused(({ root }) => symlinkSync(elsewhere, join(root, 'Content/Town')))).toEqual([
    'leads-elsewhere Content/Town',
  ])
  expect(
    await refused(({ root }) => {
      mkdirSync(join(root, 'Content/Town'))
      symlinkSync(join(elsewhere, 'x'), join(root, fileA))
    }),
  ).toEqual([`leads-elsewhere ${fileA}`])
  expect(filesBelow(elsewhere)).toEqual({})
})

const spellingsOf = ({ warnings }: JobReport) => warnings.filter(({ type }) => type === 'several_spellings')

test('a folder or file that is here in other letters is the one that a pull takes, and reports as it is spelled here', async () => {
  const { project, run } = await peerAndProject()
  put(project, { 'Content/town/X.uasset': '', 'Content/town/a.uasset': 'first' })
  const job = onlyJob(await run())
  expect(outcomesOf(job)).toEqual({ 'Content/town/a.uasset': 'identical', 'Content/town/B.uasset': 'added' })
  expect(job.files.map(({ destination }) => destination)).toEqual(['/Game/town/a', '/Game/town/B'])
  expect(spellingsOf(job)).toEqual([])
  expect(readdirSync(join(project.root, 'Content'))).toEqual(['town'])
  // What lies there is known as the version that it is: the next one replaces it, under the same name.
  const peer = await startPullPeer([nextOf(a, 'first, painted'), b])
  expect(outcomesOf(onlyJob(await project.pull(peer, undefined, { order })))).toMatchObject({
    'Content/town/B.uasset': 'identical',
  })
  expect(readdirSync(join(project.root, 'Content/town')).sort()).toEqual(['B.uasset', 'X.uasset', 'a.uasset'])
})

test('of two folders that differ in letters, the one that has the file is taken, else the one spelled as in the library; which one is said', async () => {
  const { project, run } = await peerAndProject()
  put(project, { 'Content/Town/X.uasset': '', 'Content/town/B.uasset': 'second', 'Content/TOWN/Y.uasset': '' })
  const job = onlyJob(await run())
  expect(outcomesOf(job)).toEqual({ 'Content/Town/A.uasset': 'added', 'Content/town/B.uasset': 'identical' })
  expect(spellingsOf(job)).toMatchObject([
    {
      taken: ['Content/Town', 'Content/town'],
      spellings: ['Content/TOWN', 'Content/Town', 'Content/town'],
      message: expect.stringContaining('Content/TOWN and Content/Town and Content/town are here'),
    },
  ])
  expect(readdirSync(join(project.root, 'Content/Town')).sort()).toEqual(['A.uasset', 'X.uasset'])
})

test('files of folders that only the library spells in two ways land in one folder', async () => {
  const { project, run } = await peerAndProject([a, peerFile('/Game/town/C', 'third')])
  expect(onlyJob(await run()).summary).toMatchObject({ added: 2 })
  expect(readdirSync(join(project.root, 'Content'))).toHaveLength(1)
})

test('a Content folder that is a link is where it leads', async () => {
  const { project, run } = await peerAndProject()
  const elsewhere = temporaryFolder()
  symlinkSync(elsewhere, join(project.root, 'Content'))
  expect(onlyJob(await run()).summary).toMatchObject({ added: 2 })
  expect(Object.keys(filesBelow(elsewhere))).toEqual(['Town/A.uasset', 'Town/B.uasset'])
})

test('a file that is edited, or made, while the pull runs is a conflict that loses nothing', async () => {
  const project = emptyProject()
  put(project, { [fileA]: 'mine' })
  const serve: Serve = (response, bytes, heard) => {
    put(project, { [fileA]: 'mine, saved again', 'Content/Town/B.uasset': 'made meanwhile' })
    serveWell(response, bytes, heard)
  }
  const peer = await startPullPeer([a, b], { serve })
  const job = onlyJob(await project.pull(peer, undefined, { order, onConflict: 'overwrite' }))
  expect(outcomesOf(job)).toEqual({ [fileA]: 'kept', 'Content/Town/B.uasset': 'kept' })
  expect([textOf(project, fileA), textOf(project, 'Content/Town/B.uasset')]).toEqual(['mine, saved again', 'made meanwhile'])
  expect(peer.progress.at(-1)).toMatchObject({ status: 'done', report_json: { conflicts: [{ resolution: 'keep_local' }, {}] } })
})

test('a file that lies there already is the same file, who put it there', async () => {
  const { project, run } = await peerAndProject()
  put(project, { [fileA]: 'first' })
  expect(outcomesOf(onlyJob(await run()))).toEqual({ [fileA]: 'identical', 'Content/Town/B.uasset': 'added' })
})

test('a file of which the library has no version now is a conflict: it may be anything', async () => {
  const { project, peer } = await withNextVersion()
  expect(outcomesOf(onlyJob(await project.pull(peer, undefined, { order })))).toMatchObject({ [fileA]: 'kept' })
})

test('--link places read-only links to the cache, which a later version replaces', async () => {
  let files = [a, b]
  const first = await startPullPeer([a, nextOf(a, 'first, painted'), b], {
    instead: (heard, response) => {
      const isList = heard.url.includes('/closure')
      if (isList) answer(200, { objects: files.map(({ object }) => object) })(response, heard)
      return isList
    },
  })
  const project = emptyProject()
  await project.pull(first, undefined, { order, link: true })
  const stats = statSync(join(project.root, fileA))
  expect([stats.nlink, stats.mode & 0o777]).toEqual([2, 0o444])
  files = [nextOf(a, 'first, painted'), b]
  expect(outcomesOf(onlyJob(await project.pull(first, undefined, { order })))).toEqual({
    [fileA]: 'updated',
    'Content/Town/B.uasset': 'identical',
  })
  expect(statSync(join(project.root, fileA)).mode & 0o222).not.toBe(0)
  const other = emptyProject('Other', { cache: project.cache })
  expect(onlyJob(await other.pull(first, undefined, { order })).bytes).toMatchObject({ downloaded: 0 })
  expect(statSync(join(other.root, 'Content/Town/B.uasset')).mode & 0o222).not.toBe(0)
})

test('a pull that was killed while it fetched goes on with its claim and with the bytes that had come', async () => {
  const large = peerFile('/Game/Large', Buffer.alloc(8 * 1024 * 1024, 'prop').toString())
  let child: ReturnType<typeof spawn> | undefined
  const serve: Serve = (response, bytes, heard) => {
    if (!child) return serveWell(response, bytes, heard)
    response.writeHead(200, { 'content-length': bytes.length })
    response.write(bytes.subarray(0, 4 * 1024 * 1024))
    const incoming = join(project.cache, 'content/incoming')
    const watch = setInterval(() => {
      if (!Object.values(filesBelow(incoming)).some(({ length }) => length > 1024 * 1024)) return
      clearInterval(watch)
      child?.kill('SIGKILL')
    }, 5)
  }
  const peer = await startPullPeer([a, large], { serve })
  const project = emptyProject()
  const options = {
    root: project.root,
    state: project.state,
    cache: project.cache,
    url: peer.url,
    key: peer.key,
    entries: await order(),
  }
  child = spawn(
    process.execPath,
    [fileURLToPath(new URL('../../support/pull-process.ts', import.meta.url)), JSON.stringify(options)],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  await once(child, 'exit')
  child = undefined
  expect(project.files()).toEqual({})
  const job = onlyJob(await project.pull(peer, undefined, { order }))
  expect(job).toMatchObject({ status: 'done', resumed: true, summary: { added: 2 } })
  expect(job.bytes.downloaded).toBeLessThan(large.bytes.length)
  expect(peer.heard.findLast(({ url }) => url.includes(`/store/${large.object.content_hash}`))?.headers.range).toMatch(
    /^bytes=[1-9]/,
  )
  expect(filesBelow(join(project.root, 'Saved'))).toEqual({})
})

test('a pull whose report never arrived reports over both runs what the first one placed, edits since then included', async () => {
  let isCut = true
  const { peer, project, run } = await peerAndProject([a, b], {
    instead: (heard, response) => {
      const isLast = isCut && heard.body.includes('"done"')
      if (isLast) cut(response, heard)
      return isLast
    },
  })
  await expect(run()).rejects.toMatchObject({ code: 'UNREACHABLE' })
  put(project, { [fileA]: 'edited since' })
  const saved = join(project.root, 'Content/Town/saved.tmp')
  writeFileSync(saved, 'saved by a rename')
  renameSync(saved, join(project.root, 'Content/Town/B.uasset'))
  isCut = false
  const job = onlyJob(await run())
  expect(job).toMatchObject({ status: 'done', resumed: true, summary: { added: 2, kept: 0 } })
  expect(peer.progress.at(-1)?.report_json?.added).toHaveLength(2)
  expect(textOf(project, fileA)).toBe('edited since')
  expect(outcomesOf(onlyJob(await run()))).toEqual({ [fileA]: 'kept', 'Content/Town/B.uasset': 'kept' })
})

test('a claim whose answer was lost is the pull’s own all the same: the next run goes on with it', async () => {
  let token: string | undefined
  const beats: string[] = []
  const { run } = await peerAndProject([a, b], {
    instead: (heard, response) => {
      if (heard.url.endsWith('/heartbeat')) beats.push(JSON.parse(heard.body).claim_token)
      if (token !== undefined || !heard.url.endsWith('/claim')) return false
      token = JSON.parse(heard.body).claim_token
      cut(response, heard)
      return true
    },
  })
  await expect(run()).rejects.toMatchObject({ code: 'UNREACHABLE' })
  expect(onlyJob(await run())).toMatchObject({ status: 'done', resumed: true, summary: { added: 2 } })
  expect([token?.length, beats]).toEqual([32, [token]])
})

test('a claim that someone else has after an interruption is let go, with a word about what was placed', async () => {
  let isGone = false
  const { project, run } = await peerAndProject([a, b], {
    instead: (heard, response) => {
      if (heard.body.includes('"done"') && !isGone) {
        cut(response, heard)
        return true
      }
      const isBeat = isGone && heard.url.endsWith('/heartbeat')
      const isLook = isGone && heard.method === 'GET' && heard.url.endsWith('/pull-jobs/1')
      if (isBeat) answer(409, { error: { code: 'JOB_STATE', message: 'Pull job 1 is claimed.', details: {} } })(response, heard)
      if (isLook) answer(200, { id: 1, status: 'claimed' })(response, heard)
      return isBeat || isLook
    },
  })
  await expect(run()).rejects.toMatchObject({ code: 'UNREACHABLE' })
  isGone = true
  const report = await run()
  expect(report.notes).toEqual([
    expect.stringContaining('lost its claim on job 1: Pull job 1 is claimed. The 2 files that it had placed stay.'),
  ])
  expect(onlyJob(report)).toMatchObject({ resumed: false, summary: { identical: 2 } })
  expect((await project.pull(await startPullPeer([a, b]), undefined, { order })).notes).toEqual([])
})

test('two pulls into one project take turns', async () => {
  const { project, run } = await peerAndProject()
  const waits: PullEvent[] = []
  const tell = (event: PullEvent) => {
    if (event.kind === 'wait') waits.push(event)
  }
  const reports = await Promise.all([run({ tell }), run({ tell })])
  expect(reports.map((report) => onlyJob(report).summary).map(({ added, identical }) => [added, identical])).toEqual(
    expect.arrayContaining([
      [2, 0],
      [0, 2],
    ]),
  )
  expect(waits).toHaveLength(1)
  expect(Object.keys(project.files())).toHaveLength(2)
})

test('files wait below Saved, on the disk of the project, and nothing of that is left', async () => {
  const { project, run } = await peerAndProject()
  let staging = ''
  await run({
    tell: (event: PullEvent) => {
      if (event.kind === 'place') staging = Object.keys(filesBelow(join(project.root, 'Saved')))[0] ?? staging
    },
  })
  expect(existsSync(join(project.root, 'Saved'))).toBe(false)
  expect(staging).toMatch(/^PropHouse\/Staging-[0-9a-f]{8}\//)
})
