/** Entries that are one thing twice: by what they hold, and by their looks. */
import pLimit from 'p-limit'
import type { DuplicateGroup } from '../../contract/duplicates.ts'
import type { EntrySummary } from '../../contract/entries.ts'
import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { EntryQuestion } from '../entries/pages.ts'
import type { Api } from '../http/api.ts'
import { pagesOf } from '../http/paging.ts'

type DuplicateQuestion = Omit<NonNullable<Parameters<Api['duplicates']['list']>[0]>, 'limit' | 'cursor'>

export interface Duplicates {
  groups: DuplicateGroup[]
  next_cursor: string | null
}

/** The first `limit` groups, the largest saving first. Throws what the call throws. */
export async function readDuplicates(
  api: Pick<Api, 'duplicates'>,
  question: DuplicateQuestion,
  limit: number,
): Promise<Duplicates> {
  const whole: Duplicates = { groups: [], next_cursor: null }
  const left = () => Math.min(limit - whole.groups.length, limits.page.max)
  const ask = (cursor: string | undefined) => api.duplicates.list({ ...question, limit: left(), ...(cursor ? { cursor } : {}) })
  for await (const { groups, next_cursor } of pagesOf(ask)) {
    whole.groups.push(...groups)
    whole.next_cursor = next_cursor
    if (whole.groups.length >= limit) break
  }
  return whole
}

export interface LookAlikes {
  /** An entry and what looks like it, the most similar first. Two that stand in one group together do so in no other. */
  groups: { entry: EntrySummary; entries: EntrySummary[] }[]
  compared: number
  /** Entries that the library has not looked at yet. */
  without_looks: number
}

export interface LookAlikeOptions {
  /** What only counts as looking alike. */
  question: EntryQuestion
  minScore: number
  /** Pairs that are known to be alike for another reason. */
  isKnown: (one: EntrySummary, other: EntrySummary) => boolean
  tell: (done: number, total: number) => void
}

const requestsAtOnce = 4
const mostAlike = 10

/**
 * Asks for each of the entries what looks very much like it: one request each. Variants of one prop look alike on purpose, and so do a
 * source file and the package that was made of it: both are left out. Throws what the call throws, but where an entry is gone or has no picture yet.
 */
export async function readLookAlikes(
  api: { entries: Pick<Api['entries'], 'list'> },
  entries: readonly EntrySummary[],
  { question, minScore, isKnown, tell }: LookAlikeOptions,
): Promise<LookAlikes> {
  const atOnce = pLimit(requestsAtOnce)
  let done = 0
  const ask = async ({ id }: EntrySummary): Promise<EntrySummary[] | undefined> => {
    const page = api.entries.list({ ...question, min_score: minScore, similar_to: id, limit: mostAlike })
    const found = await page.catch(undefinedWhereNothingToSee)
    tell(++done, entries.length)
    return found?.entries.filter(({ score = 0 }) => score >= minScore)
  }
  tell(0, entries.length)
  // Of a failure the others need not be asked for any more.
  const answers = await Promise.all(entries.map((entry) => atOnce(ask, entry))).finally(() => atOnce.clearQueue())
  const groups = togetherOnce(
    entries.map((entry, at) => ({
      entry,
      entries: (answers[at] ?? []).filter((other) => !isExpected(entry, other) && !isKnown(entry, other)),
    })),
  )
  return {
    groups,
    compared: answers.filter((answer) => answer !== undefined).length,
    without_looks: answers.filter((answer) => answer === undefined).length,
  }
}

type Group = LookAlikes['groups'][number]

/** Of ten that all look alike, one group is made and not nine. */
function togetherOnce(groups: readonly Group[]): Group[] {
  const told: Set<number>[] = []
  return groups.flatMap(({ entry, entries }) => {
    const others = entries.filter(({ id }) => !told.some((ids) => ids.has(entry.id) && ids.has(id)))
    if (others.length === 0) return []
    told.push(new Set([entry, ...others].map(({ id }) => id)))
    return [{ entry, entries: others }]
  })
}

const isExpected = (one: EntrySummary, other: EntrySummary): boolean =>
  isSource(one) !== isSource(other) || (one.variant_group !== null && one.variant_group.id === other.variant_group?.id)

const isSource = ({ entry_type }: EntrySummary): boolean => entry_type.startsWith('source_')

/** 409: no picture of it yet; 404: gone since it was listed. */
function undefinedWhereNothingToSee(error: unknown): undefined {
  if (!(error instanceof ApiError && (error.status === 404 || error.status === 409))) throw error
}
