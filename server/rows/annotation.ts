/** The only place that lists the columns of an annotation. */
import type { Annotation } from '../../contract/annotations.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Fragment, Sql } from '../database/sql.ts'
import { stubOf } from './review.ts'

/** `tail` may use the alias n and begins with `and` or `order by`. */
export const selectAnnotations = (sql: Sql, workspaceId: number, tail: Fragment): PromiseLike<Annotation[]> =>
  sql<Annotation[]>`
    select n.id, n.entry_id, n.object_id, n.preview_artifact_id, n.comment_id, n.shape, n.geometry, ${stubOf(sql, 'm')} as author, n.created_at
      from annotations n left join members m on m.workspace_id = n.workspace_id and m.id = n.created_by
     where n.workspace_id = ${workspaceId} ${tail}`

/** ANNOTATION_NOT_FOUND otherwise. */
export async function requireAnnotation(sql: Sql, workspaceId: number, id: number): Promise<Annotation> {
  const [annotation] = await selectAnnotations(sql, workspaceId, sql`and n.id = ${id}`)
  if (!annotation) throw annotationNotFound(id)
  return annotation
}

export const annotationNotFound = (id: number) =>
  new ApiError('ANNOTATION_NOT_FOUND', `There is no annotation ${id} in this workspace.`)
