/** Where downloaded files lie, whatever a library says of them: below the folder, each in a place of its own, companions where they are looked for. */
import { expect, test } from 'vitest'
import { type DownloadLayout, type DownloadSet, layOut } from '../../../client/download/layout.ts'
import type { DownloadedObject } from '../../../client/download/taken-paths.ts'
import { limits } from '../../../contract/limits.ts'
import { sha256 } from '../../support/push.ts'

let ids = 0
/** A version that was pushed at this path below a folder. */
function object(source_path: string | null, over: Partial<DownloadedObject> = {}): DownloadedObject {
  const object_id = ++ids
  return {
    object_id,
    lineage_id: `l${object_id}`,
    content_hash: sha256(Buffer.from(String(object_id))),
    blob_size: 5,
    asset_class: 'SourceMesh',
    asset_name: null,
    origin_path: null,
    engine_version: null,
    source_ext: source_path?.split('.').at(-1) ?? 'obj',
    source_path,
    ...over,
  } as DownloadedObject
}
const setOf = (...members: DownloadedObject[]): DownloadSet => ({
  entry_id: members[0]?.object_id ?? 0,
  name: 'model',
  members,
})
const pathsOf = ({ files }: DownloadLayout): string[] => files.map(({ path }) => path).toSorted()
const alone = (path: string | null, over: Partial<DownloadedObject> = {}): DownloadLayout =>
  layOut([setOf(object(path, over))], () => [])

/** Lays out one set whose first member names these addresses, and others as given by path. */
function namingLayout(members: readonly DownloadedObject[], named: Record<string, string[]>): DownloadLayout {
  return layOut([setOf(...members)], ({ source_path }) => named[source_path ?? ''] ?? [])
}

test.each([
  '../out.obj',
  'a/../../out.obj',
  'a/./b.obj',
  '/etc/out.obj',
  'C:/out.obj',
  'c:out.obj',
  'a\\..\\..\\out.obj',
  'a//b.obj',
  'a/b\n.obj',
  `${'a/'.repeat(700)}b.obj`,
])('%j is no place below the folder, and is refused', (path) => {
  const { files, refused } = alone(path)
  expect([files, refused]).toEqual([[], [{ what: expect.any(String), why: 'is not a path below a folder' }]])
})

test.each(['/Game/../out', '/Game/A/../../../out', '/Game/./A', '/Game//A'])('a package at %j is refused', (origin_path) => {
  const { files, refused } = alone(null, { source_ext: null, asset_class: 'StaticMesh', origin_path })
  expect([files, refused.length]).toEqual([[], 1])
})

test.each(['', '../../etc/passwd', 'A'.repeat(64), 'a'.repeat(63)])(
  '%j is no hash, so that no file is named by it',
  (content_hash) => {
    expect(alone('a.obj', { content_hash })).toMatchObject({ files: [], refused: [{ why: 'has no hash' }] })
  },
)

test.each([-1, 0.5, Number.NaN, limits.blobBytes + 1])('%d is no size of a file', (blob_size) => {
  expect(alone('a.obj', { blob_size })).toMatchObject({ files: [], refused: [{ why: expect.stringContaining('no size') }] })
})

test('an entry with a file where another entry has one, a folder, or the same in other letters gets a folder of its own', () => {
  const first = object('scans/rock.obj')
  for (const path of ['scans/rock.obj', 'Scans/other.obj', 'scans/Rock.obj', 'scans', 'scans/rock.obj/inner.obj']) {
    const second = object(path, { source_ext: 'obj' })
    const layout = layOut([setOf(first), setOf(second)], () => [])
    const own = `model-${second.object_id}`
    expect(pathsOf(layout), path).toEqual([`${own}/${path}`, 'scans/rock.obj'].toSorted())
    expect(layout).toMatchObject({ refused: [], apart: [{ entry_id: second.object_id, folder: own }] })
  }
})

test.each([
  ['a folder where one of its files lies', 'tex', 'tex/wood.png'],
  ['a folder in other letters', 'tex/oak.png', 'Tex/wood.png'],
])('an entry that needs %s is refused, because not every system could hold it', (_what, one, other) => {
  const { refused } = layOut([setOf(object('a.gltf'), object(one, { source_ext: 'png' }), object(other))], () => [])
  expect(refused).toEqual([{ what: other, why: 'has the same path as another file' }])
})

test('an entry that two entries need lies once', () => {
  const shared = object('wood.png')
  const layout = layOut([setOf(object('a.gltf'), shared), setOf(object('b.gltf'), shared)], () => [])
  expect(pathsOf(layout)).toEqual(['a.gltf', 'b.gltf', 'wood.png'])
  expect(layout).toMatchObject({ apart: [], refused: [] })
})

test('a companion that two models spell in other letters lies where each of them looks for it', () => {
  const shared = object('wood.png')
  const [first, second] = [object('a.gltf'), object('b.gltf')]
  const named: Record<string, string[]> = { 'a.gltf': ['wood.png'], 'b.gltf': ['Wood.png'] }
  const layout = layOut([setOf(first, shared), setOf(second, shared)], ({ source_path }) => named[source_path ?? ''] ?? [])
  const own = `model-${second.object_id}`
  expect(pathsOf(layout)).toEqual([`${own}/Wood.png`, `${own}/b.gltf`, 'a.gltf', 'wood.png'].toSorted())
})

test('two files that an entry needs and that were pushed as one path both come, each under its own name', () => {
  const [root, one, other] = [object('a.gltf'), object('tex/wood.png'), object('tex/Wood.png')]
  expect(pathsOf(layOut([setOf(root, one, other)], () => []))).toEqual(
    ['a.gltf', `tex/Wood-${other.object_id}.png`, 'tex/wood.png'].toSorted(),
  )
})

test('where two models look for different files in one place, the first has it, and the other file comes under its own path', () => {
  const [chair, table] = [object('chair/chair.gltf'), object('table/table.gltf')]
  const [oak, pine] = [object('chair/wood.png'), object('table/wood.png')]
  const named = { 'chair/chair.gltf': ['../wood.png'], 'table/table.gltf': ['../wood.png'] }
  const layout = namingLayout([chair, table, oak, pine], named)
  expect(Object.fromEntries(layout.files.map(({ path, object }) => [path, object.source_path]))).toEqual({
    'chair/chair.gltf': 'chair/chair.gltf',
    'table/table.gltf': 'table/table.gltf',
    'wood.png': 'chair/wood.png',
    'table/wood.png': 'table/wood.png',
  })
  expect(layout.unresolved).toEqual([{ file: 'table/table.gltf', address: '../wood.png' }])
})

test.each([
  ['its path', 'Tex/Wood.PNG', 'tex/wood.png', 'old/wood.png'],
  ['its file name', 'maps/Wood.png', 'tex/wood.png', 'tex/oak.png'],
])(
  'a companion whose address spells %s in other letters is found, and lies as the address spells it',
  (...[, address, one, other]) => {
    const layout = namingLayout([object('chair.gltf'), object(one), object(other)], { 'chair.gltf': [address] })
    expect(layout.files.find(({ path }) => path === address)?.object.source_path).toBe(one)
    expect(pathsOf(layout)).toEqual(['chair.gltf', address, other].toSorted())
    expect(layout.unresolved).toEqual([])
  },
)

test('a file that is taken for its kind alone is told: it may be the same bytes under another name, or another file', () => {
  const members = [object('chair.gltf'), object('tex/wood.png')]
  const layout = namingLayout(members, { 'chair.gltf': ['tex/wood.png', 'tex/gone.png', 'tex/gone.png'] })
  expect(pathsOf(layout)).toEqual(['chair.gltf', 'tex/gone.png', 'tex/wood.png'])
  expect(layout.guessed).toEqual([{ file: 'chair.gltf', address: 'tex/gone.png', taken: 'wood.png' }])
  expect(layout.unresolved).toEqual([])
})

test('companions of companions lie where those look for them', () => {
  const members = [object('chair.obj'), object('lib/wood.mtl'), object('lib/oak.png')]
  const named = { 'chair.obj': ['mtl/wood.mtl'], 'lib/wood.mtl': ['../maps/oak.png'] }
  const layout = namingLayout(members, named)
  expect(pathsOf(layout)).toEqual(['chair.obj', 'maps/oak.png', 'mtl/wood.mtl'])
  expect(layout.unresolved).toEqual([])
})

test('an address that leads out of the folder, or to no file of the entry, is told and not followed', () => {
  const addresses = ['../../wood.png', '..%2f..%2fwood.png', 'gone.bin']
  const layout = namingLayout([object('a/chair.gltf'), object('a/wood.png')], { 'a/chair.gltf': addresses })
  expect(pathsOf(layout)).toEqual(['a/chair.gltf', 'a/wood.png'])
  expect(layout.unresolved).toEqual(addresses.map((address) => ({ file: 'a/chair.gltf', address })))
})

test('of several files of a name the one from the folder of the model is its companion, and none where that does not tell', () => {
  const [near, far] = [object('chair/old/wood.png'), object('table/wood.png')]
  const named = { 'chair/chair.gltf': ['tex/wood.png'] }
  const layout = namingLayout([object('chair/chair.gltf'), near, far], named)
  expect(layout.files.find(({ path }) => path === 'chair/tex/wood.png')?.object).toBe(near)
  const twice = namingLayout([object('chair/chair.gltf'), object('sofa/wood.png'), far], named)
  expect(twice.unresolved).toEqual([{ file: 'chair/chair.gltf', address: 'tex/wood.png' }])
  expect(pathsOf(twice)).toEqual(['chair/chair.gltf', 'sofa/wood.png', 'table/wood.png'])
})

test('a model that names itself or another in a circle is laid out once', () => {
  const members = [object('a.gltf'), object('b.gltf')]
  expect(pathsOf(namingLayout(members, { 'a.gltf': ['b.gltf', 'a.gltf'], 'b.gltf': ['a.gltf'] }))).toEqual(['a.gltf', 'b.gltf'])
  expect(pathsOf(namingLayout(members, { 'a.gltf': ['B.gltf'], 'b.gltf': ['A.gltf'] }))).toEqual(['B.gltf', 'a.gltf'])
})
