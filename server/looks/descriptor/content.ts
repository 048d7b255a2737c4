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
export const plainEnough: Plainness = { difference: 22, share: 0.6 }

/** From this alpha on a pixel is seen. */
const seenAlpha = 32
/** A picture within a picture within a picture: a screenshot of a thumbnail. */
const mostCuts = 2
/** Of the area: less is a speck on a plain shape. */
const leastInnerPart = 0.02
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

/**
 * What is left of a shape, such as a picture that was turned on a canvas, without the plain colour along its outline. Undefined where the
 * outline is not plain, or nothing else is left.
 */
export function innerContent(content: Content, plainness: Plainness): Content | undefined {
  const { shown } = inward(inward(content))
  const background = backgroundOf({ ...content, shown }, { plainness, border: outlineOf({ ...content, shown }) })
  if (background === undefined) return undefined
  const found = { ...content, shown: shown.map((one, pixel) => (background[pixel] ? 0 : one)) }
  const inner = cutTo(found, boxOf(found))
  return inner !== undefined && inner.width * inner.height > leastInnerPart * content.width * content.height ? inner : undefined
}

/** The content, and what is left of it each time a plain border is cut off. */
export function cutContents(content: Content, plainness: Plainness): Content[] {
  const steps = [content]
  let left = content
  for (let cut = 0; cut < mostCuts; cut++) {
    const background = backgroundOf(left, { plainness, border: borderOf(left) })
    if (background === undefined) break
    const found = { ...left, shown: left.shown.map((one, pixel) => (background[pixel] ? 0 : one)) }
    const smaller = cutTo(found, boxOf(found))
    if (smaller === undefined) break
    steps.push(smaller)
    if (smaller.width === left.width && smaller.height === left.height) break
    left = smaller
  }
  return steps
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

/** 1 where a pixel is joined to the border by its colour; undefined where the border is not plain, or mostly background already. */
function backgroundOf(
  content: Content,
  { plainness: { difference, share }, border }: { plainness: Plainness; border: readonly number[] },
): Uint8Array | undefined {
  const seen = border.filter((pixel) => content.shown[pixel])
  if (seen.length === 0 || seen.length < border.length / 4) return undefined
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

/** Without the pixels that touch one that is not shown, or the edge. */
function inward({ width, height, shown, ...content }: Content): Content {
  const inner = new Uint8Array(shown.length)
  for (let y = 1; y < height - 1; y++) {
    for (let x = 1; x < width - 1; x++) {
      const at = y * width + x
      inner[at] = shown[at] && shown[at - 1] && shown[at + 1] && shown[at - width] && shown[at + width] ? 1 : 0
    }
  }
  return { ...content, width, height, shown: inner }
}

/** The outermost pixels of what is shown. */
function outlineOf(content: Content): number[] {
  const inner = inward(content).shown
  const outline: number[] = []
  for (let pixel = 0; pixel < inner.length; pixel++) if (content.shown[pixel] && !inner[pixel]) outline.push(pixel)
  return outline
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
