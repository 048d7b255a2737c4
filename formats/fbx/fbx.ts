// FBX, binary and text, versions 6 and 7: what a scene says of itself. A reader of our own: the kept ones build the whole
// scene in memory, decompress without a bound, or need a browser.

import { FileWindow, type WholeFile } from '../file-window.ts'
import { type Box, type FbxMesh, readMeshes } from './meshes.ts'
import { placementProperties } from './placement.ts'
import { child, children, type FbxRecord, lastNumber, lastText, propertiesOf, type RecordFilter } from './records.ts'
import { FbxGraph, isCollision, kindOf, readScene } from './scene.ts'

export type FbxFacts = {
  format: 'fbx'
  encoding: 'binary' | 'ascii'
  /** 7400 is FBX 7.4. */
  version: number
  /** The library that wrote it. */
  creator: string
  /** Local time of the one who wrote it, without zone; null where it is not told. */
  created: string | null
  /** The program that used the library; empty where it is not told. */
  applicationName: string
  applicationVendor: string
  applicationVersion: string
  /** Centimetres per unit. */
  unitScaleFactor: number
  /** Null from here on: the file is too large to be read as a whole, or is not at hand. */
  geometries: number | null
  controlPoints: number | null
  polygons: number | null
  triangles: number | null
  materials: number | null
  models: number | null
  /** Bones. */
  limbNodes: number | null
  animationStacks: number | null
  /** The longest animation, in seconds; null without one. */
  animationSeconds: number | null
  /** Levels of detail of the model that has most; null without groups of them. */
  lods: number | null
  /** Whether models are named as Unreal's importer takes collision shapes: UCX_, UBX_, USP_, UCP_. */
  hasCollision: boolean
  /** Around the vertices as stored, in the file's units; null without any, or where there is too much to measure. */
  boundsGeometrySpace: Box | null
  /** Around the scene, in the file's units and axes. */
  boundsInScene: Box | null
}

const properties = new Set([
  ...placementProperties,
  ...['UnitScaleFactor', 'LocalStart', 'LocalStop'],
  ...['Original|ApplicationName', 'Original|ApplicationVendor', 'Original|ApplicationVersion'],
])
const withProperties: RecordFilter = { Properties70: { P: properties }, Properties60: { Property: properties } }
const mesh: RecordFilter = { Vertices: 'numbers', PolygonVertexIndex: 'numbers' }
const stamp: RecordFilter = { Year: {}, Month: {}, Day: {}, Hour: {}, Minute: {}, Second: {} }
/** FBX 6 keeps meshes in models, settings and scene among the objects. */
const recordFilter = {
  FBXHeaderExtension: { FBXVersion: {}, Creator: {}, CreationTimeStamp: stamp, SceneInfo: withProperties },
  Creator: {},
  GlobalSettings: withProperties,
  Objects: {
    Geometry: mesh,
    Model: { ...mesh, ...withProperties },
    Material: {},
    AnimationStack: withProperties,
    AnimationCurve: {},
    GlobalSettings: withProperties,
    SceneInfo: withProperties,
  },
  Connections: { C: {}, Connect: {} },
  Takes: { Take: { LocalTime: {}, Model: {} } },
}

/** Units of FBX time in a second. */
const ticksPerSecond = 46_186_158_000
/** Four months: what is longer stands for endless, and is none. */
const maxSeconds = 1e7

/**
 * What an FBX file says of itself. `bytes` may be its beginning; the rest is asked for by `whole.readAt`.
 * Throws FormatError `not-this-format`, `unsupported` (a version that is not known), `truncated`, `damaged` or `too-large`.
 */
export async function readFbx(bytes: Uint8Array, whole: WholeFile = { sizeBytes: bytes.length }): Promise<FbxFacts> {
  const file = new FileWindow(bytes, whole, 'FBX file')
  const { encoding, version, isWhole, root } = readScene(file, bytes.length, recordFilter)
  const header = child(root, 'FBXHeaderExtension')
  const objects = child(root, 'Objects')
  const settings = propertiesOf(child(root, 'GlobalSettings') ?? child(objects, 'GlobalSettings'))
  const scene = propertiesOf(child(header, 'SceneInfo') ?? child(objects, 'SceneInfo'))
  return {
    format: 'fbx',
    encoding,
    version,
    creator: lastText(child(header, 'Creator') ?? child(root, 'Creator')),
    created: createdAt(child(header, 'CreationTimeStamp')),
    applicationName: lastText(scene.get('Original|ApplicationName')),
    applicationVendor: lastText(scene.get('Original|ApplicationVendor')),
    applicationVersion: lastText(scene.get('Original|ApplicationVersion')),
    unitScaleFactor: lastNumber(settings.get('UnitScaleFactor')) ?? 1,
    ...(isWhole ? { ...countObjects(root), ...(await meshFacts(file, new FbxGraph(root))) } : unknown),
  }
}

const unknown = {
  ...{ geometries: null, controlPoints: null, polygons: null, triangles: null, materials: null, models: null },
  ...{ limbNodes: null, animationStacks: null, animationSeconds: null, lods: null, hasCollision: false },
  ...{ boundsGeometrySpace: null, boundsInScene: null },
}

function createdAt(record: FbxRecord | undefined): string | null {
  const [year, ...rest] = ['Year', 'Month', 'Day', 'Hour', 'Minute', 'Second'].map((part) => lastNumber(child(record, part)))
  if (year === undefined || rest.includes(undefined)) return null
  const [month, day, hour, minute, second] = rest.map((part) => String(part).padStart(2, '0'))
  return `${String(year).padStart(4, '0')}-${month}-${day}T${hour}:${minute}:${second}`
}

function countObjects(root: FbxRecord) {
  const objects = child(root, 'Objects')
  const models = children(objects, 'Model')
  return {
    materials: children(objects, 'Material').length,
    models: models.length,
    limbNodes: models.filter((model) => kindOf(model) === 'LimbNode' || kindOf(model) === 'Limb').length,
    animationStacks: children(objects, 'AnimationStack').length,
    animationSeconds: animationSeconds(root),
    hasCollision: models.some(isCollision),
  }
}

/** Every file has a time span; it is an animation's where something moves in it. */
function animationSeconds(root: FbxRecord): number | null {
  const objects = child(root, 'Objects')
  const takes = children(child(root, 'Takes'), 'Take')
  if (children(objects, 'AnimationCurve').length === 0 && !takes.some((take) => child(take, 'Model'))) return null
  const ofStacks = children(objects, 'AnimationStack').map((stack) => {
    const span = propertiesOf(stack)
    return (lastNumber(span.get('LocalStop')) ?? 0) - (lastNumber(span.get('LocalStart')) ?? 0)
  })
  const ofTakes = takes.map((take) => {
    const [start, stop] = (child(take, 'LocalTime')?.values ?? []).map(Number)
    return (stop ?? 0) - (start ?? 0)
  })
  const seconds = [...ofStacks, ...ofTakes].map((ticks) => ticks / ticksPerSecond)
  const longest = seconds.filter((length) => length > 0 && length <= maxSeconds).sort((a, b) => b - a)[0]
  return longest ?? null
}

async function meshFacts(file: FileWindow, graph: FbxGraph) {
  const meshes: FbxMesh[] = graph.meshes.map((record) => ({
    vertices: child(record, 'Vertices')?.numbers ?? null,
    corners: child(record, 'PolygonVertexIndex')?.numbers ?? null,
    transforms: graph.modelsOf(record).map((model) => graph.transformOfMesh(model)),
  }))
  const { stored, shown, ...counts } = await readMeshes(file, meshes)
  const lods = graph.mostLevels()
  return { geometries: meshes.length, lods, ...counts, boundsGeometrySpace: stored, boundsInScene: shown }
}
