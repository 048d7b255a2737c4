/** The versions of a lineage as rows, as `ph history` and `ph show` list them. */

import { versionName } from '../../client/entries/current-version.ts'
import type { LineageObject } from '../../contract/lineages.ts'
import type { Context } from '../context.ts'
import { age, size } from '../terminal/amounts.ts'
import { type Column, table } from '../terminal/table.ts'
import { noteLine } from './version-name.ts'

const noteColumn: Column<LineageObject> = { title: 'NOTE', value: (version) => noteLine(version.push_note) || '-', cut: 'end' }
const projectColumn: Column<LineageObject> = {
  title: 'FROM',
  value: (version) => version.pushed_from ?? '-',
  cut: 'end',
  spare: 'late',
}

/** Versions as rows; the current one is marked by a sign, not by colour alone. */
export function versionTable(versions: readonly LineageObject[], { out, now }: Context): string[] {
  const today = now()
  // Programs find every column at its position.
  const columns: Column<LineageObject>[] = [
    { title: '', value: (version) => (version.is_face ? '*' : ' ') },
    { title: 'VERSION', value: versionName, right: true },
    { title: 'PUSHED', value: (version) => age(version.date_ingested, today) },
    { title: 'BY', value: (version) => version.published_by?.name ?? '-', cut: 'end' },
    ...(!out.terminal || versions.some(({ push_note }) => push_note) ? [noteColumn] : []),
    ...(!out.terminal || versions.some(({ pushed_from }) => pushed_from) ? [projectColumn] : []),
    { title: 'SIZE', value: (version) => size(version.blob_size), right: true, spare: 'late' },
    { title: 'ENGINE', value: (version) => version.engine_version ?? '-', spare: true },
    { title: 'REVIEW', value: (version) => version.review_status.replaceAll('_', ' '), spare: true },
    { title: 'HASH', value: (version) => version.content_hash.slice(0, 12), spare: true },
  ]
  const lines = table(versions, columns, out)
  return out.terminal ? [...lines, out.paint('dim', '* is the current version')] : lines
}
