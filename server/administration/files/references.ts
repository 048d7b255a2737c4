/** Rows that name rows which are not there. The database itself keeps only some of these; the rest is kept by how the server writes. */
import type { BrokenReference } from '../../../contract/operator-files.ts'
import type { Sql } from '../../database/sql.ts'

/** Table, column, and the table whose `id` it names within the same workspace. */
const references = [
  ['lineages', 'face_object_id', 'objects'],
  ['objects', 'lineage_id', 'lineages'],
  ['objects', 'pack_id', 'packs'],
  ['objects', 'thumbnail_artifact_id', 'artifacts'],
  ['objects', 'preview_artifact_id', 'artifacts'],
  ['artifacts', 'object_id', 'objects'],
  ['package_guids', 'lineage_id', 'lineages'],
  ['entries', 'lineage_id', 'lineages'],
  ['entries', 'variant_group_id', 'variant_groups'],
  ['entry_names', 'entry_id', 'entries'],
  ['dependencies', 'object_id', 'objects'],
  ['dependencies', 'needs_object_id', 'objects'],
  ['awaited_imports', 'object_id', 'objects'],
  ['placings', 'lineage_id', 'lineages'],
  ['placings', 'object_id', 'objects'],
  ['level_sets', 'lineage_id', 'lineages'],
  ['level_sets', 'object_id', 'objects'],
  ['level_parts', 'lineage_id', 'lineages'],
  ['level_parts', 'object_id', 'objects'],
  ['entry_tags', 'entry_id', 'entries'],
  ['entry_tags', 'tag_id', 'tags'],
  ['collection_entries', 'collection_id', 'collections'],
  ['collection_entries', 'entry_id', 'entries'],
  ['comments', 'entry_id', 'entries'],
  ['comments', 'created_by', 'members'],
  ['comment_reactions', 'comment_id', 'comments'],
  ['annotations', 'entry_id', 'entries'],
  ['annotations', 'preview_artifact_id', 'artifacts'],
  ['api_keys', 'member_id', 'members'],
] as const

const mostExamples = 5

export async function findBrokenReferences(sql: Sql): Promise<{ checked: number; broken: BrokenReference[] }> {
  const broken: BrokenReference[] = []
  for (const [table, column, target] of references) {
    const [found] = await sql<{ rows: number; examples: string[] }[]>`
      select count(*)::int as rows, coalesce(json_agg(value) filter (where nth <= ${mostExamples}), '[]') as examples
        from (select r.workspace_id || '/' || r.${sql(column)} as value, row_number() over () as nth
                from ${sql(table)} r
               where r.${sql(column)} is not null
                 and not exists (select 1 from ${sql(target)} t where t.workspace_id = r.workspace_id and t.id = r.${sql(column)})) b`
    if (found && found.rows > 0) broken.push({ reference: `${table}.${column} -> ${target}`, ...found })
  }
  return { checked: references.length, broken }
}
