/** Attachments: pictures that belong to a comment, a review request or a response, and what was drawn over them (spec 2, 4.7). */
import { type Static, Type } from 'typebox'
import { limits } from './limits.ts'
import { routes } from './route.ts'
import { Count, Id } from './shapes.ts'

const picture = { id: Id, width: Count, height: Count, size: Count }

/** A PNG; `size` in bytes. */
export const Attachment = Type.Object({ ...picture, has_strokes: Type.Boolean() })
export type Attachment = Static<typeof Attachment>

/** What is to belong to a comment, a request or a response, in this order; named twice is named once. */
export const AttachmentIds = Type.Array(Id, { maxItems: limits.attachment.perPlace })

const one = Type.Object({ attachment_id: Id })

export const attachments = routes({
  create: {
    method: 'POST',
    path: '/attachments',
    scope: 'write',
    summary: 'Upload a picture, a PNG of up to 64 megapixels, to be attached to something within a day.',
    raw: { maxBytes: limits.attachment.bytes, types: ['image/png'] },
    output: Type.Object(picture),
    status: 201,
    errors: ['FORBIDDEN', 'VALIDATION'],
  },
  putStrokes: {
    method: 'PUT',
    path: '/attachments/{attachment_id}/strokes',
    scope: 'write',
    summary: 'Keep what was drawn over a picture of yours, as a JSON document.',
    input: one,
    raw: { maxBytes: limits.attachment.strokesBytes, types: ['application/json'] },
    output: Attachment,
    errors: ['NOT_FOUND', 'FORBIDDEN', 'VALIDATION'],
  },
  get: {
    method: 'GET',
    path: '/attachments/{attachment_id}',
    scope: 'read',
    summary: 'Redirect to the picture; until it is attached, only for who uploaded it, and admins.',
    input: one,
    answers: 'redirect',
    errors: ['NOT_FOUND'],
  },
  strokes: {
    method: 'GET',
    path: '/attachments/{attachment_id}/strokes',
    scope: 'read',
    summary: 'Redirect to what was drawn over the picture.',
    input: one,
    answers: 'redirect',
    errors: ['NOT_FOUND'],
  },
})
