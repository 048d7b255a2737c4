// The scene of an FBX file, binary or text: its records, and which mesh stands in which model with which materials.
import type { FileWindow } from '../file-window.ts'
import { FormatError } from '../format-error.ts'
import type { Transform } from '../source/transform.ts'
import { binaryFbxVersion, readBinaryRecords } from './binary.ts'
import { FbxTransforms } from './placement.ts'
import { child, children, type FbxRecord, lastNumber, lastText, type RecordFilter } from './records.ts'
import { readTextRecords, textFbxVersion } from './text.ts'

export type FbxScene = {
  encoding: 'binary' | 'ascii'
  /** 7400 is FBX 7.4. */
  version: number
  /** False for a text of which only the beginning was read. */
  isWhole: boolean
  root: FbxRecord
}

/** Some two seconds of reading. A larger text is described from its beginning; binary files of any size are read. */
const maxTextBytes = 64 * 1024 * 1024
const knownVersions = { min: 6000, max: 7999 }
/** What tells of the file as a whole, and stands first. */
const inBeginning = ['FBXHeaderExtension', 'Creator', 'GlobalSettings']

/**
 * The records that pass `filter`; of a text that is too large or not at hand beyond its first `headBytes`, those in its beginning.
 * Throws FormatError `not-this-format`, `unsupported`, `truncated`, `damaged` or `too-large`.
 */
export function readScene(file: FileWindow, headBytes: number, filter: Record<string, RecordFilter>): FbxScene {
  const asRoot = (records: FbxRecord[]): FbxRecord => ({ name: '', values: [], children: records, numbers: null })
  const binary = binaryFbxVersion(file)
  if (binary !== null) {
    refuseUnknown(binary)
    return { encoding: 'binary', version: binary, isWhole: true, root: asRoot(readBinaryRecords(file, binary, filter)) }
  }
  const stated = textFbxVersion(file)
  if (stated === null) throw new FormatError('not-this-format', 'This is not an FBX file.')
  const isWhole = file.reachBytes === file.sizeBytes && file.sizeBytes <= maxTextBytes
  const filterOfBeginning = Object.fromEntries(Object.entries(filter).filter(([name]) => inBeginning.includes(name)))
  const end = isWhole ? file.sizeBytes : Math.min(headBytes, file.reachBytes)
  const root = asRoot(readTextRecords(file, end, isWhole ? filter : filterOfBeginning))
  const version = lastNumber(child(child(root, 'FBXHeaderExtension'), 'FBXVersion')) ?? stated
  refuseUnknown(version)
  return { encoding: 'ascii', version, isWhole, root }
}

function refuseUnknown(version: number): void {
  if (version >= knownVersions.min && version <= knownVersions.max) return
  throw new FormatError('unsupported', `The FBX file is of version ${version}; versions 6000 to 7999 can be read.`)
}

/** FBX 7 names objects by a number and has their kind last; FBX 6 names them by their names. */
const keyOf = (record: FbxRecord): string => String(record.values[0])
export const kindOf = (record: FbxRecord): string => lastText(record)

/** `Oak` of `Oak\0\x01Material`, as binary files write it, and of `Material::Oak`, as texts do. FBX 7 has a number before it. */
export function nameOf({ values }: FbxRecord): string {
  const full = String(values[values.length >= 3 ? 1 : 0] ?? '')
  const [name = ''] = full.split('\0\x01')
  return name.replace(/^\w+::/, '')
}

/** Whether a model is named as Unreal's importer takes collision shapes. */
export function isCollision(model: FbxRecord): boolean {
  return model.values.slice(0, 2).some((name) => /^(?:Model::)?U(?:CX|BX|SP|CP)_/i.test(String(name)))
}

/** Shapes that a mesh can take on (blend shapes) have vertices, but no polygons. */
const isMesh = (record: FbxRecord): boolean => child(record, 'PolygonVertexIndex') !== undefined
const isLodGroup = (model: FbxRecord): boolean => /^LodGroup$/i.test(kindOf(model))

type Link = { below: string; above: string }

/** What hangs below what. */
export class FbxGraph {
  /** Every mesh that the file stores, shown or not. */
  readonly meshes: FbxRecord[]
  readonly #models: ReadonlyMap<string, FbxRecord>
  readonly #materials: ReadonlyMap<string, FbxRecord>
  readonly #transforms: FbxTransforms
  readonly #owners: Map<string, string[]>
  readonly #materialsOfModels = new Map<string, string[]>()
  readonly #namesOfMaterials = new Map<string, readonly string[]>()
  readonly #levels = new Map<string, string[]>()

  constructor(root: FbxRecord) {
    const objects = child(root, 'Objects')
    const byKey = (records: FbxRecord[]) => new Map(records.map((record) => [keyOf(record), record]))
    this.meshes = [...children(objects, 'Geometry'), ...children(objects, 'Model')].filter(isMesh)
    this.#models = byKey(children(objects, 'Model'))
    this.#materials = byKey(children(objects, 'Material'))
    this.#owners = new Map(this.meshes.map((record) => [keyOf(record), record.name === 'Model' ? [keyOf(record)] : []]))
    const parents = new Map<string, string>()
    for (const { below, above } of links(root)) {
      const model = this.#models.get(above)
      if (model === undefined) continue
      if (this.#models.has(below)) {
        parents.set(below, above)
        if (isLodGroup(model)) append(this.#levels, above, below)
      } else if (this.#materials.has(below)) append(this.#materialsOfModels, above, below)
      else this.#owners.get(below)?.push(above)
    }
    this.#transforms = new FbxTransforms(this.#models, parents)
  }

  /** The models that show a mesh, by the keys that the other questions take. */
  modelsOf(mesh: FbxRecord): string[] {
    return this.#owners.get(keyOf(mesh)) ?? []
  }

  /** What brings a mesh to where a model shows it; null below too many models, or in a circle. */
  transformOfMesh(model: string): Transform | null {
    return this.#transforms.transformOfMesh(model)
  }

  /** The names of a model's materials, in the order in which its mesh counts them. */
  materialsOf(model: string): readonly string[] {
    const known = this.#namesOfMaterials.get(model)
    if (known !== undefined) return known
    const names = (this.#materialsOfModels.get(model) ?? []).map((key) => {
      const material = this.#materials.get(key)
      return material ? nameOf(material) : ''
    })
    this.#namesOfMaterials.set(model, names)
    return names
  }

  /** Models that a game does not show beside the others: collision shapes, and all levels of detail but the finest. */
  hiddenModels(): Set<string> {
    const hidden = [...this.#levels.values()].flatMap((levels) => levels.slice(1))
    for (const [key, model] of this.#models) if (isCollision(model)) hidden.push(key)
    return new Set(hidden)
  }

  /** Levels of detail of the model that has most; null without groups of them. */
  mostLevels(): number | null {
    if (![...this.#models.values()].some(isLodGroup)) return null
    return [...this.#levels.values()].reduce((most, { length }) => Math.max(most, length), 0)
  }
}

function append(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}

/** Pairs of keys. */
function links(root: FbxRecord): Link[] {
  const connections = child(root, 'Connections')
  const all = [...children(connections, 'C'), ...children(connections, 'Connect')]
  return all.flatMap(({ values: [kind, below, above] }) =>
    kind === 'OO' ? [{ below: String(below), above: String(above) }] : [],
  )
}
