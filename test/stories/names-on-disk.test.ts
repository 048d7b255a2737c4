/**
 * What is acknowledged is on the disk with its name: a file is found after a power cut only when the folder that it lies in, and
 * every folder above, were synced after the name was made. The system calls of real servers show it, whichever process received
 * the bytes and whichever one answers for them.
 */
import { dirname, relative } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { pngOf } from '../support/media.ts'
import { type Item, item, manifestOf, pushed } from '../support/push.ts'
import { type ServerHouse, serverHouse } from '../support/server-house.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { type SystemCall, type Trace, traceCalls } from '../support/syscall-trace.ts'

const syncing = ['fsync', 'fdatasync']
const naming = ['mkdir', 'mkdirat', 'link', 'linkat', 'rename', 'renameat', 'renameat2']
const answering = ['write', 'writev', 'sendto', 'sendmsg']

interface Watched {
  server: ServerProcess
  trace: Trace
  mia: Caller
}

async function startWatched(house: ServerHouse): Promise<Watched> {
  const trace = traceCalls([...syncing, ...naming, ...answering])
  const server = await startServerProcess(['--data', house.data], { env: house.env, within: trace.within })
  onTestFinished(async () => {
    if (server.isAlive()) await server.kill()
  })
  return { server, trace, mia: callAs(`${server.url}/w/acme`, house.keys.mia) }
}

/** What happens between the server that receives and the one that acknowledges. */
const betweens: [name: string, next: (house: ServerHouse, first: Watched) => Promise<Watched>][] = [
  ['the same server', async (_house, first) => first],
  ['the next one after it was stopped', (house, first) => first.server.stop().then(() => startWatched(house))],
  ['the next one after it was killed', (house, first) => first.server.kill().then(() => startWatched(house))],
  // One process has the embedded database to itself.
  ...(process.env.PH_TEST_DATABASE_URL
    ? [['another one beside it', (house) => startWatched(house)] as (typeof betweens)[number]]
    : []),
]

/** A file that was answered for: where it lies below the data folder, and what the answer says of it that no other does. */
interface Kept {
  path: string
  said: string
}
/** How bytes come in at one server; what it gives has them answered for at another. */
type Story = (first: Watched) => Promise<(second: Watched) => Promise<Kept>>

const put = async ({ mia }: Watched, { content_hash, bytes }: Item) => (await mia.put(`/blobs/${content_hash}`, bytes)).status
async function committed({ mia }: Watched, one: Item): Promise<Kept> {
  const { status, body } = await mia.post('/push/commit', manifestOf([one]))
  expect([status, body.error]).toEqual([200, undefined])
  return keptBlob(one)
}
const keptBlob = ({ content_hash: hash }: Item): Kept => ({ path: `storage/1/blobs/${hash.slice(0, 2)}/${hash}`, said: hash })
const keptMedia = (id: number): Kept => ({ path: `storage/1/media/0/${id}`, said: `artifact_id\\":${id}` })

/** First those whose beginning has a commit, which could sync more than its own. */
const stories: Record<string, Story> = {
  async 'a file that is committed, and said more of by a second commit'(first) {
    const one = item({ engine_version: undefined })
    expect(await put(first, one)).toBe(201)
    await committed(first, one)
    return async ({ mia }) => {
      const { body } = await mia.post('/push/commit', manifestOf([{ ...one, engine_version: '5.4.0' }]))
      expect(body.results).toMatchObject([{ status: 'dedup', enriched: ['engine_version'] }])
      return keptBlob(one)
    }
  },
  async 'a picture sent to its address that is finalized'(first) {
    const { entry_id, object_id } = await entryAt(first)
    const wish = { entry_id, object_id, kind: 'thumbnail' }
    const { body } = await first.mia.post('/entries/media/presign', { items: [wish] })
    const { artifact_id } = body.targets[0]
    expect(await send(body.targets[0], await pngOf(8, 8))).toBe(200)
    return async ({ mia }) => {
      expect((await mia.post('/entries/media/finalize', { items: [{ ...wish, artifact_id }] })).status).toBe(200)
      return keptMedia(artifact_id)
    }
  },
  async 'a picture sent with its entry'(first) {
    const { entry_id, object_id } = await entryAt(first)
    const address = `/entries/${entry_id}/thumbnail?object_id=${object_id}`
    return async ({ mia }) => {
      const { status, body } = await mia.put(address, await pngOf(8, 8), { 'content-type': 'image/png' })
      expect([status, body.error]).toEqual([200, undefined])
      return keptMedia(body.artifact_id)
    }
  },
  async 'an upload that is committed'(first) {
    const one = item()
    expect(await put(first, one)).toBe(201)
    return (second) => committed(second, one)
  },
  async 'an upload at a presigned address that is committed'(first) {
    const one = item()
    const { body } = await first.mia.post('/push/negotiate', manifestOf([one]))
    expect(await send(body.missing[0], one.bytes)).toBe(200)
    return (second) => committed(second, one)
  },
  async 'an upload that is said to be stored already, and is committed'(first) {
    const one = item()
    expect(await put(first, one)).toBe(201)
    return async (second) => {
      expect(await put(second, one)).toBe(200)
      expect((await second.mia.post('/push/negotiate', manifestOf([one]))).body.missing_hashes).toEqual([])
      return committed(second, one)
    }
  },
}

const entryAt = async ({ mia }: Watched): Promise<Json> => (await pushed(mia, [item()]))[0]

async function send(target: Json, bytes: Buffer): Promise<number> {
  const answer = await fetch(target.upload_url, { method: 'PUT', headers: target.headers, body: Buffer.from(bytes) })
  await answer.arrayBuffer()
  return answer.status
}

test.runIf(process.platform === 'linux').each(betweens)(
  'what one server received is on the disk with its name before %s acknowledges it',
  async (_name, next) => {
    const house = await serverHouse()
    const first = await startWatched(house)
    const begun: { name: string; finish: Awaited<ReturnType<Story>> }[] = []
    for (const [name, story] of Object.entries(stories)) begun.push({ name, finish: await story(first) })
    const second = await next(house, first)
    const files: (Kept & { name: string })[] = []
    for (const { name, finish } of begun) files.push({ name, ...(await finish(second)) })
    const all = [...new Set([first, second])]
    for (const { server } of all) if (server.isAlive()) await server.stop()
    const calls = (await Promise.all(all.map(({ trace }) => trace.calls()))).flat()
    const answers = (await second.trace.calls()).filter(isAcknowledgement)
    for (const file of files) {
      const acknowledgedAt = answers.findLast(({ args }) => args.includes(file.said))?.beganAt
      requireOnDisk(calls, { ...file, data: house.data, acknowledgedAt: acknowledgedAt ?? expect.fail('nothing was said of it') })
    }
  },
)

const isAcknowledgement = ({ name, args }: SystemCall): boolean => answering.includes(name) && args.includes('"HTTP/1.1 20')

interface Acknowledged extends Kept {
  /** Of the story. */
  name: string
  data: string
  acknowledgedAt: number
}

/** Every name on the way was made, and the folder that holds it synced afterwards, before the answer left. */
function requireOnDisk(calls: readonly SystemCall[], { name: story, data, path, acknowledgedAt }: Acknowledged): void {
  const isSyncOf = (folder: string) => (call: SystemCall) =>
    syncing.includes(call.name) && call.isDone && call.args.endsWith(`<${folder}>`) && call.endedAt <= acknowledgedAt
  const names = path.split('/')
  names.forEach((name, depth) => {
    const folder = [data, ...names.slice(0, depth)].join('/')
    const made = calls.filter((call) => call.isDone && naming.includes(call.name) && namesOf(call).at(-1) === `${folder}/${name}`)
    const madeAt = made.at(-1)?.endedAt ?? expect.fail(`nobody made ${folder}/${name}`)
    const syncs = calls.filter(isSyncOf(folder)).filter(({ beganAt }) => beganAt >= madeAt)
    expect(syncs, `${story}: ${relative(data, folder) || 'the data folder'} after ${name} was made in it`).not.toEqual([])
  })
  // The data folder itself may be as new as what is in it.
  expect(calls.some(isSyncOf(dirname(data))), `${story}: what holds the data folder`).toBe(true)
}

/** The paths in quotes: the last one is that of the new name. */
const namesOf = ({ args }: SystemCall): string[] => [...args.matchAll(/"([^"]*)"/g)].map(([, path = '']) => path)

test('a file that is removed stays gone after a power cut: its folder is synced after it', async () => {
  const house = await serverHouse()
  const removing = ['unlink', 'unlinkat']
  const trace = traceCalls([...syncing, ...removing])
  const server = await startServerProcess(['--data', house.data], { env: house.env, within: trace.within })
  onTestFinished(async () => {
    if (server.isAlive()) await server.kill()
  })
  const mia = callAs(`${server.url}/w/acme`, house.keys.mia)
  const [{ entry_id, object_id } = {}] = await pushed(mia, [item()])
  const refused = await mia.put(`/entries/${entry_id}/thumbnail?object_id=${object_id}`, Buffer.from('no picture'))
  expect(refused.status).toBe(422)
  await server.stop()
  const calls = await trace.calls()
  const removed = calls.find(
    ({ name, args, isDone }) => isDone && removing.includes(name) && /storage\/1\/media\/0\/\d+"/.test(args),
  )
  expect(removed).toBeDefined()
  const synced = calls.filter(({ name, args }) => syncing.includes(name) && /storage\/1\/media\/0>/.test(args))
  expect(synced.some(({ beganAt }) => beganAt >= (removed?.endedAt ?? Number.POSITIVE_INFINITY))).toBe(true)
})
