/** Versions that the library took before it refused programs and scripts, and what lies among the scripts of the editor. Reads only. */
import { executableKinds, kindOf, packageKinds, whyNotKept } from '../../../contract/file-kinds.ts'
import { type ExecutableVersion, mostExecutables } from '../../../contract/operator-files.ts'
import { extensionOf } from '../../../formats/package-place.ts'
import type { Sql } from '../../database/sql.ts'

type Row = Omit<ExecutableVersion, 'why'> & { asset_class: string; source_path: string | null; total: number }

/** By the same rules as a push: kind, place, and the path that it was pushed from. */
export async function findExecutables(sql: Sql): Promise<{ total: number; listed: ExecutableVersion[] }> {
  const kinds = [...executableKinds]
  const rows = await sql<Row[]>`
    select w.slug as workspace, coalesce(e.name, o.asset_name, o.origin_path, o.source_path, 'without a name') as name, o.id as object_id,
           o.version, e.id as entry_id, o.origin_path, o.source_ext, o.source_path, o.asset_class, count(*) over ()::int as total
      from objects o join workspaces w on w.id = o.workspace_id
      left join entries e on e.workspace_id = o.workspace_id and e.lineage_id = o.lineage_id
     where o.source_ext = any(${kinds})
        or (o.path_key like '/game/python/%' and o.source_ext <> all(${[...packageKinds]}))
        or lower(substring(rtrim(o.source_path, '. ') from '\\.([^./]*)$')) = any(${kinds})
     order by o.id desc limit ${mostExecutables}`
  const listed = rows.map(({ source_path, asset_class, total: _, ...row }) => ({
    ...row,
    why: whyOf({ ...row, source_path, asset_class }),
  }))
  return { total: rows[0]?.total ?? 0, listed }
}

function whyOf({ source_ext, asset_class, origin_path, source_path }: Omit<Row, 'total'>): string {
  const named = source_path === null ? undefined : whyNotKept({ kind: kindOf(source_path) })
  return (
    whyNotKept({ kind: extensionOf({ source_ext, asset_class }), packagePath: origin_path }) ?? named ?? 'is a program or script'
  )
}
