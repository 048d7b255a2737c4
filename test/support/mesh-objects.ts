// Objects of meshes in a package, for tests: layouts of which no real package is at hand, and what is wrong in them.
import { customVersion } from '../../formats/uasset/custom-versions.ts'
import { readerOf, readHeader } from '../../formats/uasset/header.ts'
import { readOpening, readPreamble } from '../../formats/uasset/summary.ts'
import { ObjectReader, OpenPackage } from '../../formats/uasset-data/package.ts'
import { writePackage } from '../../sample/package.ts'
import { PackageBytes } from '../../sample/package-bytes.ts'

const words = [
  ...['SourceModels', 'StaticMaterials', 'BuildSettings', 'BuildScale3D', 'StaticMeshDescriptionBulkData', 'MaterialInterface'],
  ...['MaterialSlotName', 'ImportedMaterialSlotName', 'Frame', 'Wood', 'root', 'StaticMeshSourceModel', 'StaticMaterial'],
  ...['MeshBuildSettings', 'ArrayProperty', 'StructProperty', 'ObjectProperty', 'NameProperty', 'Vector', 'Materials'],
]

export type Versions = Partial<Record<keyof typeof customVersion, number>>

/** A package whose objects are given as bytes; object n has the index n - 1. */
export class PackageOfObjects extends OpenPackage {
  readonly objects: Uint8Array[] = []

  override object(index: number): ObjectReader {
    return new ObjectReader(this.objects[index] ?? new Uint8Array(0), this, 'object SM_Door')
  }

  /** Collects bytes in which names are those of this package. */
  write(): ObjectBytes {
    return new ObjectBytes(this)
  }
}

/** Of 4.22, with the versions that are asked for and none beside them. It imports `/Game/M_Oak`. */
export async function packageOfObjects(versions: Versions, moreWords: readonly string[] = []): Promise<PackageOfObjects> {
  const spec = { packageName: '/Game/SM_Door', assetClass: 'StaticMesh', engine: '4.22.3', imports: ['/Game/M_Oak'] }
  const bytes = await writePackage({ ...spec, softReferences: [...words, ...moreWords] })
  const reader = readerOf(bytes)
  const { reader: header, summary } = readHeader(bytes, readPreamble(reader, readOpening(reader)), bytes.length)
  const parts = Object.entries(versions) as [keyof typeof customVersion, number][]
  const customVersions = new Map(parts.map(([part, version]) => [customVersion[part] as string, version]))
  return new PackageOfObjects(bytes, { reader: header, summary: { ...summary, customVersions } })
}

/** Properties in the form of packages before 5.4. */
export class ObjectBytes extends PackageBytes {
  readonly #from: PackageOfObjects

  constructor(from: PackageOfObjects) {
    super(false)
    this.#from = from
  }

  u8(...values: number[]): this {
    return this.raw(Uint8Array.from(values))
  }

  f32(...values: number[]): this {
    return this.raw(Buffer.from(Float32Array.from(values).buffer))
  }

  name(text: string): this {
    const { names } = this.#from
    for (let index = 0; index < names.count; index++) if (names.entry(index) === text) return this.i32(index, 0)
    throw new Error(`The package has no name ${text}.`)
  }

  struct(name: string, type: string, value: Uint8Array): this {
    this.#tag(name, 'StructProperty', value.length).name(type).raw(Buffer.alloc(16))
    return this.u8(0).raw(value)
  }

  object(name: string, reference: number): this {
    return this.#tag(name, 'ObjectProperty', 4).u8(0).i32(reference)
  }

  text(name: string, value: string): this {
    return this.#tag(name, 'NameProperty', 8).u8(0).name(value)
  }

  structs(name: string, type: string, values: readonly Uint8Array[]): this {
    const size = values.reduce((sum, value) => sum + value.length, 0)
    const inner = this.#from.write().#tag(name, 'StructProperty', size).name(type).raw(Buffer.alloc(17)).toBuffer()
    this.#tag(name, 'ArrayProperty', 4 + inner.length + size)
      .name('StructProperty')
      .u8(0)
    return this.i32(values.length).raw(inner).raw(Buffer.concat(values))
  }

  /** What ends the properties, and an object without a lazy guid. */
  end(): this {
    return this.name('None').i32(0)
  }

  /** Bulk data whose payload follows at once, uncompressed. */
  bulk(payload: Uint8Array): this {
    return this.u32(0).i32(payload.length, payload.length).i64(0).raw(payload)
  }

  #tag(name: string, type: string, size: number): this {
    return this.name(name).name(type).i32(size, 0)
  }
}
