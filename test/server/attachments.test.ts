// Attachments: pictures that are looked into, strokes, who sees them, what they belong to, and when they go (spec 4.7).
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { type Answer, type Caller, callAs, type Json } from '../support/api.ts'
import { answered, commentsOf, refusal, roomWith, say, sendPicture, uploadPicture } from '../support/discussion.ts'
import { glbOf, noisyPng, paddedPng, pngChunk, pngHeadBytes, pngOf, wavOf, withChunks } from '../support/media.ts'
import { byHand, startTestServer } from '../support/server.ts'

const server = await startTestServer({}, byHand)
const { sql } = server.database
const MiB = 1024 * 1024
const hourMs = 3_600_000

const putStrokes = (caller: Caller, id: number, body: string | Uint8Array): Promise<Answer> =>
  caller.put(`/attachments/${id}/strokes`, Buffer.from(body), { 'content-type': 'application/json' })
/** The bytes that an address redirects to. */
async function bytesAt(caller: Caller, path: string) {
  const { status, headers } = await caller.get(path)
  expect([path, status]).toEqual([path, 302])
  const answer = await fetch(headers.get('location') ?? '')
  return { type: answer.headers.get('content-type'), bytes: Buffer.from(await answer.arrayBuffer()) }
}
const storedBytes = async (workspaceId: number): Promise<number> => {
  const [row] = await sql<{ stored_bytes: number }[]>`select stored_bytes from workspaces where id = ${workspaceId}`
  return row?.stored_bytes ?? -1
}

test('a picture is answered with its size in pixels and bytes, and comes back as it was sent', async () => {
  const { mia } = await roomWith(server)
  const picture = await noisyPng(7, 5)
  const made = await uploadPicture(mia, picture)
  expect(made).toEqual({ id: made.id, width: 7, height: 5, size: picture.length })
  expect(await bytesAt(mia, `/attachments/${made.id}`)).toEqual({ type: 'image/png', bytes: picture })
})

/** Where each chunk begins and ends. */
function chunkAt(png: Buffer, type: string): [number, number] {
  for (let at = 8; ; at += png.readUInt32BE(at) + 12)
    if (png.toString('latin1', at + 4, at + 8) === type) return [at, at + png.readUInt32BE(at) + 12]
}

/** Two frames: the picture, and another one. */
async function animated(first: Buffer, second: Buffer): Promise<Buffer> {
  const numbers = (...values: number[]) =>
    Buffer.concat(values.map((value) => Buffer.from(Uint32Array.of(value).buffer).swap32()))
  const frame = (sequence: number) =>
    pngChunk('fcTL', Buffer.concat([numbers(sequence, 4, 3, 0, 0), Buffer.from([0, 1, 0, 10, 0, 0])]))
  const [from, to] = chunkAt(second, 'IDAT')
  const frames = withChunks(first, pngChunk('acTL', numbers(2, 0)), frame(0))
  const [end] = chunkAt(frames, 'IEND')
  const next = pngChunk('fdAT', Buffer.concat([numbers(2), second.subarray(from + 8, to - 4)]))
  return Buffer.concat([frames.subarray(0, end), frame(1), next, frames.subarray(end)])
}

test('pictures of any shape up to 64 megapixels are taken, and of an animation the first frame', async () => {
  const { mia } = await roomWith(server)
  const flat = (width: number, height: number) =>
    sharp(Buffer.alloc(width * height), { raw: { width, height, channels: 1 } })
      .png({ compressionLevel: 1 })
      .toBuffer()
  expect(await uploadPicture(mia, await flat(8000, 8000))).toMatchObject({ width: 8000, height: 8000 })
  expect(await uploadPicture(mia, await flat(100_000, 1))).toMatchObject({ width: 100_000, height: 1 })
  expect(await uploadPicture(mia, await pngOf(4200, 4200, { interlaced: true }))).toMatchObject({ width: 4200 })
  expect(refusal(await sendPicture(mia, await flat(8001, 8000)))).toEqual([422, 'VALIDATION'])
  expect(await uploadPicture(mia, await animated(await pngOf(4, 3), await noisyPng(4, 3)))).toMatchObject({ width: 4, height: 3 })
})

test('what is no whole PNG is refused, and nothing of it is kept or counted', async () => {
  const { mia, workspaceId } = await roomWith(server)
  const before = await storedBytes(workspaceId)
  const whole = await noisyPng(40, 40)
  const nothing = withChunks(whole.subarray(0, 16))
  const empty = Buffer.concat([
    whole.subarray(0, 8),
    pngChunk('IHDR', Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0])),
    whole.subarray(pngHeadBytes),
  ])
  const flipped = Buffer.from(whole)
  const [start] = chunkAt(whole, 'IDAT')
  flipped[start + 40] = (flipped[start + 40] ?? 0) ^ 0xff
  const jpeg = await sharp(whole).jpeg().toBuffer()
  const bodies = {
    empty,
    flipped,
    jpeg,
    nothing,
    half: whole.subarray(0, whole.length / 2),
    none: Buffer.alloc(0),
    glb: glbOf(),
    wav: wavOf(),
  }
  for (const [name, bytes] of Object.entries(bodies))
    expect([name, refusal(await sendPicture(mia, bytes))]).toEqual([name, [422, 'VALIDATION']])
  expect(refusal(await mia.post('/attachments', whole, { 'content-type': 'image/jpeg' }))).toEqual([422, 'VALIDATION'])
  await server.ledger.written()
  expect(await storedBytes(workspaceId)).toBe(before)
  expect(await sql`select 1 from loose_files where workspace_id = ${workspaceId}`).toHaveLength(0)
})

test('a picture of 8 MiB is taken, and one byte more is not', async () => {
  const { mia } = await roomWith(server)
  const small = await pngOf(8, 8)
  expect(await uploadPicture(mia, paddedPng(small, 8 * MiB))).toMatchObject({ size: 8 * MiB })
  const late = await sendPicture(mia, paddedPng(small, 8 * MiB + 1)).catch(() => undefined)
  if (late) expect(refusal(late)).toEqual([422, 'VALIDATION'])
  answered(await mia.get('/members/me'))
})

test('until it is attached, only who uploaded it and admins see it and its strokes', async () => {
  const { mia, miaReads, max, adam, olivia, entry } = await roomWith(server)
  const { id } = await uploadPicture(mia)
  answered(await putStrokes(mia, id, '{"a":1}'))
  const paths = [`/attachments/${id}`, `/attachments/${id}/strokes`]
  for (const path of paths) {
    for (const caller of [mia, miaReads, adam, olivia]) expect((await caller.get(path)).status).toBe(302)
    expect(refusal(await max.get(path))).toEqual([404, 'NOT_FOUND'])
  }
  expect(refusal(await putStrokes(max, id, '{}'))).toEqual([404, 'NOT_FOUND'])
  expect(refusal(await putStrokes(adam, id, '{}'))).toEqual([403, 'FORBIDDEN'])
  await say(mia, entry.entry_id, { attachment_ids: [id] })
  for (const path of paths) expect((await max.get(path)).status).toBe(302)
  expect(refusal(await putStrokes(max, id, '{}'))).toEqual([403, 'FORBIDDEN'])
  expect(refusal(await mia.get('/attachments/999999999'))).toEqual([404, 'NOT_FOUND'])
})

test('strokes are any JSON of up to 1 MiB, kept as it was sent; later ones take their place', async () => {
  const { mia, entry, workspaceId } = await roomWith(server)
  const made = await uploadPicture(mia)
  const before = await storedBytes(workspaceId)
  expect(refusal(await mia.get(`/attachments/${made.id}/strokes`))).toEqual([404, 'NOT_FOUND'])
  const odd = ' {"b": 1.50, "a": ["\\u0000", "ü"], "b": 2}\n'
  expect(answered(await putStrokes(mia, made.id, odd))).toEqual({ ...made, has_strokes: true })
  expect(await bytesAt(mia, `/attachments/${made.id}/strokes`)).toEqual({ type: 'application/json', bytes: Buffer.from(odd) })
  await say(mia, entry.entry_id, { attachment_ids: [made.id] })
  expect((await commentsOf(mia, entry.entry_id))[0]?.attachments).toEqual([{ ...made, has_strokes: true }])
  const full = JSON.stringify('x'.repeat(MiB - 2))
  answered(await putStrokes(mia, made.id, full))
  expect((await bytesAt(mia, `/attachments/${made.id}/strokes`)).bytes.length).toBe(MiB)
  expect(await storedBytes(workspaceId)).toBe(before + MiB)
})

test('strokes that are no JSON, too deep or too large are refused, and those of before stay', async () => {
  const { mia } = await roomWith(server)
  const { id } = await uploadPicture(mia)
  answered(await putStrokes(mia, id, '[]'))
  answered(await putStrokes(mia, id, '['.repeat(64) + ']'.repeat(64)))
  const bad = [
    '',
    '{"open": ',
    '[1,]',
    'undefined',
    Buffer.from([0x22, 0xff, 0x22]),
    '['.repeat(65) + ']'.repeat(65),
    '['.repeat(MiB),
  ]
  for (const body of bad) expect(refusal(await putStrokes(mia, id, body))).toEqual([422, 'VALIDATION'])
  const late = await putStrokes(mia, id, JSON.stringify('x'.repeat(MiB - 1))).catch(() => undefined)
  if (late) expect(refusal(late)).toEqual([422, 'VALIDATION'])
  expect(refusal(await mia.put(`/attachments/${id}/strokes`, Buffer.from('{}'), { 'content-type': 'text/plain' }))).toEqual([
    422,
    'VALIDATION',
  ])
  expect((await bytesAt(mia, `/attachments/${id}/strokes`)).bytes.length).toBe(128)
})

test('a comment takes up to ten pictures of its author, in their order; a list of an edit replaces them', async () => {
  const { mia, max, entry } = await roomWith(server)
  const ids = (await Promise.all(Array.from({ length: 11 }, () => uploadPicture(mia)))).map((one: Json) => one.id)
  const post = (attachment_ids: unknown) => mia.post(`/entries/${entry.entry_id}/comments`, { body: 'see', attachment_ids })
  expect(refusal(await post(ids))).toEqual([422, 'VALIDATION'])
  expect(refusal(await post(ids[0]))).toEqual([422, 'VALIDATION'])
  const order = ids.slice(0, 10).reverse()
  const said = await say(mia, entry.entry_id, { attachment_ids: order })
  const shown = async () => (await commentsOf(mia, entry.entry_id))[0]?.attachments.map((one: Json) => one.id)
  expect(await shown()).toEqual(order)
  answered(await mia.patch(`/comments/${said.id}`, { body: 'kept' }))
  expect(await shown()).toEqual(order)
  const wanted = [ids[10], ids[3], ids[10]]
  expect(answered(await mia.patch(`/comments/${said.id}`, { body: 'new', attachment_ids: wanted })).attachments).toHaveLength(2)
  expect(await shown()).toEqual([ids[10], ids[3]])
  expect(refusal(await max.get(`/attachments/${ids[5]}`))).toEqual([404, 'NOT_FOUND'])
  const again = await say(mia, entry.entry_id, { attachment_ids: [ids[5]] })
  answered(await mia.patch(`/comments/${said.id}`, { body: 'none', attachment_ids: [] }))
  expect(await shown()).toEqual([])
  expect(refusal(await mia.patch(`/comments/${said.id}`, { body: 'x', attachment_ids: [ids[5]] }))).toEqual([409, 'CONFLICT'])
  expect(refusal(await mia.patch(`/comments/${said.id}`, { body: 'x', attachment_ids: null }))).toEqual([422, 'VALIDATION'])
  expect((await commentsOf(mia, entry.entry_id)).find(({ id }) => id === again.id)?.attachments).toHaveLength(1)
})

test("unknown pictures, someone else's and those that are taken are refused, and nothing is posted or attached", async () => {
  const { mia, max, adam, entry } = await roomWith(server)
  const [mine, theirs] = [await uploadPicture(mia), await uploadPicture(max)]
  const post = async (caller: Caller, attachment_ids: number[]) =>
    refusal(await caller.post(`/entries/${entry.entry_id}/comments`, { body: 'see', attachment_ids }))
  expect(await post(mia, [mine.id, 999_999_999])).toEqual([404, 'NOT_FOUND'])
  expect(await post(mia, [mine.id, theirs.id])).toEqual([403, 'FORBIDDEN'])
  expect(await post(adam, [theirs.id])).toEqual([403, 'FORBIDDEN'])
  const said = await say(max, entry.entry_id, { attachment_ids: [theirs.id] })
  expect(await post(max, [theirs.id])).toEqual([409, 'CONFLICT'])
  expect(await post(mia, [theirs.id])).toEqual([403, 'FORBIDDEN'])
  answered(await adam.patch(`/comments/${said.id}`, { body: 'kept by an admin', attachment_ids: [theirs.id] }))
  expect(await commentsOf(mia, entry.entry_id)).toHaveLength(1)
  await say(mia, entry.entry_id, { attachment_ids: [mine.id] })
})

test('a picture that nothing was made of for a day goes, with its strokes; one that is attached or younger stays', async () => {
  const { mia, entry, workspaceId } = await roomWith(server)
  const before = await storedBytes(workspaceId)
  const [loose, kept, dropped] = [await uploadPicture(mia), await uploadPicture(mia), await uploadPicture(mia)]
  answered(await putStrokes(mia, loose.id, '{}'))
  const said = await say(mia, entry.entry_id, { attachment_ids: [kept.id, dropped.id] })
  server.clock.advance(23 * hourMs)
  answered(await mia.patch(`/comments/${said.id}`, { body: 'one is enough', attachment_ids: [kept.id] }))
  await server.work.look()
  expect((await mia.get(`/attachments/${loose.id}`)).status).toBe(302)
  server.clock.advance(2 * hourMs)
  await server.work.look()
  expect(refusal(await mia.get(`/attachments/${loose.id}`))).toEqual([404, 'NOT_FOUND'])
  for (const { id } of [kept, dropped]) expect((await mia.get(`/attachments/${id}`)).status).toBe(302)
  expect(await storedBytes(workspaceId)).toBe(before + kept.size + dropped.size)
  server.clock.advance(26 * hourMs)
  await server.work.look()
  expect(refusal(await mia.get(`/attachments/${dropped.id}`))).toEqual([404, 'NOT_FOUND'])
  server.clock.advance(26 * hourMs)
  await server.work.look()
  const key = (id: number) => `${workspaceId}/attachments/${Math.floor(id / 1000)}/${id}`
  expect(await server.storage.sizes([loose, dropped, kept].map(({ id }) => key(id)))).toEqual([undefined, undefined, kept.size])
  expect(await sql`select 1 from loose_files where workspace_id = ${workspaceId}`).toHaveLength(0)
  expect((await bytesAt(mia, `/attachments/${kept.id}`)).bytes.length).toBe(kept.size)
})

test('pictures and strokes count against the storage limit, and none are taken once it is reached or new bytes are blocked', async () => {
  const { mia, slug, keys, workspaceId } = await roomWith(server)
  const before = await storedBytes(workspaceId)
  const made = await uploadPicture(mia)
  answered(await putStrokes(mia, made.id, '[1]'))
  expect(await storedBytes(workspaceId)).toBe(before + made.size + 3)
  const caller = callAs(`${server.url}/w/${slug}`, keys.mia)
  const blocked = async () => {
    for (const answer of [await sendPicture(caller, await pngOf(2, 2)), await putStrokes(caller, made.id, '{}')])
      expect([answer.status, answer.body.error?.details?.reason]).toEqual([403, 'ingest_blocked'])
  }
  await server.changeWorkspace(slug, { storage_limit_bytes: before + made.size + 3 })
  await blocked()
  await server.changeWorkspace(slug, { storage_limit_bytes: null, state: 'ingest_blocked' })
  await blocked()
  expect((await caller.get(`/attachments/${made.id}`)).status).toBe(302)
  await server.changeWorkspace(slug, { state: 'active' })
  answered(await putStrokes(caller, made.id, '{}'))
  expect(await storedBytes(workspaceId)).toBe(before + made.size + 2)
})
