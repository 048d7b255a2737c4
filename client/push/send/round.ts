/** The way of planned items into the library, batch by batch: negotiate, upload, commit, pictures (spec 4.9). */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { ApiError } from '../../../contract/errors.ts'
import { limits } from '../../../contract/limits.ts'
import type { CommitAnswer, CommitResult, ManifestItem, NegotiateAnswer, NegotiateItem } from '../../../contract/push.ts'
import type { Api } from '../../http/api.ts'
import type { TellRemembered } from '../../memory/last-push.ts'
import type { ProjectMemory } from '../../memory/project-memory.ts'
import type { TellPush } from '../../progress.ts'
import type { Problem } from '../../project/problem.ts'
import { pathOf } from '../../project/project-file.ts'
import { hasPicture } from '../../project/thumbnail.ts'
import { type BaseMemory, faceOf, findUnknownBases, type Judged, saysLineage, unknownBase } from '../held/why-held.ts'
import { orderBatches } from '../plan/batches.ts'
import { changedTogether, isPart, type PlannedItem, twinsOf, variantGroupRef } from '../plan/plan.ts'
import { findReverted, type Reverted } from '../reverted.ts'
import { holdKept, rememberParts } from './level-outcome.ts'
import { bareItem, stampsOfMoved } from './moved-packages.ts'
import { Outcomes } from './outcomes.ts'
import { basesOf, entryOf, isRegistered, kindOfFailure, pushedOf } from './registered.ts'
import { type About, ManifestSender } from './send.ts'
import type { ThumbnailJob, ThumbnailUploader } from './thumbnails.ts'
import type { Upload, Uploader } from './upload.ts'
import { foretold, verdictOn } from './verdict.ts'

export interface RoundParts {
  root: string
  api: Api
  uploader: Uploader
  thumbnails: ThumbnailUploader
  memory: ProjectMemory
  /** What tells which versions were pushed or pulled on this machine. */
  bases: BaseMemory
  tell: TellPush
  maxItems: number
  variantGroup: string | undefined
  about: About
  remembered: TellRemembered | undefined
  /** Ask, but send and change nothing. */
  dryRun: boolean
  /** Ends whatever is on its way. */
  stop: (reason: unknown) => void
}

/** Batches between negotiate and commit at once: the one that uploads, and the one that asks what to upload next. */
const batchesInFlight = 2

export class PushRound {
  readonly outcomes = new Outcomes()
  /** By content hash: the current version of the lineage that an item continues, or looks like a version of. */
  readonly faces = new Map<string, number>()
  /** By content hash: files that are an earlier version again. */
  readonly reverted = new Map<string, Reverted>()
  readonly #run = { id: randomUUID(), begunAt: new Date().toISOString() }
  readonly #complete = new Set<string>()
  readonly #wanting = new Set<string>()
  /** Levels of whose parts the library does not have all. */
  readonly #unfinished = new Set<string>()
  /** Bytes that the library misses; counted without being sent in a dry run. */
  missingBytes = 0
  readonly #parts: RoundParts
  readonly #sender: ManifestSender
  readonly #batchKeys: string[] = []
  #pictures: Promise<void> = Promise.resolve()
  #registered = 0
  #total = 0

  constructor(parts: RoundParts) {
    this.#parts = parts
    const uploadAgain = (batch: readonly PlannedItem[], hashes: string[]) => this.#uploadAgain(batch, hashes)
    this.#sender = new ManifestSender({ ...parts, outcomes: this.outcomes, uploadAgain })
  }

  get problems(): Problem[] {
    return this.#sender.problems
  }

  /** Whether nothing is left to do for an item; `pictured` are the content hashes whose picture is settled. */
  isComplete(hash: string, pictured: ReadonlySet<string>): boolean {
    return this.#complete.has(hash) && (!this.#wanting.has(hash) || pictured.has(hash))
  }

  /** Brings items as far as they get. Throws when something is wrong with more than single items. */
  async run(items: readonly PlannedItem[]): Promise<void> {
    this.outcomes.add(items)
    this.#total += items.length
    const commits: Promise<void>[] = []
    try {
      for (const batch of this.#batchesOf(items)) {
        await commits.at(-batchesInFlight)
        const before = commits.at(-1)
        const prepared = this.#prepare(batch)
        const committed = Promise.all([prepared, before]).then(([judged]) => this.#commit(batch, judged))
        // Failures are met where they are awaited, below.
        committed.catch(() => {})
        commits.push(committed)
      }
      await commits.at(-1)
      await this.#pictures
    } catch (error) {
      this.#parts.stop(error)
      throw error
    } finally {
      await Promise.allSettled([...commits, this.#pictures])
    }
  }

  #batchesOf(items: readonly PlannedItem[]): PlannedItem[][] {
    const indexes = new Map(items.map(({ item }, index) => [item.content_hash, index]))
    const needs = (index: number) => {
      const { item, level } = items[index] ?? {}
      const hashes = [
        ...(item?.dependencies ?? []).map(({ content_hash }) => content_hash),
        ...(level?.all ?? []).map(({ hash }) => hash),
      ]
      return hashes.flatMap((hash) => indexes.get(hash) ?? [])
    }
    const size = { usual: Math.min(limits.manifest.recommendedBatch, this.#parts.maxItems), most: this.#parts.maxItems }
    const batches = orderBatches(
      items.length,
      { needs, together: [...twinsOf(items), ...changedTogether(items, size.usual)] },
      size,
    )
    return batches.map((batch) => batch.flatMap((index) => items[index] ?? []))
  }

  async #prepare(batch: readonly PlannedItem[]): Promise<Judged[]> {
    let answer = await this.#negotiate(batch)
    if (!answer) return []
    const unsaid = new Set(batch.filter((planned) => !saysLineage(this.outcomes.itemOf(planned))))
    const moved = await stampsOfMoved(this.#parts.api, this.#paired(batch, answer.items))
    for (const [planned, stamp] of moved) this.outcomes.amend(planned, stamp)
    if (moved.size > 0) answer = await this.#negotiate(batch)
    if (!answer) return []
    const judged = this.#paired(batch, answer.items)
    for (const { planned, item } of judged) this.#judge(planned, item)
    if (judged.some(({ planned, item }) => planned.level && !item.parts && item.action !== 'hold' && item.action !== 'denied'))
      this.outcomes.namePartsAsNeeds()
    const own = judged.filter(({ planned }) => !isPart(planned))
    for (const [hash, one] of await findReverted(own, this.#parts.bases.api)) this.reverted.set(hash, one)
    await this.#holdUnknown(own.filter(({ planned, item }) => unsaid.has(planned) && !item.deleted && !item.other_projects))
    this.outcomes.spread(batch)
    const undecided = new Set(this.outcomes.undecided(batch).map(({ item }) => item.content_hash))
    const missing = answer.missing_hashes.filter((hash) => undecided.has(hash))
    const sizes = new Map(batch.map(({ item }) => [item.content_hash, item.blob_size]))
    this.missingBytes += missing.reduce((sum, hash) => sum + (sizes.get(hash) ?? 0), 0)
    if (!this.#parts.dryRun) await this.#upload(batch, missing, answer)
    return judged
  }

  /** Next versions by identity alone: held where their base is not known here, else of the version that was judged and no later one. */
  async #holdUnknown(judged: readonly Judged[]): Promise<void> {
    const unknown = new Set(await findUnknownBases(judged, this.#parts.bases))
    for (const one of judged) {
      const { planned, item } = one
      if (unknown.has(one))
        this.outcomes.decide(planned, 'held', { reason: unknownBase, candidate_lineage_id: item.lineage_id, lock: item.lock })
      else if (item.action === 'register' && item.lineage_id)
        this.outcomes.amend(planned, { expected_face_object_id: faceOf(one) })
    }
  }

  #negotiate(batch: readonly PlannedItem[]): Promise<NegotiateAnswer | undefined> {
    return this.#sender.send(batch, { isCommit: false, call: (manifest) => this.#parts.api.push.negotiate(manifest) })
  }

  #paired<R extends { content_hash: string }>(batch: readonly PlannedItem[], results: readonly R[]) {
    const byHash = new Map(batch.map((planned) => [planned.item.content_hash, planned]))
    return results.flatMap((item) => {
      const planned = byHash.get(item.content_hash)
      return planned ? [{ planned, item }] : []
    })
  }

  /** What negotiate already decides of an item. */
  #judge(planned: PlannedItem, item: NegotiateItem): void {
    if (item.action === 'dedup') this.outcomes.setRegistered(item.content_hash)
    const face = faceOf({ planned, item })
    if (face) this.faces.set(item.content_hash, face)
    if (item.other_projects) this.outcomes.nameProjects(planned, item.other_projects)
    const verdict = verdictOn(this.outcomes.itemOf(planned), item)
    if (verdict) this.outcomes.decide(planned, ...verdict)
  }

  async #upload(batch: readonly PlannedItem[], missing: readonly string[], answer: NegotiateAnswer): Promise<void> {
    const targets = new Map((answer.missing ?? []).map((target) => [target.hash, target]))
    const byHash = new Map(batch.map((planned) => [planned.item.content_hash, planned]))
    const uploads = missing.flatMap((hash): Upload[] => {
      const planned = byHash.get(hash)
      if (!planned) return []
      const { item, files } = planned
      const path = join(this.#parts.root, pathOf(files[0]))
      return [
        { hash, path, size: item.blob_size, target: targets.get(hash), renew: () => this.#renew(this.outcomes.itemOf(planned)) },
      ]
    })
    const failures = await this.#parts.uploader.sendAll(uploads)
    for (const [hash, error] of failures) {
      const planned = byHash.get(hash)
      if (!planned) continue
      if (error instanceof ApiError) this.outcomes.decide(planned, 'denied', { reason: 'denylisted' })
      else this.#sender.fail(planned, kindOfFailure(error), error.message)
    }
  }

  async #renew(item: Readonly<ManifestItem>) {
    const { missing } = await this.#parts.api.push.negotiate({ items: [bareItem(item)] })
    return missing?.[0]
  }

  async #uploadAgain(batch: readonly PlannedItem[], missing: readonly string[]): Promise<boolean> {
    const answer = await this.#negotiate(batch)
    if (answer && missing.length > 0) await this.#upload(batch, missing, answer)
    return missing.length > 0
  }

  async #commit(batch: readonly PlannedItem[], judged: readonly Judged[]): Promise<void> {
    this.outcomes.spread(batch)
    if (this.#parts.dryRun) {
      for (const { planned, item } of judged)
        if (this.outcomes.undecided([planned]).length > 0) this.outcomes.decide(planned, ...foretold(item))
      return
    }
    const answer = await this.#sender.send(batch, { isCommit: true, call: (manifest) => this.#parts.api.push.commit(manifest) })
    if (answer) this.#record(batch, answer)
    this.#registered += batch.length
    this.#parts.tell({ kind: 'commit', items: this.#registered, totalItems: this.#total })
  }

  #record(batch: readonly PlannedItem[], answer: CommitAnswer): void {
    this.#sender.variantGroupId ??= answer.variant_groups?.[variantGroupRef]
    this.#sender.warn(batch, answer.warnings ?? [])
    this.#settleParts(batch, answer)
    const jobs: ThumbnailJob[] = []
    const registered = this.#paired(batch, answer.results).filter(({ planned, item: result }) => {
      this.outcomes.decide(planned, result.status, result)
      return isRegistered(result)
    })
    // Before the bases: who is killed in between has what was registered on record, and files that are edits of what was before.
    const pushed = registered.flatMap(({ planned, item }) => pushedOf(planned, item, this.faces))
    if (answer.batch_key) this.#batchKeys.push(answer.batch_key)
    const run = this.#parts.memory.lastPush.add(this.#run, { versions: pushed, batchKeys: this.#batchKeys })
    if (run) this.#parts.remembered?.({ root: this.#parts.root, begunAt: run.begunAt })
    this.#parts.memory.saveBased(registered.flatMap(({ planned, item }) => this.#basesOf(planned, item)))
    for (const { planned, item: result } of registered) {
      const { content_hash: hash } = planned.item
      if (!this.#isLoose(hash) && !this.reverted.has(hash)) this.#complete.add(hash)
      const [file] = planned.files
      const entryId = entryOf(file, result)
      // Who does not say whether there is a picture is sent it by a push that has something left to do for the file.
      const lacks = result.status === 'new' || result.has_thumbnail !== true
      if (!lacks || !entryId || !result.object_id || !hasPicture(file)) continue
      this.#wanting.add(hash)
      jobs.push({ entryId, objectId: result.object_id, file })
    }
    this.#pictures = this.#pictures.then(() => this.#parts.thumbnails.sendAll(jobs))
    // Met where the pictures are awaited, at the end of the round.
    this.#pictures.catch(() => {})
  }

  #basesOf(planned: PlannedItem, result: CommitResult) {
    const { content_hash: hash } = planned.item
    // It was made from a later version, and that one stays its base: nobody overrides anything by editing it further.
    return this.reverted.has(hash) ? [] : basesOf(planned, result, { isLoose: this.#isLoose(hash) })
  }

  /** Something of its needs or parts is still to be told. */
  #isLoose = (hash: string): boolean => this.outcomes.isLoosened(hash) || this.#unfinished.has(hash)

  /** The parts of levels: which of them are kept as they were, and what is remembered of the others. */
  #settleParts(batch: readonly PlannedItem[], { results }: CommitAnswer): void {
    for (const { planned, item: result } of this.#paired(batch, results)) {
      const { parts: outcome, lineage_id: lineageId, content_hash: hash } = result
      if (!outcome || !lineageId) continue
      holdKept(this.outcomes, outcome)
      const sent = this.outcomes.sendable(planned, new Set(results.map(({ content_hash }) => content_hash)), false)
      const isWhole = rememberParts(this.#parts.memory.levels, { planned, lineageId, sent, outcome })
      if (!isWhole) this.#unfinished.add(hash)
    }
  }

  /** Everything that was to be pushed is: the next push is another one. */
  end(): void {
    this.#parts.memory.lastPush.end(this.#run)
  }
}
