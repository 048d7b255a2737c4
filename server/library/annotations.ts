/** Annotations: what is drawn on thumbnails and previews (spec 4.7). */
import { type Annotation, type annotations as contract, geometryFailure } from '../../contract/annotations.ts'
import { ApiError, validationError } from '../../contract/errors.ts'
import type { InputOf } from '../../contract/route.ts'
import type { Fragment, Sql } from '../database/sql.ts'
import { atOneMoment } from '../database/transaction.ts'
import { holdTop } from '../discussion/comments.ts'
import type { Context, Handlers } from '../handler.ts'
import { selectArtifacts } from '../rows/artifact.ts'
import { requireEntryFace, requireEntryRow } from '../rows/entry.ts'
import { stubOf } from '../rows/json.ts'
import { requireVersionOf } from '../rows/version.ts'

type Drawing = Context & { input: InputOf<(typeof contract)['create']> }

export const annotations: Handlers<typeof contract> = {
  async list({ sql, workspace, input }) {
    return atOneMoment(sql, async (sql) => {
      const { entry_id } = await requireEntryFace(sql, workspace.id, { entryId: input.entry_id, hold: false })
      const ofVersion = input.object_id === undefined ? sql`` : sql`and n.object_id = ${input.object_id}`
      const annotations = await selectAnnotations(sql, workspace.id, sql`and n.entry_id = ${entry_id} ${ofVersion} order by n.id`)
      return { annotations: [...annotations] }
    })
  },

  async create(request) {
    const { sql, workspace, actor, now, feed, input } = request
    const failure = geometryFailure(input.shape, input.geometry)
    if (failure !== undefined) throw validationError([{ path: 'geometry', message: failure }])
    const entry = await requireEntryRow(sql, workspace.id, input.entry_id)
    await requireVersionOf(sql, workspace.id, { objectId: input.object_id, lineageId: entry.lineage_id })
    await requirePictureOf(request)
    const commentId = input.comment_id ?? null
    if (commentId !== null) await holdTop(request, { id: commentId, entryId: entry.id, field: 'comment_id' })
    const [made] = await sql<{ id: number }[]>`
      insert into annotations (workspace_id, entry_id, object_id, preview_artifact_id, comment_id, shape, geometry, created_by, created_at)
      values (${workspace.id}, ${entry.id}, ${input.object_id}, ${input.preview_artifact_id}, ${commentId}, ${input.shape},
              ${JSON.stringify(input.geometry)}::text::json, ${actor.id}, ${now.toISOString()})
      returning id`
    if (!made) throw new Error('the annotation was not recorded')
    const payload = { annotation_id: made.id, comment_id: commentId, shape: input.shape }
    const { id: entryId, lineage_id: lineageId } = entry
    feed.happened({ type: 'annotation.create', entryId, lineageId, objectId: input.object_id, payload })
    return requireAnnotation(sql, workspace.id, made.id)
  },

  /** The comment is held before the annotation, as who deletes one does. */
  async update(request) {
    const { sql, workspace, input } = request
    const { id, entry_id: entryId } = await requireAnnotation(sql, workspace.id, input.annotation_id)
    await requireEntryRow(sql, workspace.id, entryId)
    const isFree = async () => (await requireAnnotation(sql, workspace.id, id)).comment_id === null
    if (!(await isFree())) throw taken(id)
    await holdTop(request, { id: input.comment_id, entryId, field: 'comment_id' })
    const tied = await sql`
      update annotations set comment_id = ${input.comment_id}
       where workspace_id = ${workspace.id} and id = ${id} and comment_id is null`
    if (tied.count === 0 && !(await isFree())) throw taken(id)
    return requireAnnotation(sql, workspace.id, id)
  },

  async remove({ sql, workspace, actor, input }) {
    const { id, author } = await requireAnnotation(sql, workspace.id, input.annotation_id)
    if (author.id !== actor.id && actor.role !== 'admin')
      throw new ApiError('FORBIDDEN', `Annotation ${id} was drawn by someone else; only they or an admin can delete it.`)
    const gone = await sql`delete from annotations where workspace_id = ${workspace.id} and id = ${id}`
    if (gone.count === 0) throw annotationNotFound(id)
  },
}

const taken = (id: number) => new ApiError('CONFLICT', `Annotation ${id} belongs to a comment already.`)

/** A thumbnail or preview file of the version, replaced ones too. */
async function requirePictureOf({ sql, workspace, input }: Drawing): Promise<void> {
  const [file] = await selectArtifacts(sql, workspace.id, [input.preview_artifact_id])
  if (file?.finished_at && file.object_id === input.object_id) return
  const message = `names no thumbnail or preview file of version ${input.object_id}`
  throw validationError([{ path: 'preview_artifact_id', message }])
}

/** `tail` may use the alias n and begins with `and` or `order by`. */
const selectAnnotations = (sql: Sql, workspaceId: number, tail: Fragment): PromiseLike<Annotation[]> =>
  sql<Annotation[]>`
    select n.id, n.entry_id, n.object_id, n.preview_artifact_id, n.comment_id, n.shape, n.geometry, ${stubOf(sql, 'm')} as author, n.created_at
      from annotations n left join members m on m.workspace_id = n.workspace_id and m.id = n.created_by
     where n.workspace_id = ${workspaceId} ${tail}`

/** ANNOTATION_NOT_FOUND otherwise. */
async function requireAnnotation(sql: Sql, workspaceId: number, id: number): Promise<Annotation> {
  const [annotation] = await selectAnnotations(sql, workspaceId, sql`and n.id = ${id}`)
  if (!annotation) throw annotationNotFound(id)
  return annotation
}

const annotationNotFound = (id: number) => new ApiError('ANNOTATION_NOT_FOUND', `There is no annotation ${id} in this workspace.`)
