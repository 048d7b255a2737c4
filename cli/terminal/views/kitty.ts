/** The graphics protocol of kitty, which Ghostty has too (https://sw.kovidgoyal.net/kitty/graphics-protocol/). */

const ESC = '\u001b'
const chunkLength = 4096

/** A PNG where the cursor stands. `f=100`: PNG, `q=2`: answer nothing. Rows follow from the columns `c`, undistorted. */
export const kittyPicture = (png: Uint8Array, columns: number): string => transmit(png, `a=T,f=100,q=2,c=${columns}`)

export interface KittyPlace {
  /** From 1. Pictures under one id replace each other. */
  id: number
  columns: number
  rows: number
}

/** The same in exactly these cells, under an id of its own. `C=1`: the cursor stays. */
export const kittyFrame = (png: Uint8Array, { id, columns, rows }: KittyPlace): string =>
  transmit(png, `a=T,f=100,q=2,i=${id},p=1,C=1,c=${columns},r=${rows}`)

/** Takes it off the screen, and out of the memory of the terminal. */
export const kittyDelete = (id: number): string => `${ESC}_Ga=d,d=I,i=${id},q=2${ESC}\\`

/** In chunks of base64; `m=1`: more follows. */
function transmit(png: Uint8Array, control: string): string {
  const text = Buffer.from(png.buffer, png.byteOffset, png.length).toString('base64')
  const chunks: string[] = []
  for (let at = 0; at < text.length; at += chunkLength) {
    const more = at + chunkLength < text.length ? 1 : 0
    const keys = at === 0 ? `${control},m=${more}` : `m=${more}`
    chunks.push(`${ESC}_G${keys};${text.slice(at, at + chunkLength)}${ESC}\\`)
  }
  return chunks.join('')
}
