// Search by look over the API: which entries, in which order, what is refused and how (spec 4.2; contract-gaps 6, 9).
import sharp from 'sharp'
import { beforeAll, expect, test } from 'vitest'
import { callAs, type Json } from '../support/api.ts'
import { copyLooked, idsOf, lookedAt, lookingServer, pictureOf, putThumbnail } from '../support/looking-server.ts'
import { item, pushed, uniqueName } from '../support/push.ts'
import type { TestServer } from '../support/server.ts'

let server: TestServer
let library: Awaited<ReturnType<typeof lookedAt>>
/** Of so many entries, the one further on looks less like the first. */
const numbers = [0, 1, 2, 4, 8, 16]

beforeAll(async () => {
  server = await lookingServer()
  library = await lookedAt(server, numbers, (number) => ({
    entry: { entry_type: number < 4 ? 'mesh' : 'texture', name: `Barrel ${number < 2 ? 'oak' : 'iron'} ${number}` },
  }))
})

const like = (query = '', caller = library.reads) => caller.get(`/entries?similar_to=${library.ids[0]}${query}`)
const byPicture = (body: Buffer, query = '', type = 'image/png') =>
  library.reads.post(`/entries/search/image${query}`, body, { 'content-type': type })

test('entries that look like one come with what looks most like it first, without it, and with how like they are', async () => {
  const answer = await like()
  expect(answer.status).toBe(200)
  expect(idsOf(answer)).toEqual(library.ids.slice(1))
  const scores = answer.body.entries.map((entry: Json) => entry.score)
  expect(scores).toEqual(scores.toSorted((a: number, b: number) => b - a))
  expect(scores[0]).toBeGreaterThan(0.9)
  expect(scores.every((score: number) => score >= 0 && score <= 1)).toBe(true)
  for (const entry of answer.body.entries) expect(entry.reason).toEqual({ words: [], looks: entry.score })
  expect(answer.body).toMatchObject({ next_cursor: null, total: 5 })
})

test('words, filters and a least score leave out others, and say why an entry is listed', async () => {
  const [, one, two, four] = library.ids
  expect(idsOf(await like('&type=mesh'))).toEqual([one, two])
  const oak = await like('&q=oak&sort=relevance')
  expect(oak.body.entries).toMatchObject([
    { id: one, matched: ['name'], reason: { words: ['name'], looks: oak.body.entries[0].score } },
  ])
  expect(oak.body.total).toBe(1)
  const all = (await like()).body.entries
  expect(idsOf(await like(`&min_score=${all[1].score - 0.0001}`))).toEqual([one, two])
  expect(idsOf(await like(`&name=${encodeURIComponent('Barrel iron 4')}`))).toEqual([four])
  expect(idsOf(await like('&q=nothing'))).toEqual([])
})

test('a least score that an answer told takes in the entry that had it, and 0 takes in all', async () => {
  const all = (await like()).body.entries
  for (const [index, { score }] of all.entries())
    expect(idsOf(await like(`&min_score=${score}`)), String(score)).toEqual(library.ids.slice(1, index + 2))
  expect(idsOf(await like('&min_score=0'))).toEqual(library.ids.slice(1))
})

test('pages follow each other without a gap or a repetition, and a cursor of another question is refused', async () => {
  const seen: number[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const answer = await like(`&limit=2${cursor && `&cursor=${cursor}`}`)
    seen.push(...idsOf(answer))
    cursor = answer.body.next_cursor
  }
  expect(seen).toEqual(library.ids.slice(1))
  const { next_cursor } = (await like('&limit=2')).body
  for (const other of ['&q=oak', '&order=desc'])
    expect((await like(`${other}&limit=2&cursor=${next_cursor}`)).status, other).toBe(422)
  expect((await library.reads.get(`/entries?similar_to=${library.ids[1]}&cursor=${next_cursor}`)).status).toBe(422)
})

test('deprecated entries are left out unless they are asked for', async () => {
  const last = library.ids.at(-1)
  await library.olivia.patch(`/entries/${last}`, { status: 'deprecated' })
  expect(idsOf(await like())).toEqual(library.ids.slice(1, -1))
  expect(idsOf(await like('&include_deprecated=true'))).toEqual(library.ids.slice(1))
  await library.olivia.patch(`/entries/${last}`, { status: 'active' })
})

test('a picture finds what looks like it, mirrored, scaled and as JPEG too; words leave out others', async () => {
  const [zero, one] = library.ids
  const picture = await pictureOf(0, 200)
  const changed = {
    'as it is': [picture, 'image/png'],
    mirrored: [await sharp(picture).flop().png().toBuffer(), 'image/png'],
    'as JPEG': [await sharp(picture).jpeg({ quality: 60 }).toBuffer(), 'image/jpeg'],
  } as const
  for (const [how, [bytes, type]] of Object.entries(changed)) {
    const answer = await byPicture(bytes, '?limit=2', type)
    expect(answer.status, how).toBe(200)
    expect([how, idsOf(answer), answer.body.total_ranked]).toEqual([how, [zero, one], 6])
    expect(answer.body.entries[0].score, how).toBeGreaterThan(0.97)
    expect(Object.keys(answer.body).sort()).toEqual(['entries', 'total_ranked'])
  }
  expect(idsOf(await byPicture(picture, '?q=iron&limit=1'))).toEqual([library.ids[2]])
  expect(idsOf(await byPicture(picture, '?type=texture&limit=1'))).toEqual([library.ids[3]])
  expect((await byPicture(picture, '?min_score=1.1')).status).toBe(422)
})

test('what is no picture is refused by name', async () => {
  const png = await pictureOf(3)
  const gif = await sharp(png).gif().toBuffer()
  const wrong: [string, Buffer][] = [
    ['text', Buffer.from('a barrel')],
    ['GIF', gif],
    ['a PNG that ends early', png.subarray(0, 60)],
    ['nothing', Buffer.alloc(0)],
  ]
  for (const [what, bytes] of wrong) {
    const answer = await byPicture(bytes)
    expect([what, answer.status, answer.body.error?.code]).toEqual([what, 422, 'VALIDATION'])
    expect(answer.body.error.message).toMatch(/^body: /)
  }
})

test('an entry that is nowhere, one of another workspace, and one of which nothing is known are told apart', async () => {
  const [bare] = await pushed(library.mia, [item()])
  const stranger = await server.addWorkspace()
  const other = callAs(stranger.url, stranger.keys.mia)
  const errorOf = async (id: number, caller = library.reads) => {
    const { status, body } = await caller.get(`/entries?similar_to=${id}`)
    return [status, body.error.code, body.error.details]
  }
  expect(await errorOf(999_999_999)).toEqual([404, 'ENTRY_NOT_FOUND', expect.anything()])
  expect(await errorOf(library.ids[0] ?? 0, other)).toEqual([404, 'ENTRY_NOT_FOUND', expect.anything()])
  expect(await errorOf(bare?.entry_id)).toEqual([409, 'EMBEDDINGS_UNAVAILABLE', { entry_id: bare?.entry_id }])
})

test('entries of another workspace never appear, however like they look', async () => {
  const other = await lookedAt(server, [0, 1])
  expect(idsOf(await other.mia.get(`/entries?similar_to=${other.ids[0]}`))).toEqual([other.ids[1]])
  const answer = await other.mia.post('/entries/search/image', await pictureOf(0), { 'content-type': 'image/png' })
  expect(idsOf(answer)).toEqual(other.ids)
  expect(idsOf(await like()).some((id) => other.ids.includes(id))).toBe(false)
})

test('of more than a thousand the best thousand are listed, and all are counted', async () => {
  const { reads, entries, workspaceId } = await lookedAt(server, [0])
  await copyLooked(server.database.sql, { workspaceId, object_id: entries[0]?.object_id, copies: 1_101 })
  const seen: number[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const { body } = await reads.get(`/entries?similar_to=${entries[0]?.entry_id}&limit=200${cursor && `&cursor=${cursor}`}`)
    expect(body.total).toBe(1_101)
    seen.push(...idsOf({ body }))
    cursor = body.next_cursor
  }
  expect([seen.length, new Set(seen).size]).toEqual([1_000, 1_000])
})

test('words that are searched for say why an entry was found, and a least score is theirs too', async () => {
  const answer = await library.reads.get(`/entries?q=oak`)
  for (const entry of answer.body.entries) expect(entry.reason).toEqual({ words: ['name'], looks: null })
  expect(answer.body.entries).toHaveLength(2)
  const best = answer.body.entries[0].score
  expect((await library.reads.get(`/entries?q=oak&min_score=${Math.min(1, best + 0.01)}`)).body.total).toBe(0)
  expect((await library.reads.get('/entries?min_score=0.5')).status).toBe(422)
  expect((await library.reads.get('/entries?q=oak&sort=name&min_score=0.5')).status).toBe(422)
})

test('an embedder that knows words ranks what they mean beside where they stand', async () => {
  const wordy = await lookingServer('grid:b:words')
  const { reads, mia, entries, ids } = await lookedAt(wordy, [0, 4, 8], (number) => ({
    entry: { entry_type: 'mesh', name: number === 8 ? 'Red kettle' : uniqueName('Pot') },
  }))
  const red = await sharp({ create: { width: 32, height: 32, channels: 3, background: '#f00' } })
    .png()
    .toBuffer()
  await putThumbnail(mia, entries[0], red)
  await wordy.work.look()
  const answer = await reads.get('/entries?q=red')
  const [first, second] = answer.body.entries
  expect(answer.status).toBe(200)
  expect([first.id, second.id].sort()).toEqual([ids[0], ids[2]].sort())
  const meant = answer.body.entries.find((entry: Json) => entry.id === ids[0])
  expect(meant).toMatchObject({ matched: [], reason: { words: [], looks: expect.any(Number) } })
  // Words ask for colours alone here, which are half of a likeness.
  expect(meant.reason.looks).toBeGreaterThan(0.45)
  const seen: number[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const { body } = await reads.get(`/entries?q=red&limit=1${cursor && `&cursor=${cursor}`}`)
    seen.push(...body.entries.map((entry: Json) => entry.id))
    cursor = body.next_cursor
  }
  expect(seen).toEqual(idsOf(answer))
})
