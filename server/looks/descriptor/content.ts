/** What a picture shows: the part of it that is no plain background, and which pixels of that part belong to it. */
import type { SmallPicture } from '../../../formats/image.ts'

/** Pixels of the part, red, green and blue; `shown` has 1 where a pixel belongs to what is shown and 0 for background. */
export interface Content {
  width: number
  height: number
  rgb: Uint8Array
  shown: Uint8Array
}

/**
 * How plain a border has to be to count as background. A picture of the library is cut only where its border is plain beyond doubt: what was
 * done to a copy of it may hide that, and a question is then asked uncut as well.
 */
export interface Plainness {
  /** Between a channel of a pixel and that of the border, of 255. */
  difference: number
  /** Of the border's pixels, the part that has its colour. */
  share: number
}

export const plainBeyondDoubt: Plainness = { difference: 10, share: 0.985 }
export const plainEnough: Plainness = { difference: 22, share: 0.9 }

/** From this alpha on a pixel is seen. */
const seenAlpha = 32
/** A picture within a picture within a picture: a screenshot of a thumbnail. */
const mostCuts = 3
/** Fewer pixels in a row or column are dirt. */
const leastInLine = 2

/** Without transparent borders, all there is. */
export function wholeContent({ width, height, rgba }: SmallPicture): Content {
  const count = width * height
  const rgb = new Uint8Array(count * 3)
  const shown = new Uint8Array(count)
  for (let pixel = 0; pixel < count; pixel++) {
    rgb[pixel * 3] = rgba[pixel * 4] ?? 0
    rgb[pixel * 3 + 1] = rgba[pixel * 4 + 1] ?? 0
    rgb[pixel * 3 + 2] = rgba[pixel * 4 + 2] ?? 0
    shown[pixel] = (rgba[pixel * 4 + 3] ?? 0) >= seenAlpha ? 1 : 0
  }
  const whole = { width, height, rgb, shown }
  return cutTo(whole, boxOf(whole)) ?? { ...whole, shown: shown.fill(1) }
}

/** Without plain borders. The same object where there is nothing to cut. */
export function cutContent(content: Content, plainness: Plainness): Content {
  let left = content
  for (let cut = 0; cut < mostCuts; cut++) {
    const background = backgroundOf(left, plainness)
    if (background === undefined) break
    const shown = left.shown.map((one, pixel) => (background[pixel] ? 0 : one))
    const found = { ...left, shown }
    const smaller = cutTo(found, boxOf(found))
    if (smaller === undefined) break
    const isSame = smaller.width === left.width && smaller.height === left.height
    left = smaller
    if (isSame) break
  }
  return left
}

interface Box {
  left: number
  top: number
  right: number
  bottom: number
}

/** Around what is shown; right and bottom lie outside. Empty where nothing is. */
function boxOf({ width, height, shown }: Content): Box {
  const columns = new Uint32Array(width)
  const rows = new Uint32Array(height)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (!shown[y * width + x]) continue
      columns[x] = (columns[x] ?? 0) + 1
      rows[y] = (rows[y] ?? 0) + 1
    }
  }
  const counts = (one: number) => one >= leastInLine
  return {
    left: columns.findIndex(counts),
    right: columns.findLastIndex(counts) + 1,
    top: rows.findIndex(counts),
    bottom: rows.findLastIndex(counts) + 1,
  }
}

/** Undefined where too little is left to tell anything. */
function cutTo({ width, rgb, shown }: Content, { left, top, right, bottom }: Box): Content | undefined {
  const size = { width: right - left, height: bottom - top }
  if (left < 0 || top < 0 || size.width < leastInLine || size.height < leastInLine) return undefined
  const cut: Content = {
    ...size,
    rgb: new Uint8Array(size.width * size.height * 3),
    shown: new Uint8Array(size.width * size.height),
  }
  for (let y = 0; y < size.height; y++) {
    const from = (top + y) * width + left
    cut.rgb.set(rgb.subarray(from * 3, (from + size.width) * 3), y * size.width * 3)
    cut.shown.set(shown.subarray(from, from + size.width), y * size.width)
  }
  return cut
}

/** 1 where a pixel is joined to the border by its colour; undefined where the border is not plain, or only of pixels that are background already. */
function backgroundOf(content: Content, { difference, share }: Plainness): Uint8Array | undefined {
  const border = borderOf(content)
  const seen = border.filter((pixel) => content.shown[pixel])
  if (seen.length < border.length / 4) return undefined
  const color = medianColor(content, seen)
  const isPlain = (pixel: number): boolean => {
    if (!content.shown[pixel]) return true
    for (let channel = 0; channel < 3; channel++)
      if (Math.abs((content.rgb[pixel * 3 + channel] ?? 0) - (color[channel] ?? 0)) > difference) return false
    return true
  }
  if (border.filter(isPlain).length < border.length * share) return undefined
  return flooded(content, border, isPlain)
}

function borderOf({ width, height }: Content): number[] {
  const pixels: number[] = []
  for (let x = 0; x < width; x++) pixels.push(x, (height - 1) * width + x)
  for (let y = 1; y < height - 1; y++) pixels.push(y * width, y * width + width - 1)
  return pixels
}

function medianColor({ rgb }: Content, pixels: readonly number[]): number[] {
  return [0, 1, 2].map((channel) => {
    const values = Uint8Array.from(pixels, (pixel) => rgb[pixel * 3 + channel] ?? 0).sort()
    return values[values.length >> 1] ?? 0
  })
}

function flooded({ width, height }: Content, from: readonly number[], isPlain: (pixel: number) => boolean): Uint8Array {
  const reached = new Uint8Array(width * height)
  const waiting = new Int32Array(width * height)
  let count = 0
  const reach = (pixel: number) => {
    if (reached[pixel] || !isPlain(pixel)) return
    reached[pixel] = 1
    waiting[count++] = pixel
  }
  for (const pixel of from) reach(pixel)
  while (count > 0) {
    const pixel = waiting[--count] ?? 0
    const x = pixel % width
    if (x > 0) reach(pixel - 1)
    if (x < width - 1) reach(pixel + 1)
    if (pixel >= width) reach(pixel - width)
    if (pixel < width * (height - 1)) reach(pixel + width)
  }
  return reached
}
