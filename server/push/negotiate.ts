/** Negotiate: what would happen to each item, and where to send the bytes that are missing (spec 4.9). */
import type { DeletedLineage, Deletion } from '../../contract/lineages.ts'
import type { Manifest, ManifestItem, NegotiateAnswer, NegotiateItem, UploadTarget } from '../../contract/push.ts'
import { atOneMoment } from '../database/transaction.ts'
import type { Context } from '../handler.ts'
import { selectDeletions } from '../rows/former/deleted-lineages.ts'
import { findProject } from '../rows/places.ts'
import { looseAmong } from '../storage/counting/announced.ts'
import { repairRefusal, requireIngest } from '../storage/counting/stored-bytes.ts'
import { damagedAmong } from '../storage/damaged-files.ts'
import { spareOrphans } from '../storage/orphans.ts'
import { blobKey, presignedUntil } from '../storage/storage.ts'
import { type Facts, type KnownLineage, loadFacts } from './facts.ts'
import { requirePack } from './groups/packs.ts'
import { requireGroups } from './groups/variant-groups.ts'
import { isPart, isRedirector, lineageGuid, pathKey, readManifest } from './manifest.ts'
import { negotiating } from './manifest-limit.ts'
import { selectOtherProjects } from './other-projects.ts'
import { partsOutcome } from './parts/make.ts'
import { planParts, withHeldParts } from './parts/merge.ts'
import { type ItemPlan, planPush } from './plan.ts'
import { sizesOf } from './uploads.ts'

export const negotiate = (context: Context, sent: Manifest): Promise<NegotiateAnswer> =>
  negotiating.run(context.workspace.id, () => answer(context, sent))

async function answer(context: Context, sent: Manifest): Promise<NegotiateAnswer> {
  const manifest = readManifest(sent)
  await requirePack(context, manifest.pack_id)
  await requireGroups(context, manifest)
  const facts = await atOneMoment(context.sql, (sql) => loadFacts({ ...context, sql }, manifest, { hold: false }))
  const projectId = await findProject(context.sql, context.workspace.id, manifest.project)
  const decided = await planPush(manifest.items, facts)
  const parts = await planParts(context, { plans: decided, facts, projectId })
  const plans = withHeldParts(decided, parts)
  const registered = plans.filter((plan) => plan.action === 'register').map((plan) => plan.item)
  const keys = registered.map((item) => blobKey(context.workspace.id, item.content_hash))
  await spareOrphans(context.sql, context.workspace.id, { keys, now: context.now })
  const sizes = await sizesOf(context, await onTheirWay(context, registered))
  const damaged = await damagedOf(context, plans)
  const missing = registered.filter((item) => !sizes.has(item.content_hash) || damaged.has(item.content_hash))
  if (missing.length > 0) await requireIngest(context)
  const deleted = await deletedAmong(context, plans, facts)
  const others = await selectOtherProjects(context, { plans, project: manifest.project, projectId })
  const hashes = missing.map((item) => item.content_hash)
  const whole = missing.filter((item) => !damaged.has(item.content_hash))
  return {
    missing_hashes: [...new Set([...hashes, ...(repairRefusal(context.workspace) ? [] : damaged)])],
    ...(isDirect(context) ? { upload_mode: 'direct' as const, missing: await targetsOf(context, whole) } : {}),
    items: plans.map((plan) => ({
      ...toItem(plan, { deleted: deleted.get(plan.item.content_hash), others }),
      ...partsOutcome(parts.merges.get(plan.item.content_hash)),
    })),
  }
}

/** Hashes whose bytes are damaged or gone: they come through the API only, where they take the place of what is there. */
async function damagedOf({ sql, workspace }: Context, plans: readonly ItemPlan[]): Promise<Set<string>> {
  const hashes = plans.flatMap(({ action, item }) => (action === 'dedup' || action === 'register' ? item.content_hash : []))
  const keyOf = (hash: string) => blobKey(workspace.id, hash)
  const damaged = hashes.length === 0 ? new Set<string>() : await damagedAmong(sql, workspace.id, hashes.map(keyOf))
  return new Set(hashes.filter((hash) => damaged.has(keyOf(hash))))
}

/** A store far away is asked about what may have come only: of most files of a push the database knows that nobody has sent them. */
async function onTheirWay({ sql, workspace, storage }: Context, items: Manifest['items']): Promise<Manifest['items']> {
  if (storage.directUploads === 'seen') return items
  const keyOf = ({ content_hash }: { content_hash: string }) => blobKey(workspace.id, content_hash)
  const loose = await looseAmong(sql, workspace.id, items.map(keyOf))
  return items.filter((item) => loose.has(keyOf(item)))
}

const isDirect = ({ settings, storage }: Context): boolean => settings.directUpload && storage.directUploads !== 'none'

/** What only comes through the API has none. */
async function targetsOf({ storage, workspace, origin, now }: Context, missing: Manifest['items']): Promise<UploadTarget[]> {
  const files = missing.map(({ content_hash, blob_size }) => ({
    key: blobKey(workspace.id, content_hash),
    sha256: content_hash,
    contentType: 'application/octet-stream',
    maxBytes: blob_size,
    size: blob_size,
    isLimited: workspace.storageLimitBytes !== null,
    origin,
  }))
  const targets = await storage.uploadTargets(files, presignedUntil(now))
  return targets.flatMap((target, index) =>
    target ? [{ hash: missing[index]?.content_hash ?? '', upload_url: target.url, headers: target.headers }] : [],
  )
}

/**
 * By content hash. A file of no lineage is a deleted prop by its bytes or its GUID, and by its path where it has no GUID. Items whose
 * sender says what they are, such as a new prop, are left out.
 */
async function deletedAmong(
  { sql, workspace }: Pick<Context, 'sql' | 'workspace'>,
  plans: readonly ItemPlan[],
  facts: Facts,
): Promise<Map<string, Deletion>> {
  const open = plans.flatMap((plan) => {
    const lineage = lineageOf(plan, facts)
    return lineage?.entry || isAnswered(plan) ? [] : { item: plan.item, lineageId: lineage?.id }
  })
  if (open.length === 0) return new Map()
  const unknown = open.flatMap(({ item, lineageId }) => (lineageId === undefined ? item : []))
  const deleted = await selectDeletions(sql, workspace.id, {
    lineageIds: new Set(open.flatMap(({ lineageId }) => lineageId ?? [])),
    hashes: unknown.map((item) => item.content_hash),
    guids: new Set(unknown.flatMap((item) => lineageGuid(item) ?? [])),
    paths: new Set(unknown.flatMap((item) => (item.origin_path && !lineageGuid(item) ? pathKey(item.origin_path) : []))),
  })
  const marks = new Map(deleted.flatMap((one) => marksOf(one).map((mark) => [mark, one] as const)).toReversed())
  const find = (keys: readonly string[]) => keys.flatMap((key) => marks.get(key) ?? [])[0]
  return new Map(
    open.flatMap(({ item, lineageId }) => {
      const found = find(lineageId === undefined ? marksOfItem(item) : [`lineage ${lineageId}`])
      return found ? [[item.content_hash, { name: found.name, at: found.at, by: found.by }] as const] : []
    }),
  )
}

const marksOf = ({ lineage_id, content_hashes, package_guids, origin_paths }: DeletedLineage): string[] => [
  `lineage ${lineage_id}`,
  ...content_hashes.map((hash) => `hash ${hash}`),
  ...package_guids.map((guid) => `guid ${guid}`),
  ...origin_paths.map(({ origin_path, source_ext }) => `path ${origin_path} ${source_ext ?? ''}`),
]

function marksOfItem(item: ManifestItem): string[] {
  const guid = lineageGuid(item)
  const place = item.origin_path ? [`path ${pathKey(item.origin_path)} ${item.source_ext ?? ''}`] : []
  return [`hash ${item.content_hash}`, ...(guid ? [`guid ${guid}`] : place)]
}

/** The lineage that an item belongs to, or would continue. */
function lineageOf(plan: ItemPlan, facts: Facts): KnownLineage | undefined {
  if (plan.action === 'dedup') return facts.lineages.get(plan.known.lineage_id)
  if (plan.action === 'register') return plan.lineage
  return plan.action === 'hold' ? plan.candidate : undefined
}

const isAnswered = ({ action, item }: ItemPlan): boolean =>
  action === 'denied' ||
  action === 'locked' ||
  isRedirector(item) ||
  isPart(item) ||
  Boolean(item.force_new_lineage || item.attach_to_lineage)

/** What someone else has checked out would be registered but for that: clients know four actions, and the reason says the rest. */
function toItem(
  plan: ItemPlan,
  { deleted, others }: { deleted: Deletion | undefined; others: ReadonlyMap<string, string[]> },
): NegotiateItem {
  const next = plan.action === 'locked' ? plan.planned : plan.action === 'register' ? plan : undefined
  const lineage = next ? next.lineage : plan.action === 'hold' ? plan.candidate : undefined
  const isSaid = plan.item.attach_to_lineage || plan.item.force_new_lineage
  const other_projects = isSaid ? undefined : others.get(lineage?.id ?? '')
  return {
    content_hash: plan.item.content_hash,
    action: plan.action === 'locked' ? 'register' : plan.action,
    lineage_id: plan.action === 'dedup' ? plan.known.lineage_id : (next?.lineage?.id ?? null),
    lineage_anchor: plan.action === 'dedup' ? plan.known.lineage_anchor : (next?.anchor ?? null),
    parent_object_id: plan.action === 'dedup' ? plan.known.parent_object_id : (next?.parentId ?? null),
    existing_object_id: plan.action === 'dedup' ? plan.known.id : null,
    probable_lost_stamp: plan.action === 'hold' && plan.reason === 'probable_lost_stamp',
    candidate_lineage_id: plan.action === 'hold' ? (plan.candidate?.id ?? null) : null,
    face_object_id: lineage?.face_object_id ?? null,
    face_content_hash: lineage?.face_content_hash ?? null,
    ...(deleted ? { deleted } : {}),
    ...(other_projects ? { other_projects } : {}),
    ...reasonOf(plan),
  }
}

/** Why an item is held, denied or locked, as negotiate and commit say it. */
export function reasonOf(plan: ItemPlan) {
  if (plan.action === 'locked')
    return {
      reason: plan.reason,
      ...(plan.lock ? { lock: plan.lock } : {}),
      ...(plan.on.length > 0 ? { locked_dependencies: plan.on } : {}),
    }
  if (plan.action === 'hold') return { reason: plan.reason, ...(plan.on.length > 0 ? { held_dependencies: plan.on } : {}) }
  if (plan.action !== 'denied') return {}
  return {
    reason: plan.reason,
    ...(plan.kind ? { denylist_kind: plan.kind } : {}),
    ...(plan.on.length > 0 ? { denied_dependencies: plan.on } : {}),
  }
}
