/** Pictures and strokes as they come in: taken in while they stream, looked into, then written down; or nothing of them is kept (spec 4.7). */

import type { Attachment } from '../../contract/attachments.ts'
import { ApiError, validationError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { JsonScan } from '../../serving/bodies/scan.ts'
import { takeIds } from '../database/ids.ts'
import { transact } from '../database/transaction.ts'
import type { Context, RawRequest } from '../handler.ts'
import { inspectAttachment, type Uploaded } from '../media/inspection.ts'
import { ownerOfKey } from '../principal.ts'
import { countGone, countTaken, requireIngest } from '../storage/counting/stored-bytes.ts'
import { requireFits } from '../storage/counting/upload-size.ts'
import { attachmentKey } from '../storage/storage.ts'
import { requireAttachment } from './attachments.ts'

type Upload = Context & RawRequest
type StrokesUpload = Upload & { input: { attachment_id: number } }
interface NewFile {
  id: number
  key: string
  size: number
}

export async function uploadPicture(request: Upload): Promise<Omit<Attachment, 'has_strokes'>> {
  return takeFile(request, limits.attachment.bytes, async (file) => {
    const { width, height } = await inspectAttachment(bytesOf(request, file), ownerOfKey(request))
    const { id, size } = file
    return (inside) => recordPicture(inside, file, { id, width, height, size })
  })
}

async function recordPicture({ sql, workspace, actor, now }: Context, file: NewFile, shown: Omit<Attachment, 'has_strokes'>) {
  const at = now.toISOString()
  const row = { workspace_id: workspace.id, ...shown, created_by: actor.id, created_at: at, loose_since: at }
  await sql`insert into attachments ${sql(row)}`
  await countTaken(sql, workspace.id, [file])
  return shown
}

/** In the place of what was drawn before. FORBIDDEN for everyone but who uploaded the picture. */
export async function uploadStrokes(request: StrokesUpload): Promise<Attachment> {
  await requireOwn(request)
  return takeFile(request, limits.attachment.strokesBytes, async (file) => {
    requireJson(await request.storage.read(file.key, 0, file.size))
    return (inside) => recordStrokes(inside as Context & Pick<StrokesUpload, 'input'>, file)
  })
}

async function recordStrokes(inside: Context & Pick<StrokesUpload, 'input'>, file: NewFile): Promise<Attachment> {
  const { sql, workspace, now } = inside
  const { id, width, height, size, strokes_id: before, strokes_size } = await requireOwn(inside, true)
  await sql`
    update attachments set strokes_id = ${file.id}, strokes_size = ${file.size} where workspace_id = ${workspace.id} and id = ${id}`
  await countTaken(sql, workspace.id, [file])
  if (before !== null)
    await countGone(sql, workspace.id, { files: [{ key: attachmentKey(workspace.id, before), size: strokes_size ?? 0 }], now })
  return { id, width, height, size, has_strokes: true }
}

async function requireOwn(request: Context & Pick<StrokesUpload, 'input'>, hold = false) {
  const attachment = await requireAttachment(request, { id: request.input.attachment_id, hold })
  if (attachment.created_by === request.actor.id) return attachment
  throw new ApiError('FORBIDDEN', `Attachment ${attachment.id} was uploaded by someone else; only they draw over it.`)
}

/** Looks into the file as `look` says, and runs what that gives in a transaction. */
async function takeFile<T>(
  request: Upload,
  maxBytes: number,
  look: (file: NewFile) => Promise<(inside: Context) => Promise<T>>,
): Promise<T> {
  const { sql, workspace, storage, bytes, contentLength } = request
  requireFits(contentLength, maxBytes)
  await requireIngest(request)
  const [id] = await takeIds(sql, 'attachments', 1)
  if (id === undefined) throw new Error('the database gave no id')
  const key = attachmentKey(workspace.id, id)
  const { size } = await storage.receive(key, bytes, { maxBytes })
  try {
    const record = await look({ id, key, size })
    await storage.settle([key])
    return await transact(request, record)
  } catch (error) {
    // Only refusals are certain to have recorded nothing.
    if (error instanceof ApiError) await storage.remove([key])
    throw error
  }
}

const bytesOf = ({ storage }: Upload, { key, size }: NewFile): Uploaded => ({
  size,
  read: (start, end) => storage.read(key, start, end),
})

/** Any JSON, as long as others can read it again. */
export function requireJson(bytes: Buffer): void {
  const scan = new JsonScan()
  scan.add(bytes)
  if (scan.fault) throw validationError([{ path: 'body', message: scan.fault }])
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    throw validationError([{ path: 'body', message: `is not valid JSON in UTF-8: ${(error as Error).message}` }])
  }
}
