// The source of a static mesh: what was imported, before the engine built what it draws.
import { FormatError } from '../format-error.ts'
import type { Mesh } from '../source/mesh.ts'
import { customVersion } from '../uasset/custom-versions.ts'
import type { MaterialSlot } from '../unreal-mesh/material-slots.ts'
import { readMeshDescription } from '../unreal-mesh/mesh-description.ts'
import { readRawMesh } from '../unreal-mesh/raw-mesh.ts'
import { readBulkData, readByteBulkData } from './bulk-data.ts'
import { referencedPackage } from './material-reference.ts'
import type { ObjectReader } from './package.ts'
import type { Payload } from './payload.ts'
import { type Properties, readObjectProperties } from './properties.ts'

/**
 * `encoding` is the form of the payload: a raw mesh (`raw`), a mesh description in old bulk data (`md`), or one in the editor's bulk data
 * (`md-ebd`). Positions of the mesh are scaled by `buildScale` already.
 */
export type StaticMeshSource = {
  encoding: 'raw' | 'md' | 'md-ebd'
  buildScale: [x: number, y: number, z: number]
  payloadId: string | null
  mesh: Mesh
}

type Found = { encoding: StaticMeshSource['encoding']; payload: Payload }

/** Versions of the main branch from which the payload belongs to an object of its own, and is described in the editor's form. */
const ownObjectSince = 25
const editorBulkSince = 41
/** The editor's version from which the payload is a mesh description. */
const descriptionSince = 28
/** The rendering version from which two fields are gone. */
const shorterSince = 49

/**
 * Reads LOD 0 of a static mesh from the beginning of its data; the other LODs are mostly made from it. Throws FormatError:
 * `unsupported` where there is no source in the package, `too-large`, `damaged`, `truncated`.
 */
export function readStaticMesh(object: ObjectReader): StaticMeshSource {
  const properties = readObjectProperties(object)
  const model = firstModel(object, properties)
  const { encoding, payload } = find(object, model)
  if (payload.rawSize === 0) throw noSource(object)
  const buildScale = scaleOf(object, model)
  const options = { scale: buildScale, slots: slotsOf(object, properties) }
  const versions = { main: object.version(customVersion.main), editor: object.version(customVersion.editor) }
  const mesh =
    encoding === 'raw' ? readRawMesh(payload.bytes(), options) : readMeshDescription(payload.bytes(), versions, options)
  return { encoding, buildScale, payloadId: payload.id, mesh }
}

/** The payload of LOD 0, from the beginning of a static mesh's data. Throws FormatError. */
export function staticMeshPayload(object: ObjectReader): Payload {
  return find(object, firstModel(object, readObjectProperties(object))).payload
}

function firstModel(object: ObjectReader, properties: Properties): Properties {
  const model = properties.structs('SourceModels')?.[0]
  if (model === undefined) throw noSource(object)
  return model
}

const find = (object: ObjectReader, model: Properties): Found =>
  object.version(customVersion.main) >= ownObjectSince ? ownObject(object, model) : withinObject(object)

/** The first payload behind the properties, which is that of LOD 0. */
function withinObject(object: ObjectReader): Found {
  object.skip(2) // what was stripped
  if (object.bool32()) throw new FormatError('unsupported', `The ${object.what} is cooked: its source is not in the package.`)
  object.skip(8) // body setup, navigation collision
  if (object.version(customVersion.rendering) < shorterSince) {
    object.skipString()
    object.skip(4)
  }
  object.skip(16) // lighting guid
  object.skip(4 * object.count('sockets', 4))
  if (object.version(customVersion.editor) < descriptionSince) return { encoding: 'raw', payload: readByteBulkData(object) }
  if (!object.bool32()) throw noSource(object)
  return { encoding: 'md', payload: readByteBulkData(object) }
}

function ownObject(object: ObjectReader, model: Properties): Found {
  const reference = model.object('StaticMeshDescriptionBulkData') ?? 0
  if (reference <= 0) throw noSource(object)
  const holder = object.package.object(reference - 1)
  readObjectProperties(holder)
  const encoding = holder.version(customVersion.main) >= editorBulkSince ? 'md-ebd' : 'md'
  return { encoding, payload: readBulkData(holder, editorBulkSince) }
}

function scaleOf(object: ObjectReader, model: Properties): [number, number, number] {
  const [x = 1, y = 1, z = 1] = model.struct('BuildSettings')?.tuple('BuildScale3D') ?? []
  if ([x, y, z].every(Number.isFinite)) return [x, y, z]
  throw new FormatError('damaged', `The ${object.what} is damaged: its scale is not a finite number.`)
}

function slotsOf(object: ObjectReader, properties: Properties): MaterialSlot[] {
  const material = (reference: number | undefined) => referencedPackage(object.package, reference ?? 0)
  const slots = properties.structs('StaticMaterials')?.map((slot) => ({
    name: slot.text('MaterialSlotName') ?? null,
    importedName: slot.text('ImportedMaterialSlotName') ?? null,
    material: material(slot.object('MaterialInterface')),
  }))
  // Before 4.14 slots had no names.
  return (
    slots ?? (properties.objects('Materials') ?? []).map((one) => ({ name: null, importedName: null, material: material(one) }))
  )
}

function noSource(object: ObjectReader): FormatError {
  return new FormatError('unsupported', `The ${object.what} has no source in the package.`)
}
