// A shape as an FBX scene: one mesh with a material for every finish, in centimetres with Z up.
import { type FbxNode, type FbxWritable, toBinaryFbx } from './fbx.ts'
import type { Finish } from './finish.ts'
import { modelParts } from './model.ts'
import type { Shape } from './shape.ts'

const [geometryId, modelId, materialId] = [1000n, 2000n, 3000n]

/** A binary file of version 7.4. */
export function toFbx(shape: Shape, names: { model: string; material: (finish: Finish) => string }): Buffer {
  const parts = modelParts(shape)
  const materials = parts.map(({ finish }, at): FbxNode => {
    const [red, green, blue] = finish.color([0, 0, 0]).map((value) => Math.min(1, value))
    const color = property('DiffuseColor', ['Color', '', 'A', red ?? 0, green ?? 0, blue ?? 0])
    const name = `${names.material(finish)}\0\x01Material`
    return [
      'Material',
      [materialId + BigInt(at), name, ''],
      [
        ['ShadingModel', ['lambert']],
        ['Properties70', [], [color]],
      ],
    ]
  })
  const model: FbxNode = [
    'Model',
    [modelId, `${names.model}\0\x01Model`, 'Mesh'],
    [
      ['Version', [{ int: 232 }]],
      ['Properties70', [], [property('Lcl Scaling', ['Lcl Scaling', '', 'A', 1, 1, 1])]],
    ],
  ]
  const links = [[geometryId, modelId], [modelId, 0n], ...materials.map((_, at) => [materialId + BigInt(at), modelId])]
  return toBinaryFbx([
    header(),
    [
      'GlobalSettings',
      [],
      [
        ['Version', [{ int: 1000 }]],
        ['Properties70', [], settings()],
      ],
    ],
    [
      'Definitions',
      [],
      [
        ['Version', [{ int: 100 }]],
        ['Count', [{ int: 2 + parts.length }]],
      ],
    ],
    ['Objects', [], [mesh(names.model, parts), model, ...materials]],
    ['Connections', [], links.map((ids): FbxNode => ['C', ['OO', ...ids]])],
  ])
}

const property = (name: string, values: FbxWritable[]): FbxNode => ['P', [name, ...values]]

function header(): FbxNode {
  const app = (name: string, value: string) => property(`Original|${name}`, ['KString', '', '', value])
  const scene = [
    app('ApplicationVendor', 'Prop House'),
    app('ApplicationName', 'Prop House sample'),
    app('ApplicationVersion', '1'),
  ]
  return [
    'FBXHeaderExtension',
    [],
    [
      ['FBXHeaderVersion', [{ int: 1003 }]],
      ['FBXVersion', [{ int: 7400 }]],
      ['Creator', ['Prop House sample']],
      ['SceneInfo', ['GlobalInfo\0\x01SceneInfo', 'UserData'], [['Properties70', [], scene]]],
    ],
  ]
}

/** Z up, looking along -Y, one centimetre to the unit. */
function settings(): FbxNode[] {
  const axis = (name: string, value: number) => property(name, ['int', 'Integer', '', { int: value }])
  const up = [axis('UpAxis', 2), axis('UpAxisSign', 1), axis('FrontAxis', 1), axis('FrontAxisSign', -1)]
  return [...up, axis('CoordAxis', 0), axis('CoordAxisSign', 1), property('UnitScaleFactor', ['double', 'Number', '', 1])]
}

function mesh(name: string, parts: ReturnType<typeof modelParts>): FbxNode {
  const corners: number[] = []
  let before = 0
  for (const part of parts) {
    for (const [at, index] of part.indices.entries()) corners.push(at % 3 === 2 ? ~(before + index) : before + index)
    before += part.corners.length
  }
  const all = parts.flatMap((part) => part.corners)
  const ofPolygon = parts.flatMap(({ indices }, at) => Array.from({ length: indices.length / 3 }, () => at))
  const layer = (kind: string, children: FbxNode[]): FbxNode => [kind, [{ int: 0 }], [['Version', [{ int: 101 }]], ...children]]
  const by = (mapping: string, reference: string): FbxNode[] => [
    ['MappingInformationType', [mapping]],
    ['ReferenceInformationType', [reference]],
  ]
  const used = (kind: string): FbxNode => [
    'LayerElement',
    [],
    [
      ['Type', [kind]],
      ['TypedIndex', [{ int: 0 }]],
    ],
  ]
  const normals: FbxNode = ['Normals', [Float64Array.from(all.flatMap(({ normal }) => [...normal]))]]
  return [
    'Geometry',
    [geometryId, `${name}\0\x01Geometry`, 'Mesh'],
    [
      ['Vertices', [Float64Array.from(all.flatMap(({ at }) => [...at]))]],
      ['PolygonVertexIndex', [Int32Array.from(corners)]],
      layer('LayerElementNormal', [...by('ByVertice', 'Direct'), normals]),
      layer('LayerElementMaterial', [...by('ByPolygon', 'IndexToDirect'), ['Materials', [Int32Array.from(ofPolygon)]]]),
      ['Layer', [{ int: 0 }], [['Version', [{ int: 100 }]], used('LayerElementNormal'), used('LayerElementMaterial')]],
    ],
  ]
}
