/** What people type to mean review rounds: `r12`, or the prop whose open round it is. */
import pLimit from 'p-limit'
import { ApiError } from '../../contract/errors.ts'
import type { ReviewRequest } from '../../contract/review-requests.ts'
import { ClientError } from '../client-error.ts'
import { versionName, versionNumber } from '../entries/current-version.ts'
import { readEntryDetails } from '../entries/details.ts'
import { requireEachEntryId } from '../entries/reference.ts'
import type { Api } from '../http/api.ts'

/** A round with the prop that it is about. */
export interface FoundRound {
  request: ReviewRequest
  name: string
  /** Of the round: `v3`. */
  version: string
  /** Another version has become current since. */
  isOutdated: boolean
  /** It was meant by its own name, not by that of its prop, whose current version may be another. */
  isNamed: boolean
}

const requestsAtOnce = 8

/** Numbers alone mean entries, here as everywhere. */
export const roundName = (id: number): string => `r${id}`

export function readRoundName(reference: string): number | undefined {
  const [, digits] = /^r([1-9]\d{0,14})$/i.exec(reference) ?? []
  return digits === undefined ? undefined : Number(digits)
}

/**
 * The rounds that are meant, in order, each once. A prop means its open round: of several the one in which `me` is asked, or that of
 * the current version. Throws ClientError `NO_OPEN_REVIEW` or `REVIEW_AMBIGUOUS`, and as `requireEntryIds` does.
 */
export async function findRounds(api: Api, references: readonly string[], me: number): Promise<FoundRound[]> {
  const entryIds = await entriesOf(api, references)
  const atOnce = pLimit(requestsAtOnce)
  const found = await Promise.all(
    references.map((reference) =>
      atOnce(() => {
        const requestId = readRoundName(reference)
        return requestId === undefined
          ? openRound(api, { reference, entryId: entryIds.get(reference) ?? 0, me })
          : namedRound(api, requestId)
      }),
    ),
  )
  const unique = [...new Map(found.map((one) => [one.request.id, one])).values()]
  const named = new Set(references.map(readRoundName))
  const names = await readVersionNames(
    api,
    unique.map(({ request }) => request),
  )
  return unique.map(({ request, name, faceId }) => ({
    request,
    name,
    version: names.get(request.object_id) ?? versionName(request),
    isOutdated: faceId !== request.object_id,
    isNamed: named.has(request.id),
  }))
}

/** The ids of those that are no names of rounds. */
async function entriesOf(api: Api, references: readonly string[]): Promise<Map<string, number>> {
  const names = [...new Set(references.filter((one) => readRoundName(one) === undefined))]
  const ids = names.length > 0 ? await requireEachEntryId(api, names) : []
  return new Map(names.map((name, at) => [name, ids[at] ?? 0]))
}

interface Known {
  request: ReviewRequest
  name: string
  faceId: number
}

async function namedRound(api: Api, request_id: number): Promise<Known> {
  const { request, entry } = await api.reviewRequests.get({ request_id })
  return { request, name: entry.name, faceId: entry.face_object_id }
}

interface Naming {
  reference: string
  entryId: number
  me: number
}

async function openRound(api: Api, { reference, entryId, me }: Naming): Promise<Known> {
  const [{ requests }, details] = await Promise.all([
    api.reviewRequests.ofEntry({ entry_id: entryId, status: 'open' }),
    readEntryDetails(api, [entryId]),
  ])
  const entry = details.get(entryId)
  if (!entry) throw new ApiError('ENTRY_NOT_FOUND', `There is no entry ${entryId} in this workspace.`)
  return { request: chooseRound(requests, { entry, me, reference }), name: entry.name, faceId: entry.object_id }
}

interface Choice {
  entry: { name: string; object_id: number }
  me: number
  reference: string
}

const withoutRound =
  'See what became of the last one with `ph review show`, ask for another with `ph review request`, or decide directly with `ph review decide`.'

function chooseRound(open: readonly ReviewRequest[], { entry, me, reference }: Choice): ReviewRequest {
  const [first] = open
  if (!first)
    throw new ClientError('NO_OPEN_REVIEW', `No review of ${entry.name} is open.`, {
      next: /^\d+$/.test(reference)
        ? `A number alone is an entry; a review is written ${roundName(Number(reference))}. ${withoutRound}`
        : withoutRound,
    })
  const asked = open.filter(({ reviewers }) => reviewers.some(({ user }) => user.id === me))
  const candidates = asked.length > 0 ? asked : open
  const found = candidates.length === 1 ? candidates[0] : candidates.find(({ object_id }) => object_id === entry.object_id)
  if (found) return found
  const names = candidates.map(({ id }) => roundName(id))
  throw new ClientError(
    'REVIEW_AMBIGUOUS',
    `Several reviews of ${entry.name} are open, of earlier versions: ${names.join(', ')}.`,
    {
      details: { request_ids: candidates.map(({ id }) => id) },
    },
  )
}

/** `v3` for the version of each round, by the id of the version. */
export async function readVersionNames(
  api: Pick<Api, 'lineages'>,
  rounds: readonly Pick<ReviewRequest, 'lineage_id'>[],
): Promise<Map<number, string>> {
  const atOnce = pLimit(requestsAtOnce)
  const lineageIds = [...new Set(rounds.map(({ lineage_id }) => lineage_id))]
  const lineages = await Promise.all(lineageIds.map((lineage_id) => atOnce(() => api.lineages.get({ lineage_id }))))
  return new Map(
    lineages.flatMap((lineage) =>
      lineage.objects.map(({ object_id }) => {
        return [object_id, versionName({ object_id, version: versionNumber(lineage, object_id) })] as const
      }),
    ),
  )
}
