// Annotations: shapes with exact geometry, on a picture of one version, alone or for a thread (spec 4.7).
import { expect, test } from 'vitest'
import { geometryFailure } from '../../contract/annotations.ts'
import type { Caller, Json } from '../support/api.ts'
import { answered, eventsOf, refusal, roomWith, say } from '../support/discussion.ts'
import { pngOf } from '../support/media.ts'
import { item, pushed } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
const rect = { x: 0.1, y: 0.2, w: 0.3, h: 0.4 }

/** A workspace with an entry that has a picture. */
async function canvas() {
  const room = await roomWith(server)
  const { entry_id, object_id } = room.entry
  const thumbnail = async (of = room.entry) => {
    const edge = 2 + (room.entry.object_id === of.object_id ? 0 : 1)
    const path = `/entries/${of.entry_id}/thumbnail?object_id=${of.object_id}`
    return answered(await room.mia.put(path, await pngOf(edge, edge))).artifact_id
  }
  const picture = { object_id, preview_artifact_id: await thumbnail() }
  const draw = (caller: Caller, over: Json = {}) =>
    caller.post(`/entries/${entry_id}/annotations`, { ...picture, shape: 'rect', geometry: rect, ...over })
  const drawn = async (caller: Caller, over: Json = {}) => answered(await draw(caller, over), 201)
  const list = async (query = '') => answered(await room.miaReads.get(`/entries/${entry_id}/annotations${query}`)).annotations
  return { ...room, thumbnail, picture, draw, drawn, list }
}

test('a drawing says who drew what, where and when, and is recorded as activity', async () => {
  const { mia, max, entry, picture, drawn, list, ids } = await canvas()
  const made = await drawn(max)
  expect(made).toEqual({
    id: made.id,
    entry_id: entry.entry_id,
    ...picture,
    comment_id: null,
    shape: 'rect',
    geometry: rect,
    author: { id: ids.max, name: 'max', display_name: 'max' },
    created_at: expect.stringMatching(/Z$/),
  })
  expect(await list()).toEqual([made])
  const [event] = await eventsOf(mia, 'annotation.create')
  expect(event).toMatchObject({
    actor: { id: ids.max },
    entry_id: entry.entry_id,
    lineage_id: entry.lineage_id,
    object_id: entry.object_id,
    payload: { annotation_id: made.id, comment_id: null, shape: 'rect' },
  })
})

test('drawings come oldest first, of all versions or of one, each on a picture of its own version', async () => {
  const { mia, entry, thumbnail, drawn, draw, list } = await canvas()
  const first = await drawn(mia)
  const { content_hash } = entry
  const next = item({ stamped_lineage_id: entry.lineage_id, stamped_base_hash: content_hash })
  const [version] = await pushed(mia, [next])
  const newer = { object_id: version.object_id, preview_artifact_id: await thumbnail(version) }
  const second = await drawn(mia, newer)
  const third = await drawn(mia)
  const idsOf = (all: Json[]) => all.map(({ id }) => id)
  expect(idsOf(await list())).toEqual([first.id, second.id, third.id])
  expect(idsOf(await list(`?object_id=${version.object_id}`))).toEqual([second.id])
  expect(idsOf(await list('?object_id=999999999'))).toEqual([])
  expect(refusal(await draw(mia, { object_id: version.object_id }))).toEqual([422, 'VALIDATION'])
  expect(refusal(await draw(mia, { preview_artifact_id: newer.preview_artifact_id }))).toEqual([422, 'VALIDATION'])
  expect(refusal(await draw(mia, { preview_artifact_id: 999_999_999 }))).toEqual([422, 'VALIDATION'])
})

const points = (count: number) => Array.from({ length: count }, (_, n) => [n % 2, 1 - (n % 2)])
const camera = { position: [1, -2, 3.5], fov: 50, 'odd key': { deep: [null, true, 'ü\u202e'] }, 2: 'two', 1: 'one' }
const accepted: [string, Json][] = [
  ['rect', { x: 0, y: 0, w: 1, h: 1 }],
  ['ellipse', { h: 0, w: 0, y: 1, x: 1 }],
  ['freehand', { points: points(2) }],
  ['freehand', { points: points(2000) }],
  ['point3d', { point: [-1e308, 0, 99_999.5], camera }],
  ['point3d', { camera: {}, point: [0, 0, 0] }],
]
const box = (over: Json) => ({ ...rect, ...over })
const refused: [string, Json][] = [
  ...['rect', 'ellipse'].flatMap((shape): [string, Json][] =>
    [
      box({ x: -0.001 }),
      box({ y: 1.001 }),
      box({ w: '0.1' }),
      box({ h: null }),
      box({ r: 1 }),
      { x: 0, y: 0, w: 1 },
      {},
      [],
      [0, 0, 1, 1],
      'x',
      null,
      { points: points(2) },
    ].map((geometry) => [shape, geometry]),
  ),
  ...[
    points(1),
    points(2001),
    [],
    'x',
    null,
    [
      [0, 0],
      [0, 2],
    ],
    [[0, 0], [0]],
    [
      [0, 0],
      [0, 0, 0],
    ],
    [
      [0, 0],
      ['0', 0],
    ],
  ].map((list): [string, Json] => ['freehand', { points: list }]),
  ['freehand', { points: points(2), closed: true }],
  ['freehand', rect],
  ...[[0, 0], [0, 0, 0, 0], ['0', 0, 0], [0, 0, null], { x: 0, y: 0, z: 0 }, null].map((point): [string, Json] => [
    'point3d',
    { point, camera: {} },
  ]),
  ...['x', [], null, 5].map((odd): [string, Json] => ['point3d', { point: [0, 0, 0], camera: odd }]),
  ['point3d', { point: [0, 0, 0] }],
  ['point3d', { point: [0, 0, 0], camera: {}, label: 'x' }],
  ['circle', rect],
]

test('geometry is stored as it was sent, down to the order of what a camera holds', async () => {
  const { mia, drawn, list } = await canvas()
  for (const [shape, geometry] of accepted) await drawn(mia, { shape, geometry })
  const shown = (await list()).map(({ shape, geometry }: Json) => [shape, geometry])
  expect(shown).toEqual(accepted)
  expect(JSON.stringify(shown[4][1].camera)).toBe(JSON.stringify(camera))
})

test('geometry that is not exactly that of its shape is refused, and nothing is drawn', async () => {
  const { mia, draw, list } = await canvas()
  for (const [shape, geometry] of refused)
    expect([shape, geometry, ...refusal(await draw(mia, { shape, geometry }))]).toEqual([shape, geometry, 422, 'VALIDATION'])
  for (const field of ['object_id', 'preview_artifact_id', 'shape', 'geometry'])
    expect(refusal(await draw(mia, { [field]: undefined }))).toEqual([422, 'VALIDATION'])
  expect(await list()).toEqual([])
})

test('a geometry may have 16 KiB of JSON, counted in bytes, and not one more; a number beyond all numbers is none', async () => {
  const { mia, draw, drawn } = await canvas()
  const bytes = (text: string) => ({ point: [0, 0, 0], camera: { s: text } })
  const room = 16 * 1024 - Buffer.byteLength(JSON.stringify(bytes('')))
  await drawn(mia, { shape: 'point3d', geometry: bytes('x'.repeat(room)) })
  await drawn(mia, { shape: 'point3d', geometry: bytes(`${'ü'.repeat(Math.floor(room / 2))}${'x'.repeat(room % 2)}`) })
  for (const text of ['x'.repeat(room + 1), `${'ü'.repeat(Math.floor(room / 2))}${'x'.repeat((room % 2) + 1)}`])
    expect(refusal(await draw(mia, { shape: 'point3d', geometry: bytes(text) }))).toEqual([422, 'VALIDATION'])
  expect(geometryFailure('point3d', { point: [Number.POSITIVE_INFINITY, 0, 0], camera: {} })).toContain('point')
  expect(geometryFailure('rect', box({ x: Number.NaN }))).toContain('0 to 1')
})

test('a drawing belongs to at most one thread of its entry: given at once, or later by anyone, once', async () => {
  const { mia, max, entry, draw, drawn, list } = await canvas()
  const top = await say(mia, entry.entry_id)
  const reply = await say(mia, entry.entry_id, { parent_id: top.id })
  const [other] = await pushed(mia, [item()])
  const elsewhere = await say(mia, other.entry_id)
  expect((await drawn(mia, { comment_id: top.id })).comment_id).toBe(top.id)
  const free = await drawn(mia, { comment_id: null })
  const tie = (caller: Caller, comment_id: unknown, id = free.id) => caller.patch(`/annotations/${id}`, { comment_id })
  for (const [comment_id, code] of [
    [reply.id, 'VALIDATION'],
    [elsewhere.id, 'VALIDATION'],
    [999_999_999, 'COMMENT_NOT_FOUND'],
  ]) {
    const status = code === 'VALIDATION' ? 422 : 404
    expect(refusal(await draw(mia, { comment_id }))).toEqual([status, code])
    expect(refusal(await tie(mia, comment_id))).toEqual([status, code])
  }
  expect(refusal(await tie(mia, null))).toEqual([422, 'VALIDATION'])
  expect(refusal(await tie(mia, top.id, 999_999_999))).toEqual([404, 'ANNOTATION_NOT_FOUND'])
  expect(answered(await tie(max, top.id))).toEqual({ ...free, comment_id: top.id })
  expect(refusal(await tie(mia, top.id))).toEqual([409, 'CONFLICT'])
  expect(await list()).toHaveLength(2)
  answered(await mia.del(`/comments/${top.id}`), 204)
  expect((await list()).map(({ comment_id }: Json) => comment_id)).toEqual([null, null])
})

test('author and admins delete a drawing, once; others do not', async () => {
  const { mia, max, adam, drawn, list } = await canvas()
  const [first, second] = [await drawn(max), await drawn(max)]
  expect(refusal(await mia.del(`/annotations/${first.id}`))).toEqual([403, 'FORBIDDEN'])
  answered(await max.del(`/annotations/${first.id}`), 204)
  answered(await adam.del(`/annotations/${second.id}`), 204)
  expect(refusal(await max.del(`/annotations/${first.id}`))).toEqual([404, 'ANNOTATION_NOT_FOUND'])
  expect(await list()).toEqual([])
})

test('unknown entries and versions, and versions of other props, are refused', async () => {
  const { mia, miaReads, draw } = await canvas()
  const [other] = await pushed(mia, [item()])
  expect(refusal(await draw(mia, { object_id: 999_999_999 }))).toEqual([404, 'OBJECT_NOT_FOUND'])
  expect(refusal(await draw(mia, { object_id: other.object_id }))).toEqual([409, 'LINEAGE_CONFLICT'])
  expect(refusal(await mia.get('/entries/999999999/annotations'))).toEqual([404, 'ENTRY_NOT_FOUND'])
  const input = { object_id: other.object_id, preview_artifact_id: 1, shape: 'rect', geometry: rect }
  expect(refusal(await mia.post('/entries/999999999/annotations', input))).toEqual([404, 'ENTRY_NOT_FOUND'])
  expect((await draw(miaReads)).status).toBe(403)
})
