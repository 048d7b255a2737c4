/** Attachments: pictures that belong to a comment, a review request or a response, and what was drawn over them (spec 2, 4.7). */
import { type Static, Type } from 'typebox'
import { limits } from './limits.ts'
import { Count, Id } from './shapes.ts'

const picture = { id: Id, width: Count, height: Count, size: Count }

/** A PNG; `size` in bytes. */
export const Attachment = Type.Object({ ...picture, has_strokes: Type.Boolean() })
export type Attachment = Static<typeof Attachment>

/** What is to belong to a comment, a request or a response, in this order; named twice is named once. */
export const AttachmentIds = Type.Array(Id, { maxItems: limits.attachment.perPlace })
