// FBX scenes for tests: one square of four corners in a model, and whatever else a test adds.
import type { FbxNode, FbxWritable } from '../../sample/fbx.ts'

export const property = (name: string, ...values: FbxWritable[]): FbxNode => ['P', [name, '', '', '', ...values]]
export const properties = (...list: FbxNode[]): FbxNode => ['Properties70', [], list]

const square = {
  vertices: Float64Array.from([0, 0, 0, 2, 0, 0, 2, 1, 0, 0, 1, 0]),
  corners: Int32Array.from([0, 1, 2, ~3]),
}

/** `layers` are what it says of its corners beside where they lie. */
export function geometry(id: bigint, { vertices, corners } = square, layers: FbxNode[] = []): FbxNode {
  const children: FbxNode[] = [['Vertices', [vertices]], ['PolygonVertexIndex', [corners]], ...layers]
  return ['Geometry', [id, 'Square\0\x01Geometry', 'Mesh'], children]
}

export function model(id: bigint, { name = 'Square', kind = 'Mesh', placed = [] as FbxNode[] } = {}): FbxNode {
  return ['Model', [id, `${name}\0\x01Model`, kind], [properties(...placed)]]
}

export const link = (below: bigint, above: bigint): FbxNode => ['C', ['OO', below, above]]

type Given = { objects?: FbxNode[]; links?: FbxNode[]; unit?: number; more?: FbxNode[] }

export function scene({
  objects = [geometry(1n), model(2n)],
  links = [link(1n, 2n), link(2n, 0n)],
  unit = 1,
  more = [],
}: Given = {}) {
  const about = properties(
    property('Original|ApplicationName', 'Maker "X"'),
    property('Original|ApplicationVendor', 'Makers'),
    property('Original|ApplicationVersion', '2'),
  )
  const stamp = ['Year', 'Month', 'Day', 'Hour', 'Minute', 'Second'].map(
    (part, at): FbxNode => [part, [{ int: [2024, 2, 3, 4, 5, 6][at] ?? 0 }]],
  )
  const header: FbxNode[] = [
    ['CreationTimeStamp', [], stamp],
    ['Creator', ['A library']],
    ['SceneInfo', ['GlobalInfo\0\x01SceneInfo', 'UserData'], [about]],
  ]
  const nodes: FbxNode[] = [
    ['FBXHeaderExtension', [], header],
    ['GlobalSettings', [], [properties(property('UnitScaleFactor', unit))]],
    ['Objects', [], objects],
    ['Connections', [], links],
    ...more,
  ]
  return nodes
}

/** As programs wrote it before FBX 7: meshes in models, objects by their names, numbers one by one. */
export const oldText = `; FBX 6.1.0 project file
FBXHeaderExtension:  {
	FBXVersion: 6100
	Creator: "FBX SDK/FBX Plugins build 20070228"
}
Objects:  {
	Model: "Model::Bone", "Limb" {
		Properties60:  {
			Property: "Lcl Translation", "Lcl Translation", "A+",0,0,5
		}
	}
	Model: "Model::Square", "Mesh" {
		Properties60:  {
			Property: "Lcl Scaling", "Lcl Scaling", "A+",10,10,10
		}
		Vertices: 0,0,0,2,0,0
		,2,1,0,0,1,0
		PolygonVertexIndex: 0,1,2,-4
		Shading: T
		Culling: "CullingOff"
	}
	Material: "Material::Oak", "" {
	}
	GlobalSettings:  {
		Properties60:  {
			Property: "UnitScaleFactor", "double", "",2.54
		}
	}
}
Connections:  {
	Connect: "OO", "Model::Square", "Model::Bone"
	Connect: "OO", "Material::Oak", "Model::Square"
}
Takes:  {
	Take: "Walk" {
		LocalTime: 46186158000,138558474000
		Model: "Model::Bone" {
		}
	}
}
`

/** The same square as a binary file of version 6.1. */
export function oldScene(): FbxNode[] {
  const children: FbxNode[] = [
    ['Vertices', [...square.vertices]],
    ['PolygonVertexIndex', [...square.corners].map((int) => ({ int }))],
  ]
  return [['Objects', [], [['Model', ['Square\0\x01Model', 'Mesh'], children]]]]
}
