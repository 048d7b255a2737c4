/** Thumbnails for the terminal: fetched within limits, drawn as the terminal allows, or not at all. */
import pLimit from 'p-limit'
import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { pictureBounds } from '../../contract/picture-bounds.ts'
import { isPictureWithin, type PictureBounds } from '../../formats/pictures/decoding.ts'
import type { Context } from '../context.ts'
import type { Library } from '../library.ts'
import type { PictureBox, RowLayout } from './views/picture.ts'

/** What help says of commands that show pictures. */
export const pictureTerms = {
  title: 'Pictures',
  list: [
    [
      'PH_PICTURES',
      'how pictures are drawn: kitty, iterm, sixel, blocks or off (default: what ph finds that the terminal can do)',
    ],
    ['PH_PICTURES_WAIT', 'how many seconds show and diff wait for a picture that is to be drawn (default: 4)'],
  ],
} as const

interface Bounds {
  mostBytes?: number
  /** The picture is none where it is beyond them. */
  shape?: PictureBounds
  signal?: AbortSignal
}

type Source = Pick<Library, 'api' | 'http'>

/** The thumbnail of an entry, or undefined when it has none any more, or one of more bytes. */
export async function fetchThumbnail(library: Source, entryId: number, bounds: Bounds = {}): Promise<Uint8Array | undefined> {
  const answer = await library.api.media.thumbnail({ entry_id: entryId }, bounds).catch(undefinedWhereGone)
  return answer && download(library, answer.location, bounds)
}

/** The same of a version that need not be current any more. */
export async function fetchPicture(library: Source, artifactId: number, bounds: Bounds = {}): Promise<Uint8Array | undefined> {
  const answer = await library.api.media.artifact({ artifact_id: artifactId }, bounds).catch(undefinedWhereGone)
  return answer && download(library, answer.location, bounds)
}

/** The same of a picture that someone attached to what they said. */
export async function fetchAttachment(
  library: Source,
  attachmentId: number,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  const answer = await library.api.attachments.get({ attachment_id: attachmentId }, { signal }).catch(undefinedWhereGone)
  return (
    answer && download(library, answer.location, { mostBytes: limits.attachment.bytes, shape: pictureBounds.attachment, signal })
  )
}

async function download(
  { http }: Source,
  url: string,
  { mostBytes = limits.thumbnail.bytes, shape = pictureBounds.thumbnail, signal }: Bounds,
): Promise<Uint8Array | undefined> {
  const { body } = await http.open({ url, signal })
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > mostBytes) {
      body.destroy()
      return undefined
    }
    chunks.push(chunk)
  }
  const bytes = Buffer.concat(chunks)
  return isPictureWithin(bytes, shape) ? bytes : undefined
}

/** Taken away since the entry was listed, or the entry itself was. */
function undefinedWhereGone(error: unknown): undefined {
  if (!(error instanceof ApiError && error.status === 404)) throw error
}

const requestsAtOnce = 6
/** Of all pictures of a page together: many times what is usual. */
const mostBytes = 32 * 1024 * 1024
/** So long a page waits for its pictures. */
const patienceMs = 5000

/** Thumbnails by entry. They only adorn: one that is gone, too large, too slow or out of reach is left out. */
export async function fetchThumbnails(
  { signal: ended }: Pick<Context, 'signal'>,
  library: Library,
  entryIds: readonly number[],
): Promise<Map<number, Uint8Array>> {
  const atOnce = pLimit(requestsAtOnce)
  const signal = AbortSignal.any([ended, AbortSignal.timeout(patienceMs)])
  const pictures = new Map<number, Uint8Array>()
  let room = mostBytes
  const fetchOne = async (id: number) => {
    const bounds = { mostBytes: Math.min(limits.thumbnail.bytes, room), signal }
    const asked = library.keptThumbnail ? library.keptThumbnail(id) : fetchThumbnail(library, id, bounds)
    const picture = await asked.catch(() => ended.throwIfAborted())
    if (!picture || picture.length > room) return
    room -= picture.length
    pictures.set(id, picture)
  }
  await Promise.all(entryIds.map((id) => atOnce(fetchOne, id)))
  return pictures
}

export interface Drawing {
  /** What a picture beside a few lines of text fills. */
  smallBox: PictureBox
  draw(bytes: Uint8Array, box: PictureBox): Promise<string>
  drawRow(pictures: readonly (Uint8Array | undefined)[], layout: RowLayout): Promise<string>
  /** A picture, or the room for one, with lines of text to its right. */
  drawBeside(bytes: Uint8Array | undefined, lines: readonly string[], layout: RowLayout): Promise<string>
}

/** How this run draws pictures, or undefined where it does not: no terminal, JSON, `--no-pictures`, or a terminal without colour. */
export async function pictureDrawing(context: Context, withPictures: boolean): Promise<Drawing | undefined> {
  const { out, env } = context
  if (!withPictures || out.json || !out.terminal) return undefined
  const { pictureProtocol, colorDepth } = await import('./views/picture-terminal.ts')
  const style = { protocol: pictureProtocol(env), colorDepth: colorDepth(env) }
  if (style.protocol === 'none') return undefined
  const [{ drawPicture, drawRow }, { drawBeside }] = await Promise.all([
    import('./views/picture.ts'),
    import('./views/picture-beside.ts'),
  ])
  return {
    smallBox: { columns: 8, rows: 4 },
    draw: (bytes, box) => drawPicture(bytes, box, style),
    drawRow: (pictures, layout) => drawRow(pictures, layout, style),
    drawBeside: (bytes, lines, layout) => drawBeside({ bytes, lines }, layout, style),
  }
}
