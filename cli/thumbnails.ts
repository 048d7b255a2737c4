/** Thumbnails for the terminal: fetched within a limit, drawn as the terminal allows, or not at all. */
import { limits } from '../contract/limits.ts'
import type { Context } from './context.ts'
import type { Library } from './library.ts'
import type { PictureBox, RowLayout } from './views/picture.ts'

/** What help says of commands that show pictures. */
export const pictureTerms = {
  title: 'Pictures',
  list: [
    [
      'PH_PICTURES',
      'kitty, iterm, sixel, blocks or off, where the terminal shows better pictures than ph expects of it, or none',
    ],
  ],
} as const

/** The thumbnail of an entry, or undefined when it has none any more. Bounded by the contract's limit. */
export async function fetchThumbnail({ api, http }: Library, entryId: number): Promise<Uint8Array | undefined> {
  const { location } = await api.media.thumbnail({ entry_id: entryId })
  const { body } = await http.open({ url: location })
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > limits.thumbnail.bytes) {
      body.destroy()
      return undefined
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

export interface Drawing {
  draw(bytes: Uint8Array, box: PictureBox): Promise<string>
  drawRow(pictures: readonly (Uint8Array | undefined)[], layout: RowLayout): Promise<string>
}

/** How this run draws pictures, or undefined where it does not: no terminal, JSON, `--no-pictures`, or a terminal without colour. */
export async function pictureDrawing(context: Context, wanted: boolean): Promise<Drawing | undefined> {
  const { out, env } = context
  if (!wanted || out.json || !out.terminal) return undefined
  const { pictureProtocol, colorDepth } = await import('./views/picture-terminal.ts')
  const style = { protocol: pictureProtocol(env), colorDepth: colorDepth(env) }
  if (style.protocol === 'none') return undefined
  const { drawPicture, drawRow } = await import('./views/picture.ts')
  return {
    draw: (bytes, box) => drawPicture(bytes, box, style),
    drawRow: (pictures, layout) => drawRow(pictures, layout, style),
  }
}
