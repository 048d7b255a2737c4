/** Reads the package headers of newly uploaded files and holds the manifest against them (spec 4.9; contract-gaps 5). */
import pLimit from 'p-limit'
import { type Failure, validationError } from '../../contract/errors.ts'
import type { ManifestItem } from '../../contract/push.ts'
import { FormatError } from '../../formats/format-error.ts'
import { guidKey } from '../../formats/package-guid.ts'
import { firstReadBytes, headerSize, isPackage, type PackageFacts, readPackage } from '../../formats/uasset/uasset.ts'
import { blobKey, type Storage } from '../storage/storage.ts'
import { nameOf, pathKey } from './manifest.ts'

/** What the library keeps of a header. */
export interface PackageHeader {
  guid: string | undefined
  /** Imported packages under /Game as path keys, without itself. */
  imports: string[]
}

/** Headers by content hash; files that are no packages, or newer than the reader knows, have none. */
export type Headers = Map<string, PackageHeader>

/** What is there of the bytes behind a manifest. */
export interface Uploads {
  /** Sizes in bytes by content hash; only of what is there. */
  sizes: Map<string, number>
  headers: Headers
}

interface Numbered {
  index: number
  item: ManifestItem
}

/** Reads of one commit at once: enough to keep the disk busy, few enough to bound memory. */
const reading = pLimit(16)

/** Fails with VALIDATION naming every item whose header is damaged or contradicts the manifest. Files of another size are not read. */
export async function readUploads(storage: Storage, workspaceId: number, items: Numbered[]): Promise<Uploads> {
  const failures: Failure[] = []
  const uploads: Uploads = { sizes: new Map(), headers: new Map() }
  const readOne = async ({ index, item }: Numbered) => {
    const key = blobKey(workspaceId, item.content_hash)
    const beginning = await storage.beginning(key, firstReadBytes)
    if (!beginning) return
    uploads.sizes.set(item.content_hash, beginning.size)
    if (beginning.size !== item.blob_size) return
    try {
      const facts = await readFacts(beginning.bytes, { whole: (size) => storage.read(key, 0, size), item })
      if (!facts) return
      failures.push(...contradictions(item, facts).map(({ field, message }) => ({ path: `items.${index}.${field}`, message })))
      uploads.headers.set(item.content_hash, toHeader(item, facts))
    } catch (error) {
      if (!(error instanceof FormatError)) throw error
      failures.push({ path: `items.${index}`, message: `${nameOf(item)}: ${error.message}` })
    }
  }
  await reading.map(items, readOne)
  if (failures.length > 0) throw validationError(failures)
  return uploads
}

/** Undefined for what is no package, and for packages that the reader does not know: opaque files, not damaged ones. */
async function readFacts(
  beginning: Buffer,
  { whole, item }: { whole: (size: number) => Promise<Buffer>; item: ManifestItem },
): Promise<PackageFacts | undefined> {
  if (!isPackage(beginning)) return undefined
  try {
    const size = headerSize(beginning)
    const header = size > beginning.length ? await whole(size) : beginning
    const stem = item.origin_path?.split('/').at(-1) ?? item.asset_name ?? ''
    return readPackage(header, { stem, fileSize: item.blob_size })
  } catch (error) {
    if (error instanceof FormatError && (error.reason === 'unsupported' || error.reason === 'too-large')) return undefined
    throw error
  }
}

function contradictions(item: ManifestItem, facts: PackageFacts): { field: string; message: string }[] {
  if (!facts.complete) return []
  const found: { field: string; message: string }[] = []
  const inFile = facts.stableGuid?.value
  if (item.package_guid && guidKey(item.package_guid) !== guidKey(inFile))
    found.push({
      field: 'package_guid',
      message: `${item.package_guid} contradicts the file, which has ${inFile ?? 'no stable GUID'} (${nameOf(item)})`,
    })
  if (item.origin_path && facts.packageName && pathKey(item.origin_path) !== pathKey(facts.packageName))
    found.push({
      field: 'origin_path',
      message: `${item.origin_path} contradicts the file, which calls itself ${facts.packageName}`,
    })
  return found
}

function toHeader(item: ManifestItem, facts: PackageFacts): PackageHeader {
  const own = new Set([item.origin_path, facts.packageName].map((path) => path && pathKey(path)))
  const imports = facts.imports.filter((name) => name.startsWith('/Game/')).map(pathKey)
  return { guid: guidKey(facts.stableGuid?.value), imports: [...new Set(imports)].filter((path) => !own.has(path)) }
}
