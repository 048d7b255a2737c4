/** Claims that end under a pull, files that the server's disk spoilt, and pulls that share what they use: on a real server. */
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import type { PullOptions } from '../../../client/pull/pull.ts'
import { callAs } from '../../support/api.ts'
import { answer } from '../../support/peer.ts'
import { emptyProject, entriesNamed, filesBelow, onlyJob } from '../../support/pull.ts'
import { peerFile, startPullPeer } from '../../support/pull-peer.ts'
import { sha256 } from '../../support/push.ts'
import { startTestServer } from '../../support/server.ts'
import { startProxy } from '../../support/tcp-proxy.ts'
import { makeProject } from '../../support/unreal-project.ts'

const server = await startTestServer()
const overAnHourMs = 61 * 60_000

afterEach(() => void vi.useRealTimers())

/** A wall that needs a brick, a wire on which something may happen while files are sent, and the newest job of the project. */
async function stocked(onFile: () => unknown = () => {}) {
  const { slug, url, keys } = await server.addWorkspace()
  const api = callAs(url, keys.mia)
  const source = await makeProject({
    'Content/Town/SM_Wall.uasset': { imports: ['/Game/Town/T_Brick'], payload: randomBytes(3000) },
    'Content/Town/T_Brick.uasset': { payload: randomBytes(3000) },
  })
  await source.push({ url, key: keys.mia })
  let isFirst = true
  const wire = await startProxy(server.url, async (sent) => {
    if (isFirst && sent.includes('GET /storage/')) {
      isFirst = false
      await onFile()
    }
    return undefined
  })
  const target = { url: wire.url(url), key: keys.mia }
  const order = async () => entriesNamed({ url, key: keys.mia }, ['SM_Wall'])
  const newestJob = async () => (await api.get('/pull-jobs')).body.jobs[0]
  return { slug, keys, api, max: callAs(url, keys.max), source, target, options: { order }, newestJob }
}

/** The machine sleeps through the lease of its claim; what is told by its own clock since is what a sleeping machine knows. */
function sleepThroughLease(): void {
  server.clock.advance(overAnHourMs)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + overAnHourMs })
}

const claim = (caller: ReturnType<typeof callAs>, id: number) =>
  caller.post(`/pull-jobs/${id}/claim`, { project_key: 'Target', engine_version: '5.4.0' })

test.each([
  ['was claimed by someone else', 'claimed'],
  ['was cancelled', 'cancelled'],
])('a job whose lease ran out in the middle and that %s places nothing, and the next pull orders anew', async (_what, status) => {
  const lost = async () => {
    sleepThroughLease()
    const { id } = await made.newestJob()
    const taken =
      status === 'claimed' ? await claim(made.max, id) : await made.api.patch(`/pull-jobs/${id}`, { status: 'cancelled' })
    expect(taken.status).toBe(200)
  }
  const made = await stocked(lost)
  const project = emptyProject()
  const job = onlyJob(await project.pull(made.target, undefined, made.options))
  expect(job).toMatchObject({
    status: 'lost',
    reason: expect.stringContaining(`The claim on pull job ${job.job_id} is lost`),
  })
  expect(Object.keys(filesBelow(project.root))).toEqual(['Target.uproject'])
  expect((await made.api.get(`/pull-jobs/${job.job_id}`)).body.status).toBe(status)
  const again = onlyJob(await project.pull(made.target, undefined, made.options))
  expect(again).toMatchObject({ status: 'done', summary: { added: 2 }, bytes: { downloaded: 0 } })
  expect(again.job_id).toBeGreaterThan(job.job_id)
})

test('an interrupted pull whose lease ran out takes its job on again, as nobody else has', async () => {
  const stopping = new AbortController()
  const made = await stocked(() => stopping.abort(new Error('Ctrl-C')))
  const project = emptyProject()
  const pull = (options: Partial<PullOptions> = {}) => project.pull(made.target, undefined, { ...made.options, ...options })
  await expect(pull({ signal: stopping.signal })).rejects.toThrow('Ctrl-C')
  const { id } = await made.newestJob()
  server.clock.advance(overAnHourMs)
  const report = await pull()
  expect(onlyJob(report)).toMatchObject({ job_id: id, status: 'done', resumed: true, summary: { added: 2 } })
  expect(report.notes).toEqual([])
  expect((await made.api.get('/pull-jobs')).body.jobs).toMatchObject([{ id, status: 'done' }])
})

test('a pull whose report arrived, but not the answer to it, is known to have finished', async () => {
  const made = await stocked()
  const project = emptyProject()
  let state: 'not yet' | 'away' | 'back' = 'not yet'
  // The server gets the report, and what it answers never arrives, nor anything after that.
  const wire = await startProxy(server.url, async (sent) => {
    if (state === 'away') return 'cut'
    if (state === 'back' || !sent.includes('"status":"done"')) return undefined
    state = 'away'
    const { id } = await made.newestJob()
    const told = await made.api.patch(`/pull-jobs/${id}`, JSON.parse(sent.slice(sent.indexOf('{'))))
    expect(told.status).toBe(200)
    return 'cut'
  })
  const library = { ...made.target, url: wire.url(made.target.url) }
  const impatient = { ...made.options, pause: async () => {} }
  await expect(project.pull(library, undefined, impatient)).rejects.toMatchObject({ code: 'UNREACHABLE' })
  state = 'back'
  const { id } = await made.newestJob()
  const report = await project.pull(library, undefined, made.options)
  expect(report.notes).toEqual([`The interrupted pull had finished job ${id}; only the answer of the library had not arrived.`])
  expect(onlyJob(report)).toMatchObject({ status: 'done', summary: { identical: 2 } })
})

/** The stored file of a hash on the server's disk. */
function storedPath(hash: string): string {
  const storage = join(server.dataDir, 'storage')
  const name = readdirSync(storage, { recursive: true })
    .map(String)
    .find((one) => one.endsWith(`/${hash}`))
  return join(storage, name ?? expect.fail(`${hash} is not stored`))
}

const damages: [what: string, kind: string, damage: (path: string) => void][] = [
  ['changed', 'damaged', (path) => writeFileSync(path, readFileSync(path).fill('x', 0, 4))],
  ['cut short', 'damaged', (path) => truncateSync(path, 20)],
  ['gone', 'missing', (path) => rmSync(path)],
]

test.each(damages)(
  'a file that is %s on the disk of the server is named, nothing is placed, and nobody is served it',
  async (_what, kind, damage) => {
    const made = await stocked()
    const brick = readFileSync(join(made.source.root, 'Content/Town/T_Brick.uasset'))
    const path = storedPath(sha256(brick))
    damage(path)
    const project = emptyProject()
    const job = onlyJob(await project.pull(made.target, undefined, made.options))
    expect(job).toMatchObject({ status: 'failed', summary: { failed: 2 }, obstacles: [{ kind, file: '/Game/Town/T_Brick' }] })
    expect(job.obstacles[0]?.message).toContain('/Game/Town/T_Brick')
    expect(project.files()).toEqual({})
    writeFileSync(path, brick)
    expect(onlyJob(await project.pull(made.target, undefined, made.options))).toMatchObject({
      status: 'done',
      summary: { added: 2 },
    })
  },
)

test('two projects that share the cache at once, one too small for either, get every file', async () => {
  const made = await stocked()
  const one = emptyProject('Target')
  const projects = [one, emptyProject('Second', { cache: one.cache }), emptyProject('Third', { cache: one.cache })]
  const reports = await Promise.all(
    projects.map((project) => project.pull(made.target, undefined, { ...made.options, cacheBytes: 1 })),
  )
  for (const report of reports) expect(onlyJob(report)).toMatchObject({ status: 'done', summary: { added: 2 } })
  for (const project of projects) expect(project.files()).toEqual(filesBelow(join(made.source.root, 'Content')))
  expect(readdirSync(join(one.cache, 'content', 'incoming'))).toEqual([])
})

test.each([
  ['never arrived', 'claimed', 2],
  ['arrived', 'done', 1],
])('a report whose answer is cut off, and that %s, counts once', async (_what, status, times) => {
  const sent: string[] = []
  const peer = await startPullPeer([peerFile('/Game/A')], {
    instead: ({ method, url, body }, response) => {
      if (method === 'GET' && url.endsWith('/pull-jobs/1')) {
        answer(200, { status })(response, { method, url, body, headers: {} })
        return true
      }
      if (method !== 'PATCH' || JSON.parse(body).status !== 'done') return false
      sent.push(body)
      if (sent.length > 1) return false
      response.socket?.destroy()
      return true
    },
  })
  const job = onlyJob(await emptyProject().pull(peer, undefined, { order: async () => [{ entry_id: 1 }] }))
  expect(job).toMatchObject({ status: 'done', summary: { added: 1 } })
  expect(sent).toHaveLength(times)
})
