/** `ph review show`: a review with its picture, its versions, who answered what, who has not, and what depends on it. */
import pLimit from 'p-limit'
import { requireEntryId } from '../../../client/entries/reference.ts'
import { readRoundName } from '../../../client/reviews/find-rounds.ts'
import { type ReviewReport, reportOfEntry, reportOfRound } from '../../../client/reviews/report.ts'
import type { Attachment } from '../../../contract/attachments.ts'
import type { UserStub } from '../../../contract/shapes.ts'
import { command, flag } from '../../command.ts'
import type { Context } from '../../context.ts'
import { personName } from '../../discussion/people.ts'
import { sideName } from '../../entries/comparison-words.ts'
import { type Library, withLibrary } from '../../library.ts'
import { showFramed } from '../../terminal/gallery.ts'
import { fetchAttachment, fetchPicture, fetchThumbnails, pictureDrawing, pictureTerms } from '../../terminal/pictures.ts'
import { readTeam } from './people.ts'
import { headWords, reviewWords } from './show-words.ts'

/** Beside the words where there is room for both, else above them. */
const picture = { beside: { columns: 36, rows: 14 }, above: { columns: 40, rows: 14 }, gap: 3, roomBeside: 100 }

export const showCommand = command({
  usage: 'review show <review>',
  summary: 'Show a review: who answered what, who has not, what depends on it',
  description:
    'Of a prop its open review is shown, else its last one. Beside it stand what is different from the version that was approved before, and what is decided of the current version.',
  arguments: { review: 'a review such as r12, or a prop by id, name or /Game path' },
  options: { noPictures: flag('--no-pictures', 'show no pictures') },
  terms: pictureTerms,
  examples: [
    ['review show SM_Barrel', 'its open review, or its last one'],
    ['review show r12', 'one of them, as `ph review list` names it'],
    [
      'review show r12 --json | jq ".request.reviewers[].response"',
      'everything as JSON: entry, request, review, version, current, approved, against_approved, since_approved, impact, other_requests',
    ],
  ],
  async run(context, { review: reference, noPictures }) {
    await withLibrary(context, async (library) => {
      const { api } = library
      const requestId = readRoundName(reference)
      const report =
        requestId === undefined
          ? await reportOfEntry(api, await requireEntryId(api, reference))
          : await reportOfRound(api, requestId)
      const team = context.out.json ? undefined : await readTeam(api)
      const head = await headLines(context, library, { report, wanted: !noPictures })
      context.out.result(report, () => [...head, ...(team ? reviewWords(report, { ...context, team }) : [])])
      if (!noPictures) await showPictures(context, library, report)
    })
    return undefined
  },
})

/** Where the picture stands beside the words they are drawn with it, and no lines are left to print. */
async function headLines(
  context: Context,
  library: Library,
  { report, wanted }: { report: ReviewReport; wanted: boolean },
): Promise<string[]> {
  const { out } = context
  const { entry, version } = report
  // The library keeps a picture of each version, and shows that of the current one.
  const isPictured = entry.has_thumbnail && version.is_face
  const drawing = await pictureDrawing(context, wanted && isPictured)
  const bytes = drawing && (await fetchThumbnails(context, library, [entry.id])).get(entry.id)
  if (!drawing || !bytes) return headWords(report, context, out.width)
  if (out.width >= picture.roomBeside) {
    const lines = headWords(report, context, out.width - picture.beside.columns - picture.gap)
    out.raw(await drawing.drawBeside(bytes, lines, { box: picture.beside, gap: picture.gap, margin: 0 }))
    return []
  }
  out.raw(await drawing.draw(bytes, { ...picture.above, columns: Math.min(picture.above.columns, out.width) }))
  return headWords(report, context, out.width)
}

const requestsAtOnce = 6
/** So long the view waits for pictures that people sent. */
const patienceMs = 5000

/** The approved version and the one under review side by side, and what people attached: they only adorn. */
async function showPictures(context: Context, library: Library, report: ReviewReport): Promise<void> {
  if (!(await pictureDrawing(context, true))) return
  const atOnce = pLimit(requestsAtOnce)
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(patienceMs)])
  const orNothing = (picture: Promise<Uint8Array | undefined>) =>
    picture.catch(() => void context.signal.throwIfAborted() as undefined)
  const framed = await Promise.all([
    ...sidesOf(report).map(async ({ artifactId, caption }) => ({
      picture: await orNothing(atOnce(() => fetchPicture(library, artifactId, { signal }))),
      caption,
    })),
    ...attachedTo(report).map(async ({ id, caption }) => ({
      picture: await orNothing(atOnce(() => fetchAttachment(library, id, signal))),
      caption,
    })),
  ])
  await showFramed(
    context,
    framed.filter(({ picture }) => picture !== undefined),
  )
}

/** Only where both versions have a picture, and another one: else there is nothing to compare. */
function sidesOf({ against_approved: against }: ReviewReport): { artifactId: number; caption: string }[] {
  const sides = [against?.approved, against?.version]
  const artifacts = sides.flatMap((side) => side?.thumbnail_artifact_id ?? [])
  if (new Set(artifacts).size < 2) return []
  return sides.flatMap((side, at) =>
    side?.thumbnail_artifact_id
      ? [{ artifactId: side.thumbnail_artifact_id, caption: `${sideName(side)}, ${at === 0 ? 'approved' : 'under review'}` }]
      : [],
  )
}

function attachedTo({ request }: ReviewReport): { id: number; caption: string }[] {
  if (!request) return []
  const captioned = (attachments: readonly Attachment[], user: UserStub) =>
    attachments.map(({ id }) => ({ id, caption: `picture of ${personName(user)}` }))
  return [
    ...captioned(request.attachments, request.requested_by),
    ...request.reviewers.flatMap(({ attachments, user }) => captioned(attachments, user)),
  ]
}
