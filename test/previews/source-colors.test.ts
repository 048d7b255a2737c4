/** The colours and pictures of source files: in the file, beside it, and what becomes of those that are not there or lie. */
import { join } from 'node:path'
import { NodeIO } from '@gltf-transform/core'
import { describe, expect, test } from 'vitest'
import { convert } from '../../previews/convert.ts'
import { readFileSource } from '../../previews/source-data/file-source.ts'
import { readSubject } from '../../previews/subjects/subject.ts'
import { type FbxNode, toBinaryFbx, toTextFbx } from '../../sample/fbx.ts'
import { geometry, link, model, properties, property, scene } from '../support/fbx.ts'
import { glbIssues } from '../support/glb-issues.ts'
import { triangleBin, triangleGltf } from '../support/gltf.ts'
import { pngOf } from '../support/media.ts'
import { fixtureFolder } from '../support/real-packages.ts'
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts'

/** For each material of the GLB that is made of a file: its colour, and the size of its picture. */
async function lookOf(path: string) {
  const source = await readFileSource(path)
  if (source === undefined) throw new Error('no source')
  const { bytes } = await convert(source)
  expect(await glbIssues(bytes)).toEqual([])
  const materials = (await new NodeIO().readBinary(bytes)).getRoot().listMaterials()
  return materials.map((one) => ({
    color: one.getBaseColorFactor().slice(0, 3),
    picture: one.getBaseColorTexture()?.getSize() ?? null,
  }))
}

const plain = [0.6, 0.6, 0.6]
const white = [1, 1, 1]

async function lookIn(files: Record<string, string | Uint8Array>, name: string) {
  const folder = temporaryFolder()
  writeFiles(folder, { 'leaf.bin': triangleBin, ...files })
  return lookOf(join(folder, name))
}

const textured = { baseColorTexture: { index: 0 } }

describe('a glTF', () => {
  test('has its colour, and its picture as a file beside it, below it, or as text', async () => {
    const png = await pngOf(6, 4)
    const read = (uri: string) =>
      lookIn(
        { 'leaf.gltf': triangleGltf({ material: textured, images: [{ uri }] }), 'a picture.png': png, 'in/a.png': png },
        'leaf.gltf',
      )
    const pictured = [{ color: white, picture: [6, 4] }]
    expect(await read('a%20picture.png')).toEqual(pictured)
    expect(await read('in/a.png')).toEqual(pictured)
    expect(await read(`data:image/png;base64,${png.toString('base64')}`)).toEqual(pictured)
    const red = triangleGltf({ material: { baseColorFactor: [1, 0, 0.5, 1] } })
    expect(await lookIn({ 'leaf.gltf': red }, 'leaf.gltf')).toEqual([{ color: [1, 0, 0.5], picture: null }])
  })

  test('is shown without a picture that is missing, elsewhere, cut off, or something else', async () => {
    const png = await pngOf(64, 64)
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>')
    const files = { 'cut.png': png.subarray(0, 80), 'drawing.png': svg, 'empty.png': Buffer.alloc(0), '../outside.png': png }
    const elsewhere = ['https://a.test/a.png', '/etc/passwd', 'data:,x']
    for (const uri of ['gone.png', 'cut.png', 'drawing.png', 'empty.png', '../outside.png', ...elsewhere]) {
      const gltf = triangleGltf({ material: textured, images: [{ uri }] })
      const inside = Object.fromEntries(Object.entries(files).map(([name, bytes]) => [join('in', name), bytes]))
      const look = await lookIn({ ...inside, 'in/leaf.gltf': gltf, 'in/leaf.bin': triangleBin }, 'in/leaf.gltf')
      expect([uri, look]).toEqual([uri, [{ color: elsewhere.includes(uri) ? white : plain, picture: null }]])
    }
  })
})

const obj = 'mtllib parts.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\n'
const faces = 'usemtl Oak\nf 1/1 2/2 3/3\nusemtl Iron\nf 1/1 3/3 2/2\n'

test('an OBJ has the colours and pictures of its material library, and none of one that is missing or damaged', async () => {
  const mtl = 'newmtl Oak\nKd 0 0 0\nmap_Kd -s 1 1 1 tex\\oak.png\nnewmtl Iron\nKd 0.25 0.5 0.75\nnewmtl Iron\nKd 1 1 1\n'
  const files = { 'pot.obj': obj + faces, 'tex/oak.png': await pngOf(8, 2) }
  expect(await lookIn({ ...files, 'parts.mtl': mtl }, 'pot.obj')).toEqual([
    { color: white, picture: [8, 2] },
    { color: [0.25, 0.5, 0.75], picture: null },
  ])
  const nothing = [plain, plain].map((color) => ({ color, picture: null }))
  expect(await lookIn(files, 'pot.obj')).toEqual(nothing)
  expect(await lookIn({ ...files, 'parts.mtl': Buffer.alloc(100) }, 'pot.obj')).toEqual(nothing)
  expect(
    await lookIn({ ...files, 'parts.mtl': 'newmtl Oak\nKd nan 2 x\nKd spectral a.rfl\nmap_Kd /etc/passwd\n' }, 'pot.obj'),
  ).toEqual([{ color: white, picture: null }, nothing[0]])
})

const uvLayer: FbxNode = [
  'LayerElementUV',
  [{ int: 0 }],
  [
    ['MappingInformationType', ['ByPolygonVertex']],
    ['ReferenceInformationType', ['Direct']],
    ['UV', [Float64Array.of(0, 0, 1, 0, 1, 1, 0, 1)]],
  ],
]

/** A square with one material, of this colour, and this texture for its diffuse colour. */
function fbx({
  color = [0.5, 0.25, 0],
  texture = [] as FbxNode[],
  video,
}: {
  color?: number[]
  texture?: FbxNode[]
  video?: FbxNode[]
}) {
  const links: FbxNode[] = [link(1n, 2n), link(2n, 0n), link(3n, 2n), ['C', ['OP', 4n, 3n, 'DiffuseColor']]]
  return scene({
    objects: [
      geometry(1n, undefined, [uvLayer]),
      model(2n),
      ['Material', [3n, 'Oak\0\x01Material', ''], [properties(property('DiffuseColor', ...color))]],
      ...(texture.length > 0 ? [['Texture', [4n, 'Wood\0\x01Texture', ''], texture] satisfies FbxNode] : []),
      ...(video ? [['Video', [5n, 'Wood\0\x01Video', 'Clip'], video] satisfies FbxNode] : []),
    ],
    links: video ? [...links, link(5n, 4n)] : links,
  })
}

test('an FBX has its colour, its picture beside it by a relative name or the last part of another, and its embedded one', async () => {
  const png = await pngOf(5, 3)
  const brown = [{ color: [0.5, 0.25, 0], picture: null }]
  const pictured = [{ color: white, picture: [5, 3] }]
  for (const write of [toBinaryFbx, toTextFbx]) {
    const read = (nodes: FbxNode[]) => lookIn({ 'box.fbx': write(nodes), 'tex/wood.png': png, 'wood.png': png }, 'box.fbx')
    expect(await read(fbx({}))).toEqual(brown)
    expect(await read(fbx({ texture: [['RelativeFilename', ['tex\\wood.png']]] }))).toEqual(pictured)
    expect(await read(fbx({ texture: [['RelativeFilename', ['..\\other\\wood.png']]] }))).toEqual(pictured)
    expect(await read(fbx({ texture: [['FileName', ['D:\\work\\wood.png']]] }))).toEqual(pictured)
    expect(await read(fbx({ texture: [['RelativeFilename', ['gone.png']]] }))).toEqual([{ color: plain, picture: null }])
  }
  const embedded = (content: Uint8Array) =>
    lookIn(
      { 'box.fbx': toBinaryFbx(fbx({ texture: [['RelativeFilename', ['gone.png']]], video: [['Content', [content]]] })) },
      'box.fbx',
    )
  expect(await embedded(png)).toEqual(pictured)
  expect(await embedded(png.subarray(0, 40))).toEqual([{ color: plain, picture: null }])
  expect(await embedded(Buffer.alloc(0))).toEqual([{ color: plain, picture: null }])
})

test.runIf(fixtureFolder)('real files keep what their makers gave them, also on the turntable', async () => {
  const real = (path: string) => join(fixtureFolder ?? '', 'source', path)
  for (const box of ['gltf/BoxTextured.glb', 'gltf/BoxTextured-glTF/BoxTextured.gltf'])
    expect(await lookOf(real(box))).toEqual([{ color: white, picture: [211, 211] }])
  expect((await lookOf(real('gltf/controller-oculus-go.glb'))).map(({ picture }) => picture)).toEqual(Array(3).fill([1024, 1024]))
  expect((await lookOf(real('fbx/cubes_with_names.fbx'))).map(({ color }) => color)).toEqual([
    [0, 1, 0],
    [1, 0, 0],
  ])
  const turned = await readSubject({ path: real('fbx/cubes_with_names.fbx') })
  expect(turned).toMatchObject({ kind: 'mesh', looks: [{ color: [0, 1, 0, 1] }, { color: [1, 0, 0, 1] }] })
})
