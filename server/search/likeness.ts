/** Search by look: like an entry, like a picture, and what words mean (spec 4.2; contract-gaps 6, 9). */
import type { entries as contract } from '../../contract/entries.ts'
import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { InputOf } from '../../contract/route.ts'
import { WeightedQueue } from '../../serving/bodies/weighted-queue.ts'
import type { WrittenJson } from '../../serving/written-json.ts'
import type { Context, RawRequest } from '../handler.ts'
import type { Look } from '../looks/embedder.ts'
import type { EmbedderFacts } from '../looks/embedder-answers.ts'
import { questionsOf } from '../looks/picture-query.ts'
import type { RoundedLook } from '../looks/rounding.ts'
import { type EntryLook, selectEntryLook } from '../looks/stored-looks.ts'
import { ownerOfKey } from '../principal.ts'
import { requireEntryFace } from '../rows/entry.ts'
import { requireFits } from '../storage/counting/upload-size.ts'
import type { Catalog } from './catalog/catalog.ts'
import { type BestRow, type ListPage, listOfTexts, pageOfBest, textsOf } from './list-page.ts'
import type { LikeHit } from './looks/best.ts'
import { fullLikeness } from './looks/question.ts'
import { rankByLook } from './looks/rank.ts'
import { lookOf } from './looks/vectors.ts'
import { matching, resolveQuery, type SearchQuery } from './query.ts'

/** Which entries, and what their pages are bound to. */
export interface LikeInput {
  query: SearchQuery
  minScore: number | undefined
  limit: number | undefined
  cursor: string | undefined
  bound: readonly unknown[]
}

/** Entries that look like one of them; words and filters leave out others. */
export async function likeEntry(
  request: Context,
  entryId: number,
  input: LikeInput,
): Promise<{ catalog: Catalog; page: ListPage }> {
  const { sql, workspace, embedder } = request
  const { name } = await requireEntryFace(sql, workspace.id, { entryId, hold: false })
  const facts = await embedder.require()
  const look = await selectEntryLook(sql, workspace.id, { entryId, embedder: facts.name })
  if (!look?.vector) throw unknownLook({ entryId, name, look })
  const bound = [...input.bound, entryId, input.query.question]
  return ranked(request, { facts, questions: [lookOf(look.vector, facts.dimensions)], without: entryId }, { ...input, bound })
}

export async function searchByImage(
  request: Context & RawRequest & { input: InputOf<(typeof contract)['searchByImage']> },
): Promise<WrittenJson> {
  const { embedder, input, bytes, contentLength } = request
  requireFits(contentLength, limits.searchImage.bytes)
  const query = await resolveQuery(request)
  const facts = await embedder.require()
  const questions = await questionsOf({ bytes, contentLength, embedder, owner: ownerOfKey(request) })
  const { limit, min_score: minScore } = input
  const { catalog, page } = await ranked(request, { facts, questions }, { query, minScore, limit, cursor: undefined, bound: [] })
  return listOfTexts(await textsOf(request, catalog, page), { total_ranked: page.total })
}

interface Asked {
  facts: EmbedderFacts
  questions: readonly (Look | RoundedLook)[]
  without?: number
}

/** A page by look alone. */
async function ranked(
  { catalogs, workspace }: Context,
  { facts, questions, without }: Asked,
  { query, minScore, ...paging }: LikeInput,
): Promise<{ catalog: Catalog; page: ListPage }> {
  const { catalog, vectors } = await catalogs.withLooks(workspace.id, facts)
  if (query.question) await catalog.prepareWords()
  const { best, total, among } = await rankByLook(catalog, {
    vectors,
    questions,
    select: () => matching(catalog, query),
    without,
    least: leastLikeness(minScore),
    most: limits.ranked,
  })
  const { hits } = among
  const rows = best.map(({ row, likeness }): BestRow => {
    const [looks, words] = [scoreOf(likeness), hits?.fieldsOf(row) ?? []]
    const reason = { words, looks }
    return { id: catalog.entries.ids[row] as number, rank: likeness, score: looks, ...(hits && { matched: words }), reason }
  })
  return { catalog, page: pageOfBest(rows, { ...paging, total }) }
}

/** Words that would wait longer for the embedder, behind those of others, are searched for as words alone. */
const meaning = new WeightedQueue(4, 2_000)

/** The entries that words mean by their look, most like first; undefined where that cannot be said now. */
export async function meantByWords(
  request: Context,
  q: string,
  query: SearchQuery,
): Promise<{ catalog: Catalog; best: LikeHit[] } | undefined> {
  const { embedder, catalogs, workspace, log } = request
  const { facts } = embedder
  if (!facts?.hasWords) return undefined
  try {
    const giveBack = await meaning.take({ owner: ownerOfKey(request), weight: 1 })
    const questions = await embedder.words(q).finally(giveBack)
    const { catalog, vectors } = await catalogs.withLooks(workspace.id, facts)
    await catalog.prepareWords()
    const select = () => matching(catalog, { ...query, question: undefined })
    const { best } = await rankByLook(catalog, { vectors, questions, select, least: 0, most: mostMeant })
    return { catalog, best }
  } catch (error) {
    log.warn({ err: error }, 'words were searched for without their look')
    return undefined
  }
}

/** Every picture is somehow like any words: only the best of them say something. */
const mostMeant = 100

/** Scores are told in ten thousandths: the last bits are those of rounding. */
const scoreSteps = 10_000

/** From 0 to 1. */
export const scoreOf = (likeness: number): number =>
  Math.round(Math.min(1, Math.max(0, likeness / fullLikeness)) * scoreSteps) / scoreSteps

/** What has just this score is in. Without a bound, or from 0 on, that is every entry that has a look. */
export function leastLikeness(minScore = 0): number {
  // 0.9524 times 10,000 is a little more than 9,524.
  const steps = Math.ceil(minScore * scoreSteps - 1e-6)
  return steps <= 0 ? Number.NEGATIVE_INFINITY : Math.ceil(((steps - 0.5) * fullLikeness) / scoreSteps)
}

function unknownLook({ entryId, name, look }: { entryId: number; name: string; look: EntryLook | undefined }): ApiError {
  const why = look?.has_thumbnail
    ? look.failure
      ? `its thumbnail cannot be read: ${look.failure}`
      : 'its thumbnail is looked at in a few seconds.'
    : 'it has no thumbnail yet.'
  return new ApiError('EMBEDDINGS_UNAVAILABLE', `It is not known what ${name} looks like: ${why}`, {
    entry_id: entryId,
    httpStatus: 409,
  })
}
