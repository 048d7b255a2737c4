/** What a pull is to do, and what its parts share while it runs. */

import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { DependencyMode } from '../../contract/dependency-modes.ts'
import { limits } from '../../contract/limits.ts'
import type { PullJob, PullOrder, PullWarning } from '../../contract/pull-jobs.ts'
import type { Api } from '../http/api.ts'
import type { Http } from '../http/http.ts'
import type { Wire } from '../http/open-http.ts'
import type { ProjectMemory } from '../memory/project-memory.ts'
import type { TellPull } from '../progress.ts'
import { statKey } from '../project/fingerprint.ts'
import type { KnownFile } from '../project/known-file.ts'
import type { OtherProp } from './compare.ts'
import type { EntriesOrder } from './orders/parts.ts'
import { chosenRoot } from './orders/target-root.ts'
import type { TakingOptions } from './removing/take-away.ts'
import type { PullTarget } from './target-project.ts'

/** An entry, and the version of it when that is not to be the current one. */
export interface OrderedEntry {
  entry_id: number
  object_id?: number
}

/** A file of the project that would be replaced and may be nowhere else. */
export interface Conflict {
  /** Below the project's root, with `/`. */
  file: string
  path: string
  /** Bytes and time of the local file. */
  size: number
  modifiedAt: Date
  /** The version of this prop that it was edited from, when that is known. */
  baseObjectId: number | null
  /** The version that is pulled. */
  objectId: number
  lineageId: string
  jobId: number
  /** What people call it, and the package path that it has. */
  name: string
  destination: string
  /** SHA-256 of the local file, where it was read, and of the version that is pulled, with its bytes. */
  localHash: string | undefined
  hash: string
  pulledSize: number
  /** The prop that lies there, where it is another one than the pulled. */
  other?: OtherProp
  /** It differs from every version that is known; else it is asked only because it is open. */
  isChanged: boolean
  /** An editor has it open, as far as was said. */
  isOpen: boolean
  /** Both as people name them; asked of the library. */
  versionNames(): Promise<{ base: string | null; pulled: string }>
}

export type ConflictAnswer = 'keep' | 'overwrite' | 'skip'
/** Answers by file; conflicts without an answer are kept. */
export type ConflictAnswers = (
  conflicts: readonly Conflict[],
  /** Ends the wait for answers: the pull was ended, or its claim is lost. */
  signal: AbortSignal,
) => Promise<ReadonlyMap<string, ConflictAnswer>>

export interface PullOptions extends Wire {
  target: PullTarget
  /** What to order; without it the queued jobs of the project are done. The calls are those of this pull. */
  order?: (api: Api) => Promise<OrderedEntry[]>
  /** With `order`, which may be of nothing: the queued jobs of the project too, after it. */
  alsoQueued?: boolean
  /** Queued jobs that are done, with those of the same order; without `order` and these, all that wait but for this person's own agents. */
  jobs?: readonly number[]
  /** Of an order: only these files are placed, by path below the project's root; every other one stays as it is. */
  only?: readonly string[]
  /** Where in the project files land; the default is what was chosen for the project, else `/Game`, which leaves references as they are. */
  targetRoot?: string
  /** What is needed comes in exactly the versions that it was pushed with; else in those that are current. */
  isExact?: boolean
  /**
   * Lineages whose files here give way to the version that is pulled, with a backup, whatever else is said about conflicts; each with the files that
   * were named.
   */
  theirs?: ReadonlyMap<string, readonly string[]>
  /** What to do with local files that differ; the default is to keep them. */
  onConflict?: ConflictAnswer | ConflictAnswers
  /** Whether a package is open in an editor, by the path that it has there: it is not replaced without an answer. */
  isOpen?: (packageName: string) => boolean
  /** Whether files that have no place in the project any more may be taken away; without it they stay. */
  mayTakeAway?: TakingOptions['mayTakeAway']
  /** Place what needs no answer first, and ask then. */
  askLast?: boolean
  /** Place hard links to the content cache, read-only, where the disk allows that. */
  link?: boolean
  /** Bytes that the content cache may keep. */
  cacheBytes?: number
  tell?: TellPull
}

export interface PullParts {
  options: PullOptions
  target: PullTarget
  http: Http
  api: Api
  memory: ProjectMemory
  tell: TellPull
  signal: AbortSignal
}

/** The order that a pull makes of what was asked for. */
export async function makeOrder(
  options: PullOptions,
  { api, memory }: { api: Api; memory: ProjectMemory | undefined },
): Promise<PullOrder & OrderedFields> {
  const { target, targetRoot, isExact, order } = options
  const [entries, root] = await Promise.all([
    order?.(api) ?? [],
    targetRoot ?? api.projects.list().then(({ projects }) => chosenRoot(projects, target.project)),
  ])
  const have_set = memory && isByChanges(options, root) ? knownSets(memory, target.root, currentOf(entries)) : []
  const known = have_set.length > 0 ? { have_set } : {}
  return { target_project: target.project, target_root: root, entries, ...versionsOf({ isExact }), ...known }
}

/** Not where every file is to be looked at: for answers to conflicts, for links, for files that go elsewhere. */
const isByChanges = ({ onConflict = 'keep', theirs, link, isExact }: PullOptions, root: string): boolean =>
  root === '/Game' && (onConflict === 'keep' || onConflict === 'skip') && !theirs && !link && !isExact

/** Entries that are ordered in the version that is current. */
const currentOf = (entries: readonly OrderedEntry[]): Set<number> =>
  new Set(entries.flatMap(({ entry_id, object_id }) => (object_id ? [] : entry_id)))

/**
 * For an order of some levels: the sets of all that are here, so that each list of parts is known to be whole or of changes. None where an actor
 * is missing here or is another file than the one that is known: then levels come as a whole, and each actor is looked at.
 */
function knownSets(memory: ProjectMemory, root: string, entryIds: ReadonlySet<number>): number[] {
  const levels = memory.levels.list().flatMap(({ set, ...level }) => (set === null ? [] : { ...level, set }))
  if (levels.length > limits.pullJob.entries || !levels.some(({ entryId }) => entryId !== null && entryIds.has(entryId)))
    return []
  const isWhole = (lineageId: string) => {
    const { parts } = memory.levels.find(lineageId)
    const known = new Map(memory.findAll(parts.map(({ file }) => file)).map((one) => [one.file, one]))
    return parts.every(({ file, hash }) => isAsKnown(join(root, file), { hash, known: known.get(file) }))
  }
  const lineageIds = new Set(levels.map(({ lineageId }) => lineageId))
  return [...lineageIds].every(isWhole) ? [...new Set(levels.map(({ set }) => set))] : []
}

/** Whether a part lies there unchanged; one that cannot be looked at does not. */
function isAsKnown(path: string, { hash, known }: { hash: string; known: KnownFile | undefined }): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false, bigint: true })
  return stats !== undefined && known?.hash === hash && known.stat === statKey(stats)
}

/** In which versions what is needed is ordered. Of two versions of one prop the newer one comes: older servers know no `dependencies`, and those that were pushed may clash. Content of plugins comes where the project has them. */
export const versionsOf = ({ isExact = false }: { isExact?: boolean | undefined }) =>
  ({
    dependencies: isExact ? 'as_pushed' : 'current',
    prefer: 'newest',
    plugin_content: true,
  }) as const satisfies Partial<PullOrder>

/** An older server does not know in which versions what is needed was ordered, and says nothing of it. */
export const versionWarnings = (
  order: PullOrder,
  { dependencies }: { dependencies?: DependencyMode | undefined },
): PullWarning[] =>
  order.dependencies === 'current' && dependencies === undefined
    ? [
        {
          type: 'as_pushed_only',
          message:
            'This server is older than your ph: what is needed comes in the versions that it was pushed with, not in the current ones.',
        },
      ]
    : []

/** How an order is remembered, so that who goes on with it keeps within it. */
export const orderedText = (order: PullOrder, only: readonly string[] | undefined): string =>
  JSON.stringify(only ? { ...order, only } : order)

/** How jobs that someone ordered at once, and that wait, are remembered: they are brought as one. Null: a job that is all of its order. */
export const sentText = (jobs: readonly Pick<PullJob, 'id' | 'slice'>[], isWhole: boolean): string | null =>
  jobs.length === 1 && isWhole ? null : JSON.stringify({ sent: jobs.map(({ id }) => id), isWhole })

/** What is remembered is no order of this pull. */
export const isSent = (ordered: string | null): boolean => ordered === null || 'sent' in JSON.parse(ordered)

/** Jobs that are remembered so are all of an order, so that what they do not bring has left. */
export const isWholeOrder = (ordered: string | null): boolean =>
  ordered === null || (JSON.parse(ordered) as { isWhole?: boolean }).isWhole !== false

/** The order that is remembered so. */
export function orderOf(ordered: string): EntriesOrder {
  const { only: _only, ...order } = JSON.parse(ordered) as EntriesOrder & { only?: readonly string[] }
  return order
}

/** The files that an order was for; undefined: all of them. */
export function onlyOf(ordered: string | null): readonly string[] | undefined {
  const { only } = (ordered === null ? {} : JSON.parse(ordered)) as { only?: readonly string[] }
  return only
}

interface OrderedFields {
  target_root: string
  entries: OrderedEntry[]
}
