/** What a library stores, as people read it. */
import type { StorageFigures } from '../../../contract/admin.ts'
import { printable } from '../../../system/printable.ts'
import type { Context } from '../../context.ts'
import { count, number, size } from '../../terminal/amounts.ts'
import { table } from '../../terminal/table.ts'

interface Row {
  title: string
  files: number
  bytes: number
}

const kindWords: Record<StorageFigures['by_kind'][number]['kind'], string> = {
  versions: 'versions of props',
  previews: 'previews',
  thumbnails: 'thumbnails',
  attachments: 'attachments',
  unused: 'in use by nothing',
}

/** Longer lists end in a row that sums up the rest; `--json` has all that the server tells. */
const mostRows = 12
const barWidth = 20

export function storageLines(figures: StorageFigures, context: Context): string[] {
  const { stored_bytes, limit_bytes, by_kind, by_pack, other_packs, by_month, orphaned, denylisted } = figures
  const limit = limit_bytes === null ? 'No limit is set.' : `The limit is ${size(limit_bytes)}.`
  const packs = by_pack.map(({ pack, files, bytes }) => ({ title: printable(pack.name), files, bytes }))
  const rest = { files: other_packs.files, bytes: other_packs.bytes, rows: other_packs.packs }
  const months = by_month.map(({ month, files, bytes }) => ({ title: month, files, bytes }))
  return [
    `${size(stored_bytes)} stored. ${limit}`,
    '',
    ...rows(
      'KIND',
      by_kind.map(({ kind, files, bytes }) => ({ title: kindWords[kind], files, bytes })),
      context,
    ),
    '',
    ...rows('PACK', shortened(packs, 'other packs', rest), context),
    '',
    ...rows('MONTH', shortened(months, 'earlier months'), context),
    '',
    orphaned.files > 0
      ? `A sweep would free ${size(orphaned.bytes)} (${count(orphaned.files, 'file')}): \`ph admin sweep\``
      : 'There is nothing to sweep.',
    ...(denylisted.files > 0
      ? [
          `${count(denylisted.files, 'stored file')} on the denylist, ${size(denylisted.bytes)}: \`ph admin sweep files --dry-run\``,
        ]
      : []),
  ]
}

/** The rest of a list in one row, with what the server summed up already. */
function shortened(all: readonly Row[], noun: string, summed = { files: 0, bytes: 0, rows: 0 }): Row[] {
  if (all.length + summed.rows <= mostRows) return [...all]
  const shown = all.slice(0, mostRows - 1)
  const others = all.slice(mostRows - 1)
  return [
    ...shown,
    {
      title: `${number(others.length + summed.rows)} ${noun}`,
      files: others.reduce((sum, { files }) => sum + files, summed.files),
      bytes: others.reduce((sum, { bytes }) => sum + bytes, summed.bytes),
    },
  ]
}

function rows(title: string, list: readonly Row[], { out }: Context): string[] {
  const most = Math.max(1, ...list.map(({ bytes }) => bytes))
  return table(
    list,
    [
      { title, value: (row) => row.title, cut: 'end' },
      { title: 'SIZE', value: ({ bytes }) => size(bytes), right: true },
      { title: 'FILES', value: ({ files }) => number(files), right: true },
      { title: 'SHARE', value: ({ bytes }) => '█'.repeat(Math.round((bytes / most) * barWidth)), spare: true },
    ],
    out,
  )
}
