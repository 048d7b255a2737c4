/** Reads the package headers of newly uploaded files and holds the manifest against them (spec 4.9; contract-gaps 5). */
import pLimit from 'p-limit'
import { validationError } from '../../../contract/errors.ts'
import { isLevelPart } from '../../../contract/level-parts.ts'
import type { ManifestItem } from '../../../contract/push.ts'
import { FormatError } from '../../../formats/format-error.ts'
import { firstReadBytes, headerSize, isPackage } from '../../../formats/uasset/uasset.ts'
import { largestActor, readActor } from '../../../formats/uasset-data/actor.ts'
import { blobKey, type Storage } from '../../storage/storage.ts'
import { lookInThread } from './header-thread.ts'
import { type Look, lookInto, type PackageHeader, saidOf, unreadable } from './look.ts'

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

/** The longest header that is read where everything happens, in bytes: it takes some milliseconds. */
const mostHere = 256 * 1024

/** Fails with VALIDATION naming every item whose header is damaged or contradicts the manifest. Files of another size are not read. */
export async function readUploads(storage: Storage, workspaceId: number, items: Numbered[]): Promise<Uploads> {
  const uploads: Uploads = { sizes: new Map(), headers: new Map() }
  const begin = async ({ item }: Numbered): Promise<Look | Large | undefined> => {
    const key = blobKey(workspaceId, item.content_hash)
    const beginning = await storage.beginning(key, firstReadBytes)
    if (!beginning) return undefined
    uploads.sizes.set(item.content_hash, beginning.size)
    if (beginning.size !== item.blob_size) return undefined
    const whole = (size: number) => storage.read(key, 0, size)
    const look = await lookHere(beginning.bytes, { item, whole })
    return isLarge(look) || !look.header ? look : withLabel(look, beginning.bytes, { item, whole })
  }
  const begun = await reading.map(items, begin)
  const looks: (Look | undefined)[] = []
  // They wait for their turn here, where they keep no small ones of others waiting.
  for (const one of begun) looks.push(isLarge(one) ? await one.inThread() : one)
  const failures = items.flatMap(({ index }, at) =>
    (looks[at]?.wrong ?? []).map(({ field, message }) => ({
      path: field === undefined ? `items.${index}` : `items.${index}.${field}`,
      message,
    })),
  )
  if (failures.length > 0) throw validationError(failures)
  for (const [at, { item }] of items.entries()) {
    const header = looks[at]?.header
    if (header) uploads.headers.set(item.content_hash, header)
  }
  return uploads
}

/** Of a package whose header is read in a thread. */
interface Large {
  inThread(): Promise<Look>
}

const isLarge = (one: Look | Large | undefined): one is Large => one !== undefined && 'inThread' in one

async function lookHere(
  beginning: Buffer,
  { item, whole }: { item: ManifestItem; whole: (size: number) => Promise<Buffer> },
): Promise<Look | Large> {
  if (!isPackage(beginning)) return { wrong: [] }
  const size = sizeOrLook(beginning, item)
  if (typeof size !== 'number') return size
  if (size > mostHere) return { inThread: () => lookInThread(() => whole(size), saidOf(item)) }
  return lookInto(size > beginning.length ? await whole(size) : beginning, item)
}

/** Of a part of a level: with what people call it, which stands behind the header. A file that cannot be read to there has no label. */
async function withLabel(
  look: Look,
  beginning: Buffer,
  { item, whole }: { item: ManifestItem; whole: (size: number) => Promise<Buffer> },
): Promise<Look> {
  const { origin_path: path, blob_size: size } = item
  if (!look.header || !path || !isLevelPart(path) || size > largestActor) return look
  const bytes = size > beginning.length ? await whole(size) : beginning
  try {
    const label = readActor(bytes, { stem: path.slice(path.lastIndexOf('/') + 1) })?.label
    return label ? { ...look, header: { ...look.header, label: withoutNull(label) } } : look
  } catch (error) {
    if (error instanceof FormatError) return look
    throw error
  }
}

/** The database takes no text with one. */
const withoutNull = (text: string): string => text.replaceAll('\0', '')

function sizeOrLook(beginning: Buffer, item: ManifestItem): number | Look {
  try {
    return headerSize(beginning)
  } catch (error) {
    return unreadable(error, item)
  }
}
