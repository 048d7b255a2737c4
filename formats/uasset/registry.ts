// The asset registry data of an Unreal package: what the editor's browser knows of its assets, and which needs are the editor's only.
import { FormatError } from '../format-error.ts'
import type { PackageReader } from './reader.ts'
import { hasFlag, packageFlags, type Summary } from './summary.ts'

/** A hundred times what the largest of real assets have. */
const maxTags = 10_000

/** One asset as registered; `class` without its module. */
export type RegisteredAsset = { name: string; class: string; tags: Map<string, string> }

/** `isImportUsedInGame` is null before UE4 object version 521, where the file does not say. */
export type AssetRegistry = {
  objectCount: number
  main: RegisteredAsset | undefined
  isImportUsedInGame: ((index: number) => boolean) | null
}

/**
 * Reads the registry data; undefined when the package has none. The main asset is the object named like the
 * file's stem, else the first; the others are passed over undecoded. Throws FormatError.
 */
export function readRegistry(reader: PackageReader, summary: Summary, stem: string): AssetRegistry | undefined {
  if (summary.assetRegistryOffset <= 0) return undefined
  reader.seek(summary.assetRegistryOffset)
  const hasDependencies = summary.versions.ue4 >= 521 && !hasFlag(summary.flags, packageFlags.filterEditorOnly)
  const dependenciesAt = hasDependencies ? reader.i64() : undefined
  const objectCount = reader.count('assets', 12)
  const main = readMainAsset(reader, objectCount, stem)
  // As with every offset, zero means that there is no such table.
  if (dependenciesAt === undefined || dependenciesAt <= 0) return { objectCount, main, isImportUsedInGame: null }
  if (reader.offset !== dependenciesAt) throw reader.damaged(`ends its assets, but should at ${dependenciesAt}`)
  return { objectCount, main, isImportUsedInGame: readImportUse(reader, summary.imports.count) }
}

function readMainAsset(reader: PackageReader, objectCount: number, stem: string): RegisteredAsset | undefined {
  let first: number | undefined
  let named: number | undefined
  for (let i = 0; i < objectCount; i++) {
    const start = reader.offset
    first ??= start
    if (reader.string().toLowerCase() === stem.toLowerCase()) named ??= start
    reader.skipString()
    for (let left = reader.count('tags', 8); left > 0; left--) {
      reader.skipString()
      reader.skipString()
    }
  }
  const end = reader.offset
  const main = named ?? first
  if (main === undefined) return undefined
  reader.seek(main)
  const asset = readAsset(reader)
  reader.seek(end)
  return asset
}

function readAsset(reader: PackageReader): RegisteredAsset {
  const name = reader.string()
  const classPath = reader.string()
  const tags = new Map<string, string>()
  const count = reader.count('tags', 8)
  if (count > maxTags)
    throw new FormatError('too-large', `This package has ${count} registry tags on one asset, more than this reader accepts.`)
  for (let left = count; left > 0; left--) tags.set(reader.string(), reader.string())
  return { name, class: classPath.slice(Math.max(classPath.lastIndexOf('.'), classPath.lastIndexOf('/')) + 1), tags }
}

/** A bit for each import, lowest first in words of 32; 0 means that only the editor needs it. */
function readImportUse(reader: PackageReader, imports: number): (index: number) => boolean {
  const bits = reader.i32()
  if (bits !== imports) throw reader.damaged(`marks ${bits} imports of ${imports}`)
  const words = Array.from({ length: Math.ceil(bits / 32) }, () => reader.u32())
  return (index) => (((words[index >> 5] ?? 0) >>> (index & 31)) & 1) === 1
}
