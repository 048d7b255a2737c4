/** Base colours and pictures of materials, as far as a GLB has them; odd ones are left out and disturb nothing. */
import { expect, test } from 'vitest'
import { readGltfLooks } from '../../formats/gltf/looks.ts'
import { meshGlb } from '../../previews/glb.ts'
import { glbOf, pngOf } from '../support/media.ts'
import { box, meshOf } from '../support/meshes.ts'

test('slots have the colours and pictures that they were written with', async () => {
  const mesh = meshOf(box(), { slotOf: (triangle) => (triangle < 6 ? 0 : 1) })
  const texture = await pngOf(4, 4)
  const { glb } = await meshGlb(mesh, { materials: [{ color: [0.5, 0.25, 0, 1] }, { texture }] })
  const looks = readGltfLooks(glb)
  expect([...looks.keys()]).toEqual(['Part0', 'Part1'])
  expect(looks.get('Part0')).toEqual({ color: [0.5, 0.25, 0, 1], image: null })
  expect(looks.get('Part1')?.color).toEqual([1, 1, 1, 1])
  expect(Buffer.from(looks.get('Part1')?.image ?? []).equals(texture)).toBe(true)
})

const looksIn = (more: object, bufferBytes = 64) =>
  Object.fromEntries(readGltfLooks(glbOf({ json: JSON.stringify({ asset: { version: '2.0' }, ...more }), bufferBytes })))

const textured = (index: number, more = {}) => ({ pbrMetallicRoughness: { baseColorTexture: { index, ...more } } })
const buffers = [{ byteLength: 64 }]

test('pictures that lie outside of the file, are named by nobody, or use other coordinates are none', () => {
  const file = {
    ...{
      buffers,
      bufferViews: [
        { buffer: 0, byteLength: 4_000_000_000 },
        { buffer: 0, byteOffset: 4, byteLength: 8 },
      ],
    },
    images: [{ bufferView: 0 }, { bufferView: 1 }, { bufferView: 99 }, { uri: 'beside.png' }],
    textures: [{ source: 0 }, { source: 1 }, { source: 2 }, { source: 3 }, { source: 'x' }, {}],
    materials: [
      ...[0, 1, 2, 3, 4, 5, 6].map((index) => ({ name: `M${index}`, ...textured(index) })),
      { name: 'M7', ...textured(1, { texCoord: 1 }) },
    ],
  }
  const looks = looksIn(file)
  expect(Object.entries(looks).flatMap(([name, { image }]) => (image ? [[name, image.length]] : []))).toEqual([['M1', 8]])
})

test('colours that cannot be are left out; the first of two materials with one name counts', () => {
  const color = (...baseColorFactor: unknown[]) => ({ pbrMetallicRoughness: { baseColorFactor } })
  const materials = [
    { name: 'A', ...color(1, 0, 0, 1) },
    { name: 'A', ...color(0, 1, 0, 1) },
    { name: 'B', ...color(1e30, 0, 0, 1) },
    { name: 'C', ...color('red') },
    { name: 'D', pbrMetallicRoughness: 7 },
    { ...color(0, 0, 1, 1) },
  ]
  const looks = looksIn({ materials })
  expect(Object.keys(looks)).toEqual(['A', 'Material 5'])
  expect(looks.A?.color).toEqual([1, 0, 0, 1])
})
