/** Pictures that go with comments: shown on the terminal, or written into a folder. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import pLimit from 'p-limit'
import type { Attachment } from '../../../contract/attachments.ts'
import { limits } from '../../../contract/limits.ts'
import { writeWhole } from '../../../system/whole-file.ts'
import type { Context } from '../../context.ts'
import type { Library } from '../../library.ts'
import { type Framed, showFramed } from '../../terminal/gallery.ts'

const requestsAtOnce = 6
/** On one screen, and then some. */
const mostShown = 24

/** The latest ones, where the terminal shows pictures. */
export async function showPictures(context: Context, library: Library, attachments: readonly Attachment[]): Promise<void> {
  if (context.out.json || !context.out.terminal) return
  const atOnce = pLimit(requestsAtOnce)
  const framed = attachments
    .slice(-mostShown)
    .map(({ id }) => atOnce(async (): Promise<Framed> => ({ picture: await fetchPicture(library, id), caption: String(id) })))
  await showFramed(context, await Promise.all(framed))
}

export interface SavedPicture {
  attachment_id: number
  file: string
}

/** Replaces what an earlier run wrote there: an attachment never changes. */
export async function savePictures(
  library: Library,
  attachments: readonly Attachment[],
  folder: string,
): Promise<SavedPicture[]> {
  await mkdir(folder, { recursive: true })
  const atOnce = pLimit(requestsAtOnce)
  return Promise.all(
    attachments.map(({ id }) =>
      atOnce(async () => {
        const file = join(folder, `${id}.png`)
        const bytes = await fetchPicture(library, id)
        await writeWhole(file, (open) => open.writeFile(bytes))
        return { attachment_id: id, file }
      }),
    ),
  )
}

async function fetchPicture({ api, http }: Library, attachment_id: number): Promise<Buffer> {
  const { location } = await api.attachments.get({ attachment_id })
  const { body } = await http.open({ url: location })
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > limits.attachment.bytes) {
      body.destroy()
      throw new Error(`picture ${attachment_id} is larger than any picture may be`)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
