/** DEC sixel graphics: indexed pixels as the control sequence that draws them (DEC STD 070, VT330/340 graphics). */

/** Rows of palette indexes; -1 stays transparent. */
export interface IndexedPicture {
  width: number
  height: number
  /** Red, green, blue from 0 to 255 each; at most 255 colours. */
  palette: readonly (readonly [number, number, number])[]
  indexes: Int16Array
}

const BAND = 6
const FIRST_SIXEL = 63
const firstColor = 1
/** Sixel colours count from 0 to 100. */
const percent = (channel: number): number => Math.round((channel * 100) / 255)

/**
 * The whole picture as one escape sequence. Pixels that are not drawn keep what is there (`P2=1`); `over` an earlier picture they become
 * the background (`P2=0`), which some terminals take from colour 0, so that this one is left alone.
 */
export function encodeSixel(picture: IndexedPicture, { over = false } = {}): string {
  const { width, height, palette } = picture
  const colors = palette.map(
    ([red, green, blue], at) => `#${at + firstColor};2;${percent(red)};${percent(green)};${percent(blue)}`,
  )
  const bands: string[] = []
  for (let top = 0; top < height; top += BAND) bands.push(band(picture, top))
  return `\u001bP0;${over ? 0 : 1};0q"1;1;${width};${height}${colors.join('')}${bands.join('-')}\u001b\\`
}

/** Six rows: for each colour in them one line of sixels, drawn over each other. */
function band(picture: IndexedPicture, top: number): string {
  const { width, height, indexes } = picture
  const rows = new Map<number, Uint8Array>()
  for (let row = 0; row < BAND && top + row < height; row++)
    for (let x = 0; x < width; x++) {
      const color = indexes[(top + row) * width + x] ?? -1
      if (color < 0) continue
      const bits = rows.get(color) ?? new Uint8Array(width)
      rows.set(color, bits)
      bits[x] = (bits[x] ?? 0) | (1 << row)
    }
  return [...rows].map(([color, bits]) => `#${color + firstColor}${runs(bits)}`).join('$')
}

/** Sixel characters with repeats written as `!<count><character>`; empty columns at the end are left out. */
function runs(bits: Uint8Array): string {
  let end = bits.length
  while (end > 0 && bits[end - 1] === 0) end--
  let text = ''
  for (let x = 0; x < end; ) {
    let next = x + 1
    while (next < end && bits[next] === bits[x]) next++
    const sixel = String.fromCharCode(FIRST_SIXEL + (bits[x] ?? 0))
    text += next - x > 3 ? `!${next - x}${sixel}` : sixel.repeat(next - x)
    x = next
  }
  return text
}
