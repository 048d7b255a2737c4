/** Where files land, and what a server may not name: paths out of the project, devices, clashes, numbers that are none. */
import { describe, expect, test } from 'vitest'
import { destinationsOf } from '../../../client/pull/destinations.ts'
import { peerFile } from '../../support/pull-peer.ts'

const object = (path: string, over: object = {}) => peerFile(path, path, over).object
const whyNot = (over: object, root = '/Game'): string | undefined =>
  destinationsOf([object('/Game/A', over)], root).refused[0]?.why

test('files keep their path below the root, with the extension that their kind has', () => {
  const objects = [
    object('/Game/Town/SM_Wall'),
    object('/Game/Maps/L_Town', { asset_class: 'World' }),
    object('/Game/Audio/Wind', { source_ext: 'wav', asset_name: null }),
  ]
  const { files, refused } = destinationsOf(objects, '/Game/In')
  expect(refused).toEqual([])
  expect(files.map(({ path, destination, name }) => [path, destination, name])).toEqual([
    ['In/Town/SM_Wall.uasset', '/Game/In/Town/SM_Wall', 'SM_Wall'],
    ['In/Maps/L_Town.umap', '/Game/In/Maps/L_Town', 'L_Town'],
    ['In/Audio/Wind.wav', '/Game/In/Audio/Wind', 'Wind'],
  ])
})

describe.each([
  '/Game/../Secret',
  '/Game/A/../../../etc/passwd',
  '/Game/./A',
  '/Game//A',
  '/Game/A/',
  '/Game',
  '/Gamer/A',
  '/Engine/A',
  'Game/A',
  'C:/Game/A',
  '/Game/A\\B',
  '/Game/A:stream',
  '/Game/A.',
  '/Game/A ',
  '/Game/Ä',
  '/Game/A\u0301',
  '/Game/\uFF0E\uFF0E/A',
  '/Game/A\u0000B',
  '/Game/A\nB',
  `/Game/${'A/'.repeat(600)}A`,
])('%j', (origin_path) => {
  test('is no place for a file', () => expect(whyNot({ origin_path })).toContain('has a place that is not allowed'))
})

test.each(['CON', 'nul', 'Com1', 'LPT9', 'aux'])(
  '%s is a device on Windows, as a folder and as a file: it is left out, and the others come',
  (name) => {
    const leftOut = (origin_path: string) => {
      const { leftOut, refused, files } = destinationsOf([object(origin_path), object('/Game/Other')], '/Game')
      expect([refused, files.at(-1)?.path]).toEqual([[], 'Other.uasset'])
      return leftOut[0]?.why
    }
    expect(leftOut(`/Game/${name}/A`)).toContain('the name of a device')
    expect(leftOut(`/Game/A/${name}`)).toContain('the name of a device')
    expect(leftOut(`/Game/A/${name}x`)).toBeUndefined()
  },
)

test.each(['', '.exe', 'a/b', '../x', 'UASSET', 'toolongextension', 7])('%j is no extension', (source_ext) => {
  expect(whyNot({ source_ext })).toContain('extension that is not allowed')
})

test.each(['/Game/../x', '/Engine', '/Game/', '/Game/Ä', 'Game', `/Game/${'a'.repeat(1000)}`])('%j is no root', (root) => {
  expect(whyNot({}, root)).toContain('is not a folder under /Game')
})

test('hashes, sizes, ids and names are held to the contract', () => {
  expect(whyNot({ content_hash: '../../x' })).toBe('has no hash')
  expect(whyNot({ blob_size: -1 })).toContain('no size')
  expect(whyNot({ blob_size: 1.5 })).toContain('no size')
  expect(whyNot({ blob_size: 2 ** 60 })).toContain('no size')
  expect(whyNot({ lineage_id: '' })).toBe('belongs to no version')
  expect(whyNot({ object_id: '1' })).toBe('belongs to no version')
  expect(whyNot({ asset_name: 'x'.repeat(2000) })).toContain('too long')
  expect(whyNot({ origin_path: null })).toBe('has no place under /Game')
  expect(destinationsOf([null, 'x'], '/Game').refused.map(({ why }) => why)).toEqual(['is not a file', 'is not a file'])
})

test('a name of more than 255 bytes is refused, with its extension counted', () => {
  expect(whyNot({ origin_path: `/Game/${'a'.repeat(248)}` })).toBeUndefined()
  expect(whyNot({ origin_path: `/Game/${'a'.repeat(249)}` })).toContain('longer than 255 bytes')
})

test('a file of a kind or at a place that no project gets is left out by itself, whatever else is in the list', () => {
  const leftOut = (over: object, root = '/Game'): string | undefined => {
    const { files, refused, leftOut } = destinationsOf([object('/Game/A', over), object('/Game/Other')], root)
    expect([files.length + leftOut.length, refused]).toEqual([2, []])
    return leftOut[0]?.why
  }
  for (const source_ext of ['py', 'pyd', 'so', 'pyc', 'pth', 'dll', 'uplugin', 'exe'])
    for (const origin_path of ['/Game/Python/init_unreal', '/Game/python/x/y', '/Game/Tools/make'])
      expect(leftOut({ origin_path, source_ext })).toContain('program or script')
  expect(leftOut({ origin_path: '/Game/Config/DefaultEngine', source_ext: 'ini' })).toContain('only props')
  expect(leftOut({ origin_path: '/Game/Python/icon', source_ext: 'png' })).toContain('Content/Python')
  expect(leftOut({ origin_path: '/Game/icon', source_ext: 'png' }, '/Game/PYTHON')).toContain('Content/Python')
  expect(leftOut({ origin_path: '/Game/Python/BP_Tool' })).toBeUndefined()
  expect(leftOut({ origin_path: '/Game/Python', source_ext: 'png' })).toBeUndefined()
  expect(leftOut({ source_ext: 'wav' })).toBeUndefined()
})

test('what is left out does not lend its bytes to another file of the list', () => {
  const { content_hash } = object('/Game/A')
  const twins = [object('/Game/A', { source_ext: 'py' }), object('/Game/B', { content_hash })]
  expect(destinationsOf(twins, '/Game').refused.map(({ why }) => why)).toEqual(['has the same bytes as another file of the list'])
})

test('two files whose places are equal but for case have one place; folders that are equal so are one folder', () => {
  const clash = (...paths: string[]) =>
    destinationsOf(
      paths.map((path) => object(path)),
      '/Game',
    ).refused.map(({ why }) => why)
  expect(clash('/Game/A/SM_Wall', '/Game/A/sm_wall')).toEqual(['has the same destination as /Game/A/SM_Wall'])
  expect(clash('/Game/Walls/A', '/Game/walls/a')).toEqual(['has the same destination as /Game/Walls/A'])
  expect(clash('/Game/Walls/A', '/Game/walls/B')).toEqual([])
  expect(clash('/Game/A/X/1', '/Game/A/X/2', '/Game/A/Y/1')).toEqual([])
})

test('the same bytes twice are refused', () => {
  const { content_hash } = object('/Game/A')
  expect(destinationsOf([object('/Game/A'), object('/Game/B', { content_hash })], '/Game').refused).toHaveLength(1)
})

test('what is said of foreign names holds no control characters', () => {
  const [refused] = destinationsOf([object('/Game/A', { origin_path: '/Game/\u001b[31mred\u202e' })], '/Game').refused
  expect(refused?.what).toBe('/Game/?[31mred?')
})
