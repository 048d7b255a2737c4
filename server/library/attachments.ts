/** Attachments: pictures, and what was drawn over them (spec 4.7). */
import type { attachments as contract } from '../../contract/attachments.ts'
import { ApiError } from '../../contract/errors.ts'
import { requireAttachment } from '../discussion/attachments.ts'
import { uploadPicture, uploadStrokes } from '../discussion/upload.ts'
import type { Context, Handlers } from '../handler.ts'
import { attachmentKey, presignedUntil } from '../storage/storage.ts'

export const attachments: Handlers<typeof contract> = {
  create: uploadPicture,

  putStrokes: uploadStrokes,

  async get(request) {
    const { id } = await requireAttachment(request, { id: request.input.attachment_id, hold: false })
    return redirectTo(request, { id, contentType: 'image/png' })
  },

  async strokes(request) {
    const { id, strokes_id } = await requireAttachment(request, { id: request.input.attachment_id, hold: false })
    if (strokes_id === null) throw new ApiError('NOT_FOUND', `Nothing was drawn over attachment ${id}.`)
    return redirectTo(request, { id: strokes_id, contentType: 'application/json' })
  },
}

async function redirectTo(
  { workspace, storage, now, origin }: Context,
  { id, contentType }: { id: number; contentType: string },
): Promise<{ location: string }> {
  const key = attachmentKey(workspace.id, id)
  return { location: await storage.downloadUrl(key, { contentType, expiresAt: presignedUntil(now), origin }) }
}
