/** ph annotate and annotations: what programs draw on the pictures of props, checked before anything is sent. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Json } from '../../support/api.ts'
import { innWith, say } from '../../support/discussion.ts'
import { pngOf } from '../../support/media.ts'
import { startTestServer } from '../../support/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const server = await startTestServer()

const rect = { shape: 'rect', geometry: { x: 0.1, y: 0.25, w: 0.5, h: 0.123 } }
const point = { shape: 'point3d', geometry: { point: [1, 2.5, -3], camera: { fov: 60 } } }

/** The barrel with a thumbnail, and a folder to run in. */
async function inn() {
  const room = await innWith(server)
  const { entry_id, object_id } = room.barrel
  const picture = (await room.as.mia.put(`/entries/${entry_id}/thumbnail?object_id=${object_id}`, await pngOf(4, 4))).body
    .artifact_id
  const cwd = temporaryFolder()
  const file = (document: unknown): string => {
    writeFileSync(join(cwd, 'drawing.json'), typeof document === 'string' ? document : JSON.stringify(document))
    return 'drawing.json'
  }
  const drawn = async (): Promise<Json[]> => (await room.as.mia.get(`/entries/${entry_id}/annotations`)).body.annotations
  return { ...room, cwd, file, drawn, picture }
}

test('a drawing is on the picture of the current version, one of a list where it says, for the comment that is named', async () => {
  const { ok, at, as, barrel, cwd, file, drawn, picture } = await inn()
  const { id } = await say(as.mia, barrel.entry_id)
  const { annotations } = await ok('max', `annotate SM_Barrel ${file([rect, { ...point, comment_id: id }])}`, { cwd })
  expect(annotations).toEqual(await drawn())
  expect(annotations).toMatchObject([
    { ...rect, object_id: barrel.object_id, preview_artifact_id: picture, comment_id: null },
    { ...point, comment_id: id },
  ])
  const { stdout } = await at.max(`annotate SM_Barrel - --comment ${id}`, { stdin: JSON.stringify(rect) })
  expect(stdout).toMatch(/^Made 1 drawing on SM_Barrel, id \d+\.\n$/)
  expect((await drawn()).at(-1)).toMatchObject({ comment_id: id })
  const said = (await at.max('comments SM_Barrel')).stdout
  expect(said).toMatch(/drawing \d+: a point on the mesh\n +drawing \d+: a rectangle\n/)
  await as.mia.post(`/entries/${barrel.entry_id}/annotations`, {
    ...{ object_id: barrel.object_id, preview_artifact_id: picture },
    ...{ shape: 'ellipse', geometry: rect.geometry },
  })
  expect((await at.max('activity SM_Barrel')).stdout).toContain('drew an ellipse on SM_Barrel')
})

test('every fault is named with its field, all at once, and nothing is sent', async () => {
  const { at, cwd, file, drawn } = await inn()
  const wrong = [
    rect,
    { shape: 'rect', geometry: { x: 2, y: 0, w: 0, h: 0 } },
    { shape: 'blob', geometry: [], colour: 'red', comment_id: 0 },
    'x',
  ]
  const { code, stderr } = await at.max(`annotate SM_Barrel ${file(wrong)} --json`, { cwd })
  const { error } = JSON.parse(stderr)
  expect([code, error.code]).toEqual([2, 'VALIDATION'])
  expect(error.details.errors.map(({ path }: Json) => path)).toEqual([
    '[1].geometry',
    '[2].colour',
    '[2].comment_id',
    '[2].shape',
    '[2].geometry',
    '[3]',
  ])
  expect(error.message).toBe('drawing.json: [1].geometry needs x, y, w and h from 0 to 1, and 5 more.')
  const told = await at.max(`annotate SM_Barrel ${file(wrong)}`, { cwd })
  expect(told.stderr).toContain('- [2].shape: is one of rect, ellipse, freehand, point3d')
  expect(await drawn()).toEqual([])
})

test.each([
  ['{', 'drawing.json is not JSON'],
  ['[]', 'drawing.json: holds no drawing.'],
  [{ shape: 'ellipse', geometry: { x: 0, y: 0, w: 1 } }, 'geometry lacks h; ellipse has exactly x, y, w, h'],
  [{ shape: 'freehand', geometry: { points: [[0, 0]] } }, 'geometry needs 2 to 2000 points'],
  [{ shape: 'point3d', geometry: { point: [0, 0, 0] } }, 'geometry lacks camera'],
])('%j is refused', async (document, said) => {
  const { at, cwd, file } = await inn()
  const { code, stderr } = await at.max(`annotate SM_Barrel ${file(document)}`, { cwd })
  expect([code, stderr]).toEqual([2, expect.stringContaining(said)])
})

test('a dry run checks the file and draws nothing, with a key that only reads too', async () => {
  const { ok, cwd, file, drawn, barrel, picture } = await inn()
  expect(await ok('miaReads', `annotate SM_Barrel ${file(rect)} --dry-run`, { cwd })).toEqual({
    dry_run: true,
    annotations: [{ entry_id: barrel.entry_id, object_id: barrel.object_id, preview_artifact_id: picture, ...rect }],
  })
  expect(await drawn()).toEqual([])
})

test('where there is no picture, or none is known of an earlier version, that is said', async () => {
  const { at, ok, as, push, cwd, file, picture, barrel } = await inn()
  const next = await push()
  expect((await at.max(`annotate SM_Barrel ${file(rect)}`, { cwd })).stderr).toContain('SM_Barrel has no picture to draw on.')
  await as.mia.put(`/entries/${barrel.entry_id}/thumbnail?object_id=${next.object_id}`, await pngOf(4, 4))
  const earlier = await at.max(`annotate SM_Barrel ${file([rect])} --version v1`, { cwd })
  expect([earlier.code, earlier.stderr]).toEqual([
    1,
    expect.stringContaining('Drawing 1 is on an earlier version, and names no picture'),
  ])
  const named = await ok('max', `annotate SM_Barrel ${file({ ...rect, preview_artifact_id: picture })} --version v1`, { cwd })
  expect(named.annotations).toMatchObject([{ object_id: barrel.object_id }])
})

test('the list says where each is, on which version and for which comment; drawings are tied and deleted', async () => {
  const { at, ok, as, barrel, cwd, file, drawn } = await inn()
  const freehand = {
    shape: 'freehand',
    geometry: {
      points: [
        [0, 0],
        [1, 1],
      ],
    },
  }
  await ok('max', `annotate SM_Barrel ${file([rect, point, freehand])}`, { cwd })
  const [one, two, three] = (await drawn()).map(({ id }: Json) => id)
  const { id: comment } = await say(as.mia, barrel.entry_id)
  expect((await at.max(`annotate tie ${one} ${comment}`)).stdout).toBe(`Drawing ${one} belongs to comment ${comment}.\n`)
  expect((await at.max(`annotate tie ${one} ${comment}`)).code).toBe(5)
  const lines = (await at.mia('annotations SM_Barrel')).stdout.trim().split('\n')
  expect(lines.map((line) => line.split('\t').slice(0, 6))).toEqual([
    [String(one), 'rect', '10%, 25%: 50% x 12.3%', 'v1', String(comment), 'max'],
    [String(two), 'point3d', '1, 2.5, -3', 'v1', '-', 'max'],
    [String(three), 'freehand', '2 points', 'v1', '-', 'max'],
  ])
  expect((await ok('mia', 'annotations SM_Barrel --version v1')).annotations).toEqual(await drawn())
  expect((await at.mia(`annotate delete ${two}`)).stderr).toContain('was drawn by someone else')
  expect((await at.max(`annotate delete ${two} ${three}`)).stdout).toBe('Deleted 2 drawings.\n')
  expect(await drawn()).toHaveLength(1)
})
