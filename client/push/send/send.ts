/** Sends manifests, and sends them again without what the library refused of them by name. */
import { ApiError } from '../../../contract/errors.ts'
import type { CommitWarning, Manifest, ManifestItem } from '../../../contract/push.ts'
import type { ProjectMemory } from '../../memory/project-memory.ts'
import { type Problem, type ProblemKind, problem } from '../../project/problem.ts'
import { pathOf } from '../../project/project-file.ts'
import { type PlannedItem, variantGroupRef } from '../plan/plan.ts'
import type { Outcomes } from './outcomes.ts'
import { findRepair, unstamped } from './repair.ts'

/** How often one batch is changed and tried again after refusals that name something. */
const mostRepairs = 20

/** What every manifest of a push says of its new versions. */
export interface About {
  note: string | undefined
  /** The project that they come from. */
  project: string | undefined
}

interface SenderParts {
  outcomes: Outcomes
  memory: ProjectMemory
  variantGroup: string | undefined
  about: About
  /** Brings bytes that a commit found missing; says whether it could. */
  uploadAgain: (batch: readonly PlannedItem[], hashes: string[]) => Promise<boolean>
}

export class ManifestSender {
  readonly problems: Problem[] = []
  /** Of the group that this push made, once the library told its id. */
  variantGroupId: number | undefined
  readonly #parts: SenderParts

  constructor(parts: SenderParts) {
    this.#parts = parts
  }

  /** Sends what is undecided of a batch. Undefined when nothing of it is left to send. */
  async send<T>(
    batch: readonly PlannedItem[],
    { isCommit, call }: { isCommit: boolean; call: (manifest: Manifest) => Promise<T> },
  ): Promise<T | undefined> {
    const { outcomes } = this.#parts
    for (let attempt = 0; ; attempt++) {
      const going = outcomes.undecided(batch)
      if (going.length === 0) return undefined
      const hashes = new Set(going.map(({ item }) => item.content_hash))
      const items = going.map((planned) => outcomes.sendable(planned, hashes, isCommit))
      try {
        return await call(this.#manifest(items))
      } catch (error) {
        const isKnown = error instanceof ApiError && attempt < mostRepairs
        if (!isKnown || !(await this.#repair(error, { going, items, batch }))) throw error
      }
    }
  }

  /** Decides that an item cannot go, and names its files. */
  fail(planned: PlannedItem, kind: ProblemKind, what: string): void {
    const files = planned.files.map(pathOf)
    this.#parts.outcomes.decide(planned, 'failed')
    this.problems.push(problem(kind, files, `${files[0]}: ${what}`))
  }

  /** Names what the library warns of, once for all batches. */
  warn(batch: readonly PlannedItem[], warnings: readonly CommitWarning[]): void {
    for (const { message, content_hashes } of warnings) {
      const hashes = new Set(content_hashes)
      const files = batch.filter(({ item }) => hashes.has(item.content_hash)).flatMap((planned) => planned.files.map(pathOf))
      const known = this.problems.find((one) => one.kind === 'long-folder' && one.message === message)
      if (known) known.files.push(...files)
      else this.problems.push(problem('long-folder', files, message))
    }
  }

  #manifest(items: Readonly<ManifestItem>[]): Manifest {
    const packs = [...new Set(items.flatMap(({ pack_ref }) => pack_ref ?? []))]
    const {
      variantGroup: label,
      about: { note, project },
    } = this.#parts
    const id = this.variantGroupId
    const isGrouped = label !== undefined && items.some(({ entry }) => entry?.variant_group_ref)
    return {
      items,
      ...(note === undefined ? {} : { note }),
      ...(project === undefined ? {} : { project }),
      ...(packs.length > 0 ? { packs: packs.map((name) => ({ ref: name, name })) } : {}),
      ...(isGrouped ? { variant_groups: [{ ref: variantGroupRef, ...(id === undefined ? { label } : { id }) }] } : {}),
    }
  }

  /** Says whether the manifest is another one now, so that it can be tried again. */
  async #repair(error: ApiError, sent: Sent): Promise<boolean> {
    const byHash = (hash: unknown) => sent.going.find(({ item }) => item.content_hash === hash)
    switch (error.code) {
      case 'STALE_FACE':
        return this.#setAsideStale(error, sent.going)
      case 'BLOB_MISSING':
        return this.#parts.uploadAgain(sent.batch, listOf(error.details.missing))
      case 'HASH_MISMATCH': {
        const changed = listOf(error.details.contradicted).flatMap((hash) => byHash(hash) ?? [])
        for (const planned of changed) this.fail(planned, 'changed-while-read', 'it changed while it was being pushed.')
        return changed.length > 0
      }
      default:
        return this.#leaveOut(error, sent)
    }
  }

  /** The others of its batch go: one stale file does not sink them. */
  #setAsideStale({ details }: ApiError, going: readonly PlannedItem[]): boolean {
    const { outcomes } = this.#parts
    const stale =
      going.find(({ item }) => item.content_hash === details.content_hash) ??
      going.find((planned) => outcomes.itemOf(planned).stamped_lineage_id === details.lineage_id)
    if (stale) outcomes.decide(stale, 'outdated', { lineage_id: outcomes.itemOf(stale).stamped_lineage_id ?? null })
    return stale !== undefined
  }

  #leaveOut(error: ApiError, { going, items }: Sent): boolean {
    const repair = findRepair(items, error)
    if (!repair) return false
    const { outcomes, memory } = this.#parts
    for (const [index, message] of repair.refused) {
      const planned = going[index]
      if (planned) this.fail(planned, 'refused-by-library', message)
    }
    for (const index of repair.unstamped) if (going[index]) outcomes.amend(going[index], unstamped)
    for (const [index, needs] of repair.loosened) {
      outcomes.loosen(items[index]?.content_hash ?? '', needs)
      memory.forgetVersions(needs)
    }
    return true
  }
}

interface Sent {
  going: PlannedItem[]
  items: readonly Readonly<ManifestItem>[]
  batch: readonly PlannedItem[]
}

const listOf = (value: unknown): string[] => (Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [])
