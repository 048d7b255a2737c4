/** Commit: registers a manifest, all of it or nothing (spec 4.9). */

import { ApiError } from '../../contract/errors.ts'
import type { CommitAnswer, Manifest } from '../../contract/push.ts'
import { moveBases } from '../check-out/bases.ts'
import { randomId } from '../clock.ts'
import { takeIds } from '../database/ids.ts'
import type { Sql } from '../database/sql.ts'
import { transact } from '../database/transaction.ts'
import type { Context } from '../handler.ts'
import { notePush } from '../rows/first-steps.ts'
import { lockWorkspace } from '../rows/hold.ts'
import { takeProject } from '../rows/places.ts'
import { upgradeBefore } from '../rows/upgrade/references.ts'
import { countTaken } from '../storage/counting/stored-bytes.ts'
import { spareOrphans } from '../storage/orphans.ts'
import { blobKey } from '../storage/storage.ts'
import { answerOf } from './answer.ts'
import { connect } from './connect.ts'
import { headerEdgesWithin } from './edges.ts'
import { enrich } from './enrich.ts'
import { type Facts, loadFacts } from './facts.ts'
import { requirePack, resolvePacks } from './groups/packs.ts'
import { joinGroups, requireGroups } from './groups/variant-groups.ts'
import type { Uploads } from './headers/headers.ts'
import { checkRefs, readManifest } from './manifest.ts'
import { inspecting } from './manifest-limit.ts'
import { type Outcome, outcomeOf, spellCategories } from './outcome.ts'
import { makeSets } from './parts/make.ts'
import { planParts, withHeldParts } from './parts/merge.ts'
import { type HeaderFacts, type ItemPlan, planPush } from './plan.ts'
import { recordCommit } from './record.ts'
import { writeOutcome } from './register.ts'
import { keepPush } from './undo/kept-push.ts'
import { inspectUploads, itemsToInspect, noUploads } from './uploads.ts'

export async function commit(context: Context, sent: Manifest): Promise<CommitAnswer> {
  const { manifest, uploads } = await inspecting.run(context.workspace.id, () => inspect(context, sent))
  const answer = await transact(context, (inside) => commitInside(inside, manifest, uploads))
  // It is committed, and has to be acknowledged: without statistics the next commit is slower.
  await context.statistics.grew(context.workspace.id, answer.summary.new).catch((err: unknown) => {
    context.log.warn({ err }, 'statistics were not taken')
  })
  return answer
}

/** Fails with VALIDATION for what no library would take. Most of what the transaction needs to know of the bytes is known after it. */
async function inspect(context: Context, sent: Manifest): Promise<{ manifest: Manifest; uploads: Uploads }> {
  const { sql, workspace } = context
  const manifest = readManifest(sent)
  checkRefs(manifest)
  const facts = await loadFacts(context, manifest, { hold: false })
  const beforeBytes = await planPush(manifest.items, facts)
  const items = itemsToInspect(beforeBytes, facts)
  const keys = items.map((item) => blobKey(workspace.id, item.content_hash))
  await spareOrphans(sql, workspace.id, { keys, now: context.now })
  return { manifest, uploads: await inspectUploads(context, manifest.items, { items, seen: noUploads }) }
}

async function commitInside(context: Context, manifest: Manifest, before: Uploads): Promise<CommitAnswer> {
  const { sql, workspace } = context
  await lockWorkspace(sql, workspace.id)
  await requirePack(context, manifest.pack_id)
  await requireGroups(context, manifest)
  const projectId = await takeProject(sql, workspace.id, manifest.project)
  const facts = await loadUpgraded(context, manifest)
  // Others may have made something to be registered of what was held, or uploaded what was missing.
  const underLock = await planPush(manifest.items, facts)
  const uploads = await inspectUploads(context, manifest.items, { items: itemsToInspect(underLock, facts), seen: before })
  requireBytes(underLock, uploads)
  const withHeaders =
    uploads.headers.size === 0 ? underLock : await planPush(manifest.items, facts, await headerFacts(manifest, uploads))
  const parts = await planParts(context, { plans: withHeaders, facts, projectId })
  const plans = withHeldParts(withHeaders, parts)
  const outcome = await decide(sql, plans, facts)
  await spellCategories(sql, workspace.id, outcome)
  const packs = await resolvePacks(
    context,
    manifest,
    [...outcome.versions.values()].map((version) => version.plan.item),
  )
  await moveBases(context, ownBases(outcome, facts))
  const batchKey = randomId('push')
  const pushId = await keepPush(context, { batchKey, plans, outcome, projectId })
  const { note, project } = manifest
  await writeOutcome(context, outcome, { packs, note, project, projectId, labels: labelsOf(uploads) })
  const enriched = await enrich(context, plans)
  await connect(context, { plans, facts, outcome, enriched, headers: uploads.headers, by: { projectId, pushId } })
  const sets = await makeSets(context, { plan: parts, outcome, facts, manifest, pushId })
  const groups = await joinGroups(context, manifest, groupedIn(outcome))
  recordCommit(context, { plans, outcome, enriched, manifest, facts, sets, batchKey })
  await countTaken(sql, workspace.id, blobsOf(workspace.id, outcome))
  await notePush(context)
  const kept = pushId === undefined ? undefined : batchKey
  return answerOf(manifest, plans, { outcome, enriched, groups, packs, parts, sets, batchKey: kept })
}

/** What this push may continue, or name again, is brought to what the library keeps now. */
async function loadUpgraded(context: Context, manifest: Manifest): Promise<Facts> {
  const facts = await loadFacts(context, manifest, { hold: true })
  const touched = [...facts.lineages.keys(), ...[...facts.objects.values()].map(({ lineage_id }) => lineage_id)]
  return (await upgradeBefore(context, touched)) ? loadFacts(context, manifest, { hold: true }) : facts
}

function requireBytes(plans: ItemPlan[], { sizes }: Uploads): void {
  const missing = plans.filter((plan) => plan.action === 'register' && !sizes.has(plan.item.content_hash))
  if (missing.length > 0) {
    const hashes = missing.map((plan) => plan.item.content_hash)
    throw new ApiError(
      'BLOB_MISSING',
      `The bytes of ${hashes.length} files are not in the library. Upload them, then commit again.`,
      { missing: hashes },
    )
  }
  const storedSize = (plan: ItemPlan) =>
    plan.action === 'dedup' ? plan.known.blob_size : plan.action === 'register' ? sizes.get(plan.item.content_hash) : undefined
  const contradicted = plans.filter((plan) => (storedSize(plan) ?? plan.item.blob_size) !== plan.item.blob_size)
  if (contradicted.length > 0)
    throw new ApiError(
      'HASH_MISMATCH',
      `The declared size of ${contradicted.length} files is not the size of their bytes. Read them again.`,
      {
        contradicted: contradicted.map((plan) => plan.item.content_hash),
      },
    )
}

/** The newest version of each lineage that the pusher has checked out and makes a version of. */
const ownBases = ({ versions }: Outcome, { pusherId }: Facts): Map<string, number> =>
  new Map(
    [...versions.values()].flatMap(({ objectId, lineage: { id, known } }) =>
      known?.lock?.holder.id === pusherId ? [[id, objectId] as const] : [],
    ),
  )

const blobsOf = (workspaceId: number, { versions }: Outcome) =>
  [...versions.values()].map(({ plan: { item } }) => ({ key: blobKey(workspaceId, item.content_hash), size: item.blob_size }))

const labelsOf = ({ headers }: Uploads): Map<string, string> =>
  new Map([...headers].flatMap(([hash, { label }]) => (label ? [[hash, label] as const] : [])))

const headerFacts = async (manifest: Manifest, { headers }: Uploads): Promise<HeaderFacts> => ({
  edges: await headerEdgesWithin(manifest.items, headers),
  guids: new Map([...headers].flatMap(([hash, { guid }]) => (guid ? [[hash, guid] as const] : []))),
})

async function decide(sql: Sql, plans: ItemPlan[], facts: Facts): Promise<Outcome> {
  const objectIds = await takeIds(sql, 'objects', plans.filter((plan) => plan.action === 'register').length)
  const entryIds = await takeIds(sql, 'entries', plans.filter((plan) => plan.item.entry).length)
  objectIds.reverse()
  entryIds.reverse()
  return outcomeOf(plans, facts, {
    object: () => Number(objectIds.pop()),
    entry: () => Number(entryIds.pop()),
    lineage: () => randomId('lin'),
  })
}

const groupedIn = (outcome: Outcome) =>
  outcome.lineages.flatMap(({ entry }) =>
    entry?.groupRef ? [{ ref: entry.groupRef, entryId: entry.id, groupId: entry.known?.variant_group_id ?? null }] : [],
  )
