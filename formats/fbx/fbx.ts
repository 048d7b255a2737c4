// FBX, binary and text, versions 6 and 7: what a scene says of itself. A reader of our own: the kept ones build the whole
// scene in memory, decompress without a bound, or need a browser.

import { FileWindow, type WholeFile } from '../file-window.ts'
import { FormatError } from '../format-error.ts'
import { binaryFbxVersion, readBinaryRecords } from './binary.ts'
import { type Box, type FbxMesh, readMeshes } from './meshes.ts'
import { FbxTransforms } from './placement.ts'
import { child, children, type FbxRecord, lastNumber, lastText, propertiesOf, type RecordFilter } from './records.ts'
import { readTextRecords, textFbxVersion } from './text.ts'

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
  ...['UnitScaleFactor', 'LocalStart', 'LocalStop', 'RotationActive', 'RotationOrder', 'RotationPivot', 'RotationOffset'],
  ...['Lcl Translation', 'Lcl Rotation', 'Lcl Scaling', 'PreRotation', 'PostRotation', 'ScalingPivot', 'ScalingOffset'],
  ...['GeometricTranslation', 'GeometricRotation', 'GeometricScaling'],
  ...['Original|ApplicationName', 'Original|ApplicationVendor', 'Original|ApplicationVersion'],
])
const withProperties: RecordFilter = { Properties70: { P: properties }, Properties60: { Property: properties } }
const mesh: RecordFilter = { Vertices: 'numbers', PolygonVertexIndex: 'numbers' }
const stamp: RecordFilter = { Year: {}, Month: {}, Day: {}, Hour: {}, Minute: {}, Second: {} }
/** Of a beginning only the first three are read. FBX 6 keeps meshes in models, settings and scene among the objects. */
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
} satisfies RecordFilter

/** Some two seconds of reading. A larger text is described from its beginning; binary files of any size are read. */
const maxTextBytes = 64 * 1024 * 1024
const knownVersions = { min: 6000, max: 7999 }
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
  const { encoding, version, isWhole, root } = readScene(file, bytes.length)
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
    ...(isWhole ? { ...countObjects(root), ...(await meshFacts(file, root)) } : unknown),
  }
}

const unknown = {
  ...{ geometries: null, controlPoints: null, polygons: null, triangles: null, materials: null, models: null },
  ...{ limbNodes: null, animationStacks: null, animationSeconds: null, lods: null, hasCollision: false },
  ...{ boundsGeometrySpace: null, boundsInScene: null },
}

type Scene = Pick<FbxFacts, 'encoding' | 'version'> & { isWhole: boolean; root: FbxRecord }

function readScene(file: FileWindow, headBytes: number): Scene {
  const asRoot = (records: FbxRecord[]): FbxRecord => ({ name: '', values: [], children: records, numbers: null })
  const binary = binaryFbxVersion(file)
  if (binary !== null) {
    refuseUnknown(binary)
    return { encoding: 'binary', version: binary, isWhole: true, root: asRoot(readBinaryRecords(file, binary, recordFilter)) }
  }
  const stated = textFbxVersion(file)
  if (stated === null) throw new FormatError('not-this-format', 'This is not an FBX file.')
  const isWhole = file.reachBytes === file.sizeBytes && file.sizeBytes <= maxTextBytes
  const { FBXHeaderExtension, Creator, GlobalSettings } = recordFilter
  const inBeginning = { FBXHeaderExtension, Creator, GlobalSettings }
  const end = isWhole ? file.sizeBytes : Math.min(headBytes, file.reachBytes)
  const root = asRoot(readTextRecords(file, end, isWhole ? recordFilter : inBeginning))
  const version = lastNumber(child(child(root, 'FBXHeaderExtension'), 'FBXVersion')) ?? stated
  refuseUnknown(version)
  return { encoding: 'ascii', version, isWhole, root }
}

function refuseUnknown(version: number): void {
  if (version >= knownVersions.min && version <= knownVersions.max) return
  throw new FormatError('unsupported', `The FBX file is of version ${version}; versions 6000 to 7999 can be read.`)
}

function createdAt(record: FbxRecord | undefined): string | null {
  const [year, ...rest] = ['Year', 'Month', 'Day', 'Hour', 'Minute', 'Second'].map((part) => lastNumber(child(record, part)))
  if (year === undefined || rest.includes(undefined)) return null
  const [month, day, hour, minute, second] = rest.map((part) => String(part).padStart(2, '0'))
  return `${String(year).padStart(4, '0')}-${month}-${day}T${hour}:${minute}:${second}`
}

/** FBX 7 names objects by a number and has their kind last; FBX 6 names them by their names. */
const keyOf = (record: FbxRecord): string => String(record.values[0])
const kindOf = (record: FbxRecord): string => lastText(record)

function countObjects(root: FbxRecord) {
  const objects = child(root, 'Objects')
  const models = children(objects, 'Model')
  return {
    materials: children(objects, 'Material').length,
    models: models.length,
    limbNodes: models.filter((model) => kindOf(model) === 'LimbNode' || kindOf(model) === 'Limb').length,
    animationStacks: children(objects, 'AnimationStack').length,
    animationSeconds: animationSeconds(root),
    lods: mostLods(root, models),
    hasCollision: models.some(({ values }) =>
      values.slice(0, 2).some((name) => /^(?:Model::)?U(?:CX|BX|SP|CP)_/i.test(String(name))),
    ),
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

type Link = { below: string; above: string }

/** What hangs below what, as pairs of keys. */
function links(root: FbxRecord): Link[] {
  const connections = child(root, 'Connections')
  const all = [...children(connections, 'C'), ...children(connections, 'Connect')]
  return all.flatMap(({ values: [kind, below, above] }) =>
    kind === 'OO' ? [{ below: String(below), above: String(above) }] : [],
  )
}

function mostLods(root: FbxRecord, models: FbxRecord[]): number | null {
  const groups = new Map(models.filter((model) => /^LodGroup$/i.test(kindOf(model))).map((model) => [keyOf(model), 0]))
  if (groups.size === 0) return null
  const keys = new Set(models.map(keyOf))
  for (const { below, above } of links(root))
    if (keys.has(below) && groups.has(above)) groups.set(above, (groups.get(above) ?? 0) + 1)
  return [...groups.values()].reduce((most, levels) => Math.max(most, levels), 0)
}

async function meshFacts(file: FileWindow, root: FbxRecord) {
  const objects = child(root, 'Objects')
  const meshes = placeMeshes(root, [...children(objects, 'Geometry'), ...children(objects, 'Model')].filter(isMesh))
  const { stored, shown, ...counts } = await readMeshes(file, meshes)
  return { geometries: meshes.length, ...counts, boundsGeometrySpace: stored, boundsInScene: shown }
}

/** Shapes that a mesh can take on (blend shapes) have vertices, but no polygons. */
const isMesh = (record: FbxRecord): boolean => child(record, 'PolygonVertexIndex') !== undefined

function placeMeshes(root: FbxRecord, records: FbxRecord[]): FbxMesh[] {
  const models = new Map(children(child(root, 'Objects'), 'Model').map((model) => [keyOf(model), model]))
  const parents = new Map<string, string>()
  const owners = new Map<string, string[]>(
    records.map((record) => [keyOf(record), record.name === 'Model' ? [keyOf(record)] : []]),
  )
  for (const { below, above } of links(root)) {
    if (!models.has(above)) continue
    if (models.has(below)) parents.set(below, above)
    else owners.get(below)?.push(above)
  }
  const transforms = new FbxTransforms(models, parents)
  return records.map((record) => ({
    vertices: child(record, 'Vertices')?.numbers ?? null,
    corners: child(record, 'PolygonVertexIndex')?.numbers ?? null,
    transforms: (owners.get(keyOf(record)) ?? []).map((model) => transforms.transformOfMesh(model)),
  }))
}
