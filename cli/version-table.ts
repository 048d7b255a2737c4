/** The versions of a lineage as rows, as `ph history` and `ph show` list them. */
import type { LineageObject } from '../contract/lineages.ts'
import { age, size } from './amounts.ts'
import type { Context } from './context.ts'
import { type Column, table } from './table.ts'

/** Versions as rows; the current one is marked by a sign, not by colour alone. */
export function versionTable(versions: readonly LineageObject[], { out, now }: Context): string[] {
  const today = now()
  const columns: Column<LineageObject>[] = [
    { title: '', value: (version) => (version.is_face ? '*' : ' ') },
    { title: 'VERSION', value: (version) => version.object_id, right: true },
    { title: 'PUSHED', value: (version) => age(version.date_ingested, today) },
    { title: 'BY', value: (version) => version.published_by?.name ?? '-', cut: 'end' },
    { title: 'SIZE', value: (version) => size(version.blob_size), right: true, spare: 'late' },
    { title: 'ENGINE', value: (version) => version.engine_version ?? '-', spare: true },
    { title: 'REVIEW', value: (version) => version.review_status.replaceAll('_', ' '), spare: true },
    { title: 'HASH', value: (version) => version.content_hash.slice(0, 12), spare: true },
  ]
  const lines = table(versions, columns, out)
  return out.terminal ? [...lines, out.paint('dim', '* is the current version')] : lines
}
