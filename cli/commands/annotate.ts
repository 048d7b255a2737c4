/** `ph annotate`: what a program draws on the picture of a prop; people draw in the browser. */
import { requireEntryId } from '../../client/entries/reference.ts'
import { command, flag, value } from '../command.ts'
import { commentArgument, readCommentId } from '../discussion/comment-reference.ts'
import { requireWriter } from '../entries/key-rights.ts'
import { readVersionChoice } from '../entries/version-name.ts'
import { withLibrary } from '../library.ts'
import { wrongUsage } from '../refusal.ts'
import { count } from '../terminal/amounts.ts'
import { draw } from './annotate/draw.ts'
import { readDrawingFile } from './annotate/read.ts'

const annotationArgument = 'its id, as `ph annotations` shows it'

export const commands = [
  command({
    usage: 'annotate <entry> <file>',
    description:
      'Takes one drawing or a list of them as JSON: {"shape": "rect", "geometry": {"x": 0.1, "y": 0.2, "w": 0.3, "h": 0.4}}. A rect and an ellipse have x, y, w and h, freehand has points [[x, y], …], all from 0 to 1 of the picture; point3d has point [x, y, z] and camera {…}. A drawing may also have object_id (the version), preview_artifact_id (the picture of it) and comment_id (the thread that it belongs to); without them it is on the preview of the current version, else on its thumbnail. All are checked before one is sent.',
    arguments: { entry: 'its id, its name or its /Game path', file: 'a JSON file; - reads standard input' },
    options: {
      version: value('--version <version>', 'on this version, such as v2, where a drawing names none', readVersionChoice),
      comment: value('--comment <comment>', 'for this comment at the top of a thread, where a drawing names none', readCommentId),
      thumbnail: flag('--thumbnail', 'on the thumbnail, where a drawing names no picture'),
      dryRun: flag('--dry-run', 'only check the drawings'),
    },
    examples: [
      ['annotate SM_Barrel rings.json --comment 12', 'show what comment 12 means'],
      ['annotate SM_Barrel - --json', 'a drawing of standard input; prints what was made of it'],
      ['annotate SM_Barrel rings.json --dry-run', 'check a file'],
    ],
    exits: ['conflict'],
    async run(context, { entry: reference, file, version, comment, thumbnail, dryRun }) {
      const drawings = await readDrawingFile(context, file)
      await withLibrary(context, async ({ api }) => {
        if (!dryRun) await requireWriter(api)
        const entryId = await requireEntryId(api, reference)
        await draw(context, api, { entryId, drawings, version, comment, thumbnail, dryRun })
      })
      return undefined
    },
  }),
  command({
    usage: 'annotate tie <annotation> <comment>',
    summary: 'Make a drawing that belongs to no comment belong to one',
    arguments: { annotation: annotationArgument, comment: commentArgument },
    examples: [['annotate tie 7 12', 'drawing 7 shows what comment 12 means']],
    exits: ['conflict'],
    async run(context, { annotation, comment }) {
      const ids = { annotation_id: readAnnotationId(annotation), comment_id: readCommentId(comment) }
      await withLibrary(context, async ({ api }) => {
        await requireWriter(api)
        const tied = await api.annotations.update(ids)
        context.out.result(tied, `Drawing ${tied.id} belongs to comment ${tied.comment_id}.`)
      })
      return undefined
    },
  }),
  command({
    usage: 'annotate delete <annotations...>',
    summary: 'Delete drawings',
    description: 'Who drew it may, and admins.',
    arguments: { annotations: annotationArgument },
    examples: [['annotate delete 7 8', 'two drawings']],
    async run(context, { annotations }) {
      const ids = [...new Set(annotations.map(readAnnotationId))]
      await withLibrary(context, async ({ api }) => {
        await requireWriter(api)
        for (const [at, annotation_id] of ids.entries())
          await api.annotations.remove({ annotation_id }).catch((error: unknown) => {
            if (at > 0)
              context.out.note(`${count(at, 'drawing')} of ${ids.length} ${at === 1 ? 'was' : 'were'} deleted before that.`)
            throw error
          })
        context.out.result({ deleted: ids }, `Deleted ${count(ids.length, 'drawing')}.`)
      })
      return undefined
    },
  }),
]

function readAnnotationId(given: string): number {
  if (/^[1-9]\d{0,14}$/.test(given)) return Number(given)
  throw wrongUsage(`"${given}" is not the id of a drawing.`, 'See the ids with `ph annotations <entry>`.')
}
