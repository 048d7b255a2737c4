/** `ph comments`: what people said about a prop, in threads. */
import { resolve } from 'node:path'
import { type Thread, threadsOf } from '../../client/discussion/threads.ts'
import { requireEntryId } from '../../client/entries/reference.ts'
import { printable } from '../../system/printable.ts'
import { shellWord } from '../../system/shell-word.ts'
import { command, flag, text, value } from '../command.ts'
import type { Context } from '../context.ts'
import { type CommentLook, threadLines } from '../discussion/comment-words.ts'
import { chooseVersion, readVersionChoice } from '../entries/version-name.ts'
import { withLibrary } from '../library.ts'
import { count } from '../terminal/amounts.ts'
import { pictureTerms } from '../terminal/pictures.ts'
import { wrap } from '../terminal/wrap.ts'
import { savePictures, showPictures } from './comments/attachments.ts'

export const commands = [
  command({
    usage: 'comments <entry>',
    description:
      'Threads in the order in which they were begun, with their replies set in. Each comment has a number before it, by which `ph comment --reply`, `ph resolve` and `ph react` know it. A thread that is resolved says so behind a ✓. Drawings that belong to a comment stand below it; `ph annotations` says where they are.',
    arguments: { entry: 'its id, its name or its /Game path' },
    options: {
      open: flag('--open', 'only threads that are not resolved'),
      version: value('--version <version>', 'only threads about this version, such as v2', readVersionChoice),
      pictures: flag('--pictures', 'show the pictures that go with them'),
      save: text('--save <folder>', 'write those pictures into a folder, each under its number'),
    },
    terms: pictureTerms,
    examples: [
      ['comments SM_Barrel', 'everything that was said'],
      ['comments SM_Barrel --open', 'what is still to be done'],
      ['comments SM_Barrel --save ./pictures', 'with the pictures as files'],
      ['comments SM_Barrel --json | jq -r ".comments[].body"', 'texts for a script'],
    ],
    async run(context, { entry: reference, open, version: choice, pictures, save }) {
      await withLibrary(context, async (library) => {
        const { api } = library
        const entry = await api.entries.get({ entry_id: await requireEntryId(api, reference) })
        const [{ objects }, { annotations }] = await Promise.all([
          api.lineages.get({ lineage_id: entry.lineage_id }),
          api.annotations.list({ entry_id: entry.id }),
        ])
        const version = choice && chooseVersion(objects, choice, printable(entry.name))
        const all = threadsOf(entry.comments)
        const threads = all.filter((thread) => (!open || thread.top.resolved_at === null) && speaksOf(thread, version?.object_id))
        const comments = threads.flatMap(({ top, replies }) => [top, ...replies])
        const attached = comments.flatMap(({ attachments }) => attachments)
        const saved = save === undefined ? undefined : await savePictures(library, attached, resolve(context.cwd, save))
        const named = { entry_id: entry.id, name: entry.name }
        context.out.result({ ...named, comments, ...(saved ? { saved } : {}) }, () =>
          threads.length === 0
            ? nothingSaid(entry.name, all.length > 0)
            : listing(threads, { name: entry.name, versions: objects, drawings: annotations, context }),
        )
        if (pictures) await showPictures(context, library, attached)
        if (saved) context.out.note(`${count(saved.length, 'picture')} written to ${printable(save ?? '')}.`)
      })
      return undefined
    },
  }),
]

const speaksOf = ({ top, replies }: Thread, objectId: number | undefined): boolean =>
  objectId === undefined || [top, ...replies].some(({ object_id }) => object_id === objectId)

const nothingSaid = (name: string, isFiltered: boolean): string =>
  isFiltered
    ? `No thread on ${printable(name)} is like that; \`ph comments ${shellWord(printable(name))}\` shows all.`
    : `Nobody has said anything about ${printable(name)} yet. Begin: \`ph comment ${shellWord(printable(name))}\``

function listing(
  threads: readonly Thread[],
  { name, context, ...found }: { name: string; context: Context } & Pick<CommentLook, 'versions' | 'drawings'>,
): string[] {
  const { out, now } = context
  const comments = threads.reduce((sum, { replies }) => sum + 1 + replies.length, 0)
  const resolved = threads.filter(({ top }) => top.resolved_at !== null).length
  const parts = [
    printable(name),
    `${count(comments, 'comment')} in ${count(threads.length, 'thread')}`,
    ...(resolved > 0 ? [`${resolved} resolved`] : []),
  ]
  return [
    ...wrap(`${out.paint('bold', parts[0] ?? '')}, ${parts.slice(1).join(', ')}`, out.width),
    ...threads.flatMap((thread) => ['', ...threadLines(thread, { out, now, ...found })]),
  ]
}
