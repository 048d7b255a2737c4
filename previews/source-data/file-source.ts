/** What a file was made of: the mesh, picture or sound in an Unreal package or in a source file. */
import { open } from 'node:fs/promises'
import { basename, dirname, extname, resolve, sep } from 'node:path'
import { FormatError, refuseGitLfsPointer } from '../../formats/format-error.ts'
import type { ReadBeside } from '../../formats/source/look.ts'
import { sourceLooks } from '../../formats/source-file.ts'
import { isPackage, readPackage } from '../../formats/uasset/uasset.ts'
import { readSource, type Source } from '../../formats/uasset-data/source.ts'
import { type Content, readContent } from './content.ts'
import { type FindPackage, type SlotSurface, slotSurfaces } from './materials.ts'
import { sourceSurfaces } from './source-surfaces.ts'

export interface PackageSource {
  from: 'package'
  /** `4.27`: major and minor. */
  engine: string
  /** Tags of the asset registry. */
  tags: ReadonlyMap<string, string>
  source: Source
}

export interface SourceFileSource {
  from: 'source file'
  class: string
  content: Content
  /** Of a mesh, by slot, read when they are asked for. Throws nothing of the file's: a mesh without colours is shown all the same. */
  surfaces: () => Promise<Surfaces>
}

type Surfaces = (SlotSurface | undefined)[]

export type FileSource = PackageSource | SourceFileSource

/** Larger ones are no single prop. */
const maxFileBytes = 2 * 1024 ** 3

/**
 * Reads a whole file. Undefined for packages of a class without source data, such as a material. Throws FormatError, and what the system
 * says of the file.
 */
export const readFileSource = async (path: string): Promise<FileSource | undefined> =>
  readSourceOf(await readWhole(path), { path })

/** Where bytes lie, and what they are called where that is another name. */
export interface Place {
  path: string
  name?: string
  /** Gives files that this one names; by default those in its folder and below. */
  beside?: ReadBeside
  /** Told of each of them that is not there. */
  onMissing?: (address: string) => void
}

/** The same of bytes that were read already. */
export async function readSourceOf(bytes: Uint8Array, place: Place): Promise<FileSource | undefined> {
  const { path, name = basename(path), onMissing } = place
  const { beside = (address: string) => readBeside(path, address) } = place
  const ext = extname(name)
  refuseGitLfsPointer(bytes)
  if (isPackage(bytes)) return readPackageSource(bytes, basename(name, ext))
  const found = async (address: string) => {
    const file = await beside(address)
    if (file === undefined) onMissing?.(address)
    return file
  }
  const kind = ext.slice(1).toLowerCase()
  const { class: assetClass, content } = await readContent(kind, bytes, found)
  return { from: 'source file', class: assetClass, content, surfaces }

  async function surfaces(): Promise<Surfaces> {
    if (content.kind !== 'mesh') return []
    try {
      return await sourceSurfaces(content.mesh, await sourceLooks(kind, bytes, beside), beside)
    } catch (error) {
      if (error instanceof FormatError) return []
      throw error
    }
  }
}

/** What the slots of its mesh look like: by materials in other packages, or by what a source file says of them. None without a mesh. */
export async function surfacesOf(source: FileSource, find: FindPackage): Promise<Surfaces> {
  if (source.from === 'source file') return source.surfaces()
  return source.source.kind === 'mesh' ? slotSurfaces(source.source.mesh, find) : []
}

async function readPackageSource(bytes: Uint8Array, stem: string): Promise<PackageSource | undefined> {
  const source = await readSource(bytes, { stem })
  if (source === undefined) return undefined
  const { engineVersion, savedBy, tags } = readPackage(bytes, { stem, fileSize: bytes.length })
  return { from: 'package', engine: (engineVersion ?? savedBy?.version ?? '0.0').split('.').slice(0, 2).join('.'), tags, source }
}

export async function readWhole(path: string): Promise<Uint8Array> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    if (size > maxFileBytes) throw new FormatError('too-large', `The file has ${size} bytes, more than 2 GiB.`)
    return await file.readFile()
  } finally {
    await file.close()
  }
}

/** A file that a glTF names, in its folder or below: what a file from elsewhere names is not to be read from the rest of the disk. */
async function readBeside(path: string, address: string): Promise<Uint8Array | undefined> {
  const found = resolve(dirname(path), address)
  return found.startsWith(dirname(path) + sep) ? readWhole(found).catch(() => undefined) : undefined
}
