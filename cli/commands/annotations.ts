/** `ph annotations`: what was drawn on the pictures of a prop. */
import { requireEntryId } from '../../client/entries/reference.ts'
import type { Annotation } from '../../contract/annotations.ts'
import { printable } from '../../system/printable.ts'
import { command, value } from '../command.ts'
import type { Context } from '../context.ts'
import { type Versions, versionWords } from '../discussion/comment-words.ts'
import { personName } from '../discussion/people.ts'
import { chooseVersion, readVersionChoice } from '../entries/version-name.ts'
import { withLibrary } from '../library.ts'
import { age, number } from '../terminal/amounts.ts'
import { table } from '../terminal/table.ts'

export const commands = [
  command({
    usage: 'annotations <entry>',
    description: 'Places are shares of the picture, from its upper left corner; a point3d is where it lies in the scene.',
    arguments: { entry: 'its id, its name or its /Game path' },
    options: { version: value('--version <version>', 'only those on this version, such as v2', readVersionChoice) },
    examples: [
      ['annotations SM_Barrel', 'all of them, oldest first'],
      ['annotations SM_Barrel --version v2 --json', 'with their geometry, for a program'],
    ],
    async run(context, { entry: reference, version: choice }) {
      await withLibrary(context, async ({ api }) => {
        const { id: entry_id, lineage_id, name } = await api.entries.get({ entry_id: await requireEntryId(api, reference) })
        const { objects } = await api.lineages.get({ lineage_id })
        const version = choice && chooseVersion(objects, choice, printable(name))
        const found = await api.annotations.list({ entry_id, ...(version ? { object_id: version.object_id } : {}) })
        context.out.result({ entry_id, name, ...found }, () =>
          found.annotations.length === 0
            ? `Nothing is drawn on ${printable(name)}${choice ? ` ${choice.given}` : ''}.`
            : rows(found.annotations, objects, context),
        )
      })
      return undefined
    },
  }),
]

const rows = (annotations: readonly Annotation[], versions: Versions, { out, now }: Context): string[] =>
  table(
    annotations,
    [
      { title: 'ID', value: ({ id }) => id, right: true },
      { title: 'SHAPE', value: ({ shape }) => shape },
      { title: 'WHERE', value: placeWords, cut: 'end' },
      { title: 'VERSION', value: ({ object_id }) => versionWords(object_id, versions) },
      { title: 'COMMENT', value: ({ comment_id }) => comment_id ?? '-', right: true },
      { title: 'BY', value: ({ author }) => personName(author), cut: 'end' },
      { title: 'DRAWN', value: ({ created_at }) => age(created_at, now()), spare: true },
    ],
    out,
  )

const share = (value: unknown): string => (typeof value === 'number' ? `${number(Math.round(value * 1000) / 10)}%` : '?')

/** What the server sent may be of a shape that is not known yet. */
function placeWords({ shape, geometry }: Annotation): string {
  const { x, y, w, h, points, point } = geometry
  if (shape === 'rect' || shape === 'ellipse') return `${share(x)}, ${share(y)}: ${share(w)} x ${share(h)}`
  if (shape === 'freehand' && Array.isArray(points)) return `${number(points.length)} points`
  if (shape === 'point3d' && Array.isArray(point))
    return point.map((one) => number(Math.round(Number(one) * 100) / 100)).join(', ')
  return '-'
}
