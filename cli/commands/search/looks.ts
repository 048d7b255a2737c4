/** Searching by looks: by a picture, or by what looks like a prop; what cannot be, in words. */
import { resolve } from 'node:path'
import type { EntryPage, EntryQuestion } from '../../../client/entries/pages.ts'
import { requireEntryId } from '../../../client/entries/reference.ts'
import type { Api } from '../../../client/http/api.ts'
import { bodyOf } from '../../../client/http/body.ts'
import type { SearchPicture } from '../../../client/looks/search-picture.ts'
import { ApiError, exits } from '../../../contract/errors.ts'
import { limits } from '../../../contract/limits.ts'
import { printable } from '../../../system/printable.ts'
import { shellWord } from '../../../system/shell-word.ts'
import { text, value } from '../../command.ts'
import type { Context } from '../../context.ts'
import { Refusal, wrongUsage } from '../../refusal.ts'

/** Reads a likeness: above 0, at most 1; or as percent. */
export const likeness =
  (name: string) =>
  (given: string): number => {
    const [, digits = '', percent] = /^(\d{1,3}(?:\.\d{1,6})?)( ?%)?$/.exec(given) ?? []
    const read = digits === '' ? Number.NaN : Number(digits) / (percent ? 100 : 1)
    if (read > 0 && read <= 1) return read
    throw wrongUsage(`${name} takes a number above 0 and up to 1, not "${given}".`, `Write it like this: ${name} 0.9`)
  }

export const looksOptions = {
  like: text(
    '--like <file>',
    'what looks like a picture: PNG, JPEG, WebP, GIF, TGA, or the picture of a package, texture or mesh on this disk',
  ),
  similarTo: text('--similar-to <prop>', 'what looks like this prop, by its id, name or /Game path'),
  minScore: value(
    '--min-score <0..1>',
    'with the two above: at least so similar; from 0.97 on they look the same',
    likeness('--min-score'),
  ),
}

interface GivenLooks {
  like: string | undefined
  similarTo: string | undefined
  minScore: number | undefined
}

/** What hits are compared with. */
export type Looks = { picture: SearchPicture; minScore: number | undefined } | { entryId: number; minScore: number | undefined }

interface Other {
  sort: string | undefined
  reverse: boolean
  limit: number | undefined
  all: boolean
  cursor: string | undefined
  facets: boolean
  offline: boolean
}

/** Throws Refusal for what cannot go together. */
export function refuseLookContradictions({ like, similarTo, minScore }: GivenLooks, other: Other): void {
  const option = like === undefined ? (similarTo === undefined ? undefined : '--similar-to') : '--like'
  if (option === undefined) {
    if (minScore === undefined) return
    throw wrongUsage('--min-score needs something to look like.', 'Add --like <picture> or --similar-to <prop>.')
  }
  if (like !== undefined && similarTo !== undefined)
    throw wrongUsage('--like and --similar-to exclude each other.', 'Use one of them.')
  if (other.offline) throw notOffline()
  if (other.facets) throw wrongUsage(`--facets counts by filters, and ${option} is none.`, 'Leave one of them out.')
  if (other.reverse || (other.sort !== undefined && other.sort !== 'relevance'))
    throw wrongUsage(`${option} lists what is most similar first, in no other order.`, 'Leave out --sort and --reverse.')
  if (like === undefined) return
  if (other.cursor !== undefined)
    throw wrongUsage('--like gives one page, so there is nothing to go on with.', 'Leave out --cursor.')
  if (other.limit !== undefined && other.limit > limits.page.max)
    throw wrongUsage(`--like gives at most ${limits.page.max} entries.`, `Use --limit ${limits.page.max}, or --all for as many.`)
}

export const notOffline = (): Refusal =>
  new Refusal({
    code: 'NOT_OFFLINE',
    exit: exits.temporary,
    message: 'Looks are not known on this machine: only the server can compare pictures.',
    next: 'Search by words, or again when the server is reached.',
  })

/** Undefined where nothing is compared. Throws what reading the picture or finding the prop throws. */
export async function readLooks(context: Context, api: Api, given: GivenLooks): Promise<Looks | undefined> {
  const { like, similarTo, minScore } = given
  if (similarTo !== undefined) return { entryId: await requireEntryId(api, similarTo), minScore }
  if (like === undefined) return undefined
  const { searchPicture } = await import('../../../client/looks/search-picture.ts')
  const picture = await searchPicture(resolve(context.cwd, like))
  if (picture.made !== null && !context.out.json) context.out.note(`Searching by ${printable(picture.made)}.`)
  return { picture, minScore }
}

/** The part of the question that only ranks; facets do not take it. */
export const asksOf = (looks: Looks | undefined): EntryQuestion =>
  looks === undefined || 'picture' in looks ? {} : { similar_to: looks.entryId, ...minimum(looks) }

const minimum = ({ minScore }: Looks): EntryQuestion => (minScore === undefined ? {} : { min_score: minScore })

export type LikePage = Awaited<ReturnType<Api['entries']['searchByImage']>>

/** One page, the most similar first. */
export async function findLike(
  api: Api,
  { picture, minScore }: Extract<Looks, { picture: SearchPicture }>,
  question: EntryQuestion & { limit: number },
): Promise<LikePage> {
  const { bytes, contentType } = picture
  return api.entries.searchByImage({ ...question, ...minimum({ picture, minScore }), bytes: bodyOf(bytes), contentType })
}

/** Servers that do not know `min_score` list what is less similar, too: it is left out here. */
export function atLeast<P extends Pick<EntryPage, 'entries'>>(page: P, looks: Looks | undefined): P {
  const least = looks?.minScore
  return least === undefined
    ? page
    : { ...page, entries: page.entries.filter(({ score }) => score === undefined || score >= least) }
}

/** Does `work`, and says in words why a library cannot compare pictures now, or not with this prop. */
export async function inWords<T>({ similarTo }: Pick<GivenLooks, 'similarTo'>, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'EMBEDDINGS_UNAVAILABLE')) throw error
    const { status, details, code } = error
    const name = printable(similarTo ?? `entry ${details.entry_id ?? ''}`)
    if (status === 409)
      throw new Refusal({
        code,
        exit: exits.conflict,
        message: `${name} cannot be compared by its looks: it has no picture yet, or the library has not looked at it yet.`,
        next: `See whether it has a picture with \`ph show ${shellWord(name)}\`. If it has, try again in a minute; if not, save it in the editor and push it.`,
        details,
      })
    throw new Refusal({
      code,
      exit: exits.temporary,
      message: 'The library cannot compare pictures at the moment.',
      next: 'Search by words instead, or try again later. If it lasts, tell the administrator of the server.',
      details,
    })
  }
}
