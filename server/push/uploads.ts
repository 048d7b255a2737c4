/** The bytes behind a push: which are looked at, how long they are, what their headers say. Bytes never change, so this needs no transaction. */
import type { ManifestItem } from '../../contract/push.ts'
import { guidKey } from '../../formats/package-guid.ts'
import type { Context } from '../handler.ts'
import { blobKey } from '../storage/storage.ts'
import type { Facts } from './facts.ts'
import { readUploads, type Uploads } from './headers/headers.ts'
import { pathKey } from './manifest.ts'
import type { DedupPlan, ItemPlan } from './plan.ts'

export const noUploads: Uploads = { sizes: new Map(), headers: new Map() }

/** The items whose bytes matter: those to be registered, and known ones of which more is said now than was checked before. */
export const itemsToInspect = (plans: readonly ItemPlan[], facts: Facts): ManifestItem[] =>
  plans.flatMap((plan) => (plan.action === 'register' || (plan.action === 'dedup' && isDoubted(plan, facts)) ? [plan.item] : []))

/** What known bytes were registered with has been held against their header; and their GUID may be unknown to the denylist. */
function isDoubted({ item, known }: DedupPlan, { deniedGuids }: Facts): boolean {
  const saysMore = (said: string | undefined, stored: string | undefined | null) => said !== undefined && said !== stored
  return (
    saysMore(item.origin_path ? pathKey(item.origin_path) : undefined, known.origin_path && pathKey(known.origin_path)) ||
    saysMore(guidKey(item.package_guid), known.package_guid) ||
    (deniedGuids.size > 0 && known.package_guid === null && known.source_ext === null)
  )
}

/**
 * `manifest`: all items, for naming; `seen`: what was looked at before and need not be again. Gives both together. What it tells
 * of is on the disk with its name: it may be referred to.
 */
export async function inspectUploads(
  { storage, workspace }: Pick<Context, 'storage' | 'workspace'>,
  manifest: readonly ManifestItem[],
  { items, seen }: { items: readonly ManifestItem[]; seen: Uploads },
): Promise<Uploads> {
  const unseen = new Set(items.filter((item) => !seen.sizes.has(item.content_hash)))
  if (unseen.size === 0) return seen
  const numbered = [...manifest.entries()].flatMap(([index, item]) => (unseen.has(item) ? { index, item } : []))
  const { sizes, headers } = await readUploads(storage, workspace.id, numbered)
  await storage.settle([...sizes.keys()].map((hash) => blobKey(workspace.id, hash)))
  return { sizes: new Map([...seen.sizes, ...sizes]), headers: new Map([...seen.headers, ...headers]) }
}

export async function sizesOf(
  { storage, workspace }: Pick<Context, 'storage' | 'workspace'>,
  items: readonly ManifestItem[],
): Promise<Map<string, number>> {
  const sizes = await storage.sizes(items.map((item) => blobKey(workspace.id, item.content_hash)))
  return new Map(items.flatMap((item, index) => (sizes[index] === undefined ? [] : [[item.content_hash, sizes[index]] as const])))
}
