/** Media: thumbnails, previews and metadata of versions, and the queues that say which are wanted (spec 4.2, 4.9). */
import { type Static, Type } from 'typebox'
import { limits } from './limits.ts'
import { FlatMetadata, MetadataDoc } from './metadata.ts'
import { routes } from './route.ts'
import { absentOrNull, Count, Hash, Id, nullable, oneOf } from './shapes.ts'

const Text = Type.String()
const Producer = Type.Optional(Type.String({ pattern: '^[a-z0-9][a-z0-9._-]{0,63}$' }))
const producer = {
  producer_tier: Producer,
  producer_tool: Producer,
  producer_tool_version: Producer,
  generator: Producer,
  generator_version: Producer,
}
const version = { entry_id: Id, object_id: Id }

/** Kinds of files that belong to a version. */
export const mediaKinds = ['thumbnail', 'glb', 'image', 'audio'] as const
export type MediaKind = (typeof mediaKinds)[number]
/** Entry types that can have a preview. */
export const previewTypes = ['mesh', 'skeletal_mesh', 'texture', 'audio'] as const

const QueueItem = {
  ...version,
  name: Text,
  entry_type: Text,
  origin_path: nullable(Text),
  asset_name: nullable(Text),
}
const Version = Type.Object(version)
/** `size`, in bytes, is an extension (contract-gaps 9): the address takes a file of exactly that size, and a store of its own may be asked. */
const Target = Type.Object({ ...version, kind: oneOf(mediaKinds), size: Type.Optional(Count) })
const PresignedTarget = Type.Object({
  ...version,
  kind: oneOf(mediaKinds),
  artifact_id: Id,
  upload_url: Text,
  headers: Type.Record(Text, Text),
})
export type PresignedTarget = Static<typeof PresignedTarget>
const PerType = Type.Record(Text, Count)
const uploadErrors = ['ENTRY_NOT_FOUND', 'OBJECT_NOT_FOUND', 'CONFLICT', 'VALIDATION'] as const

export const media = routes({
  thumbnail: {
    method: 'GET',
    path: '/entries/{entry_id}/thumbnail',
    scope: 'read',
    summary: 'Redirect to the thumbnail, a PNG of at most 512 x 512.',
    input: Type.Object({ entry_id: Id }),
    answers: 'redirect',
    budget: 'push',
    errors: ['ENTRY_NOT_FOUND', 'NOT_FOUND'],
  },
  preview: {
    method: 'GET',
    path: '/entries/{entry_id}/preview',
    scope: 'read',
    summary: 'Redirect to the preview: a GLB, a PNG or a WAV.',
    input: Type.Object({ entry_id: Id }),
    answers: 'redirect',
    budget: 'push',
    errors: ['ENTRY_NOT_FOUND', 'NOT_FOUND'],
  },
  artifact: {
    method: 'GET',
    path: '/previews/artifacts/{artifact_id}',
    scope: 'read',
    summary: 'Redirect to one thumbnail or preview file, also after it was replaced.',
    input: Type.Object({ artifact_id: Id }),
    answers: 'redirect',
    errors: ['NOT_FOUND'],
  },
  putThumbnail: {
    method: 'PUT',
    path: '/entries/{entry_id}/thumbnail',
    scope: 'write',
    summary: 'Upload the thumbnail of the current version.',
    input: Type.Object({ ...version, ...producer }),
    raw: { maxBytes: limits.thumbnail.bytes },
    output: Type.Object({ ...version, artifact_id: Id, width: Count, height: Count, size: Count }),
    budget: 'push',
    errors: uploadErrors,
  },
  putPreview: {
    method: 'PUT',
    path: '/entries/{entry_id}/preview',
    scope: 'write',
    summary: 'Upload the preview of the current version.',
    input: Type.Object({ ...version, kind: Type.Optional(oneOf(['glb', 'image', 'audio'])), ...producer }),
    raw: { maxBytes: limits.preview.glbBytes },
    output: Type.Object({ ...version, artifact_id: Id, size: Count, kind: Text }),
    budget: 'push',
    errors: uploadErrors,
  },
  putMetadata: {
    method: 'PUT',
    path: '/entries/{entry_id}/metadata',
    scope: 'write',
    summary: 'Overwrite metadata of the current version; null keeps what is stored.',
    input: Type.Object({ ...version, ...FlatMetadata.properties, metadata_doc: absentOrNull(MetadataDoc) }),
    query: ['object_id'],
    output: Type.Object({ ...version, updated: Type.Array(Text) }),
    budget: 'push',
    errors: uploadErrors,
  },
  unavailable: {
    method: 'POST',
    path: '/entries/{entry_id}/preview/unavailable',
    scope: 'write',
    summary: 'Say that no preview of the current version can be made.',
    input: Type.Object(version),
    query: ['object_id'],
    output: Type.Object({ entry_id: Id, preview_status: Text }),
    errors: uploadErrors,
  },
  unavailableMany: {
    method: 'POST',
    path: '/entries/media/unavailable',
    scope: 'write',
    summary: 'Say of many current versions that no preview of them can be made. Others are left alone and named.',
    input: Type.Object({ items: Type.Array(Version, { minItems: 1, maxItems: limits.mediaPresign.items }) }),
    output: Type.Object({ unavailable: Type.Array(Version), not_current: Type.Array(Version) }),
    repeatable: true,
    extension: true,
    errors: ['VALIDATION'],
  },
  presign: {
    method: 'POST',
    path: '/entries/media/presign',
    scope: 'write',
    summary: 'Give addresses to which media are uploaded directly.',
    input: Type.Object({ items: Type.Array(Target, { minItems: 1, maxItems: limits.mediaPresign.items }) }),
    output: Type.Object({
      upload_mode: Type.Optional(Type.Literal('direct')),
      targets: Type.Optional(Type.Array(PresignedTarget)),
    }),
    budget: 'push',
    // The keys are written down, each workspace in its own transaction, before the addresses are known to anyone.
    transaction: false,
    repeatable: true,
    errors: uploadErrors,
  },
  finalize: {
    method: 'POST',
    path: '/entries/media/finalize',
    scope: 'write',
    effect: 'replaces',
    summary:
      'Put directly uploaded media to use. A file that is missing or too large is refused; nothing is looked into. A picture that is no PNG within the limits is shown by no program that would have to decode it.',
    input: Type.Object({
      items: Type.Array(Type.Object({ artifact_id: Id, ...version, kind: oneOf(mediaKinds) }), {
        minItems: 1,
        maxItems: limits.mediaPresign.items,
      }),
    }),
    output: Type.Object({
      results: Type.Array(Type.Object({ ...version, kind: oneOf(mediaKinds), artifact_id: Id, size: Count })),
    }),
    budget: 'push',
    transaction: false,
    repeatable: true,
    errors: [...uploadErrors, 'NOT_FOUND'],
  },
  previewQueue: {
    method: 'GET',
    path: '/push/preview-queue',
    scope: 'read',
    summary: 'List current versions whose preview is still to be made.',
    input: Type.Object({
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.queuePage.max })),
      entry_type: Type.Optional(Type.String({ maxLength: 200 })),
    }),
    output: Type.Object({ items: Type.Array(Type.Object({ ...QueueItem, content_hash: Hash })) }),
    budget: 'push',
    errors: ['VALIDATION'],
  },
  previewStats: {
    method: 'GET',
    path: '/push/preview-stats',
    scope: 'read',
    summary: 'Count previews by state and entry type.',
    output: Type.Object({ pending: PerType, ready: PerType, unavailable: PerType, total_pending: Count }),
    budget: 'push',
  },
  thumbnailQueue: {
    method: 'GET',
    path: '/push/thumbnail-refresh-queue',
    scope: 'read',
    summary: 'List active entries whose thumbnail is missing or asked for anew, in id order.',
    input: Type.Object({
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.page.max })),
      after: Type.Optional(Count),
    }),
    output: Type.Object({
      items: Type.Array(Type.Object({ ...QueueItem, has_thumbnail: Type.Boolean() })),
      total: Count,
    }),
    budget: 'push',
    errors: ['VALIDATION'],
  },
})
