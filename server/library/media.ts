/** Media: thumbnails, previews and metadata of versions, and the queues of what is wanted (spec 4.2, 4.9; contract-gaps 5, 5a, 7). */
import { ApiError, validationError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { type media as contract, previewTypes } from '../../contract/media.ts'
import { type FlatMetadata, flatFromCore, metadataFields } from '../../contract/metadata.ts'
import type { InputOf, OutputOf } from '../../contract/route.ts'
import type { Context, Handlers } from '../handler.ts'
import { markUnavailable } from '../media/in-use.ts'
import { mediaForms } from '../media/media-kinds.ts'
import { finalizeMedia, presignMedia } from '../media/presigned-media.ts'
import { selectPreviewQueue, selectPreviewStats, selectThumbnailQueue } from '../media/queues.ts'
import { uploadMedia } from '../media/upload.ts'
import { type Artifact, requireCurrent, selectArtifacts, selectMediaInUse, type VersionOf } from '../rows/artifact.ts'
import { artifactKey, presignedUntil } from '../storage/storage.ts'

export const media: Handlers<typeof contract> = {
  async thumbnail(request) {
    const { thumbnail_artifact_id: id } = await requireInUse(request, request.input.entry_id)
    if (id === null) throw new ApiError('NOT_FOUND', `Entry ${request.input.entry_id} has no thumbnail.`)
    return redirectTo(request, { id, kind: 'thumbnail' })
  },

  async preview(request) {
    const { preview_artifact_id: id, preview_kind: kind } = await requireInUse(request, request.input.entry_id)
    if (id === null || kind === null) throw new ApiError('NOT_FOUND', `Entry ${request.input.entry_id} has no preview.`)
    return redirectTo(request, { id, kind })
  },

  async artifact(request) {
    const { sql, workspace, input } = request
    const [artifact] = await selectArtifacts(sql, workspace.id, [input.artifact_id])
    if (!artifact?.finished_at) throw new ApiError('NOT_FOUND', `There is no thumbnail or preview file ${input.artifact_id}.`)
    return redirectTo(request, artifact)
  },

  async putThumbnail(request) {
    const { entry_id, object_id } = request.input
    const { id, size, width, height } = await uploadMedia(request, 'thumbnail')
    return { entry_id, object_id, artifact_id: id, width: width ?? 0, height: height ?? 0, size }
  },

  async putPreview(request) {
    const { entry_id, object_id } = request.input
    const { id, size, kind } = await uploadMedia(request, request.input.kind ?? 'glb')
    return { entry_id, object_id, artifact_id: id, size, kind }
  },

  async putMetadata(request) {
    const { sql, workspace, now, feed, input } = request
    const { entry_id, object_id, metadata_doc } = input
    const [inUse] = await requireCurrent(sql, workspace.id, { versions: [input], hold: true })
    const fields = { ...flatFromCore(metadata_doc?.core), ...sentFields(input) }
    const updated = [...Object.keys(fields), ...(metadata_doc ? ['metadata_doc'] : [])]
    if (inUse && updated.length > 0) {
      await sql`
        update objects
           set metadata = metadata || ${sql.json(fields as Record<string, string>)},
               metadata_doc = coalesce(${metadata_doc ? sql.json(metadata_doc as unknown as Record<string, string>) : null}, metadata_doc)
         where workspace_id = ${workspace.id} and id = ${object_id}`
      await sql`update entries set date_updated = ${now.toISOString()} where workspace_id = ${workspace.id} and id = ${entry_id}`
      feed.changed({ entity: 'entry', entityId: entry_id, lineageId: inUse.lineage_id, op: 'upsert' })
    }
    return { entry_id, object_id, updated }
  },

  async unavailable(request) {
    const { sql, workspace, input } = request
    await markUnavailable(request, await requireCurrent(sql, workspace.id, { versions: [input], hold: true }))
    return { entry_id: input.entry_id, preview_status: 'unavailable' }
  },

  async unavailableMany(request) {
    const { sql, workspace, input } = request
    const entryIds = [...new Set(input.items.map(({ entry_id }) => entry_id))]
    const inUse = await selectMediaInUse(sql, workspace.id, { entryIds, hold: true })
    const current = new Map(inUse.map((one) => [one.object_id, one]))
    const isCurrent = ({ entry_id, object_id }: VersionOf) => current.get(object_id)?.entry_id === entry_id
    const unavailable = input.items.filter(isCurrent)
    const named = new Set(unavailable.map(({ object_id }) => object_id))
    await markUnavailable(
      request,
      inUse.filter(({ object_id }) => named.has(object_id)),
    )
    return { unavailable, not_current: input.items.filter((one) => !isCurrent(one)) }
  },

  async presign(request) {
    const { settings, storage, workspace } = request
    // What is counted before it is acknowledged comes through this server.
    const isCounted = storage.directUploads === 'unseen' && workspace.storageLimitBytes !== null
    if (!settings.directUpload || storage.directUploads === 'none' || isCounted) return {}
    return { upload_mode: 'direct', targets: await presignMedia(request, request.input.items) }
  },

  async finalize(request) {
    return { results: await finalizeMedia(request, request.input.items) }
  },

  async previewQueue({ sql, workspace, input }) {
    const entryTypes = previewTypesIn(input.entry_type)
    return { items: await selectPreviewQueue(sql, workspace.id, { entryTypes, limit: input.limit ?? limits.queuePage.default }) }
  },

  async previewStats({ sql, workspace }): Promise<OutputOf<(typeof contract)['previewStats']>> {
    return selectPreviewStats(sql, workspace.id)
  },

  async thumbnailQueue({ sql, workspace, input }) {
    const { after = 0, limit = limits.page.default } = input
    return selectThumbnailQueue(sql, workspace.id, { after, limit })
  },
}

async function requireInUse({ sql, workspace }: Context, entryId: number) {
  const [inUse] = await selectMediaInUse(sql, workspace.id, { entryIds: [entryId], hold: false })
  if (!inUse) throw new ApiError('ENTRY_NOT_FOUND', `There is no entry ${entryId} in this workspace.`)
  return inUse
}

async function redirectTo({ workspace, storage, now, origin }: Context, { id, kind }: Pick<Artifact, 'id' | 'kind'>) {
  const { contentType } = mediaForms[kind]
  const expiresAt = presignedUntil(now)
  return { location: await storage.downloadUrl(artifactKey(workspace.id, id), { contentType, expiresAt, origin }) }
}

/** The flat fields that were sent with a value. */
function sentFields(input: InputOf<(typeof contract)['putMetadata']>): FlatMetadata {
  const sent = metadataFields.map((field) => [field, input[field]] as const)
  return Object.fromEntries(sent.filter(([, value]) => value !== undefined && value !== null))
}

function previewTypesIn(text: string | undefined): string[] {
  if (text === undefined) return [...previewTypes]
  const types = text.split(',')
  const unknown = types.filter((type) => !previewTypes.some((known) => known === type))
  if (unknown.length > 0)
    throw validationError([{ path: 'entry_type', message: `${unknown[0]} is not one of ${previewTypes.join(', ')}` }])
  return types
}
