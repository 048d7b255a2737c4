/** The colours of what is shown: how much of each hue, in the upper, middle and lower part. */
import type { Content } from './content.ts'

const bands = 3
const hues = 15
const perBand = hues + 1

export const coloursLength = bands * perBand

/** Below it a colour has no hue that survives a JPEG. Of 1, as chroma in a screen's red, green and blue. */
const leastChroma = 0.06
/** From it on a colour is as strong as any: gamma makes pale ones strong and strong ones pale. */
const fullChroma = 0.25
/** Pictures with less colour than this part say nothing of it: a grey copy of anything would look like them. */
const leastColour = 0.02

/** `coloursLength` numbers of the length 1, or zeros of a grey picture. */
export function coloursOf({ width, height, rgb, shown }: Content): Float32Array {
  const colours = new Float32Array(coloursLength)
  let total = 0
  let coloured = 0
  for (let y = 0; y < height; y++) {
    const place = Math.min(bands - 1, Math.max(0, ((y + 0.5) / height) * bands - 0.5))
    const upper = Math.min(bands - 2, Math.floor(place))
    const lower = place - upper
    for (let x = 0; x < width; x++) {
      const pixel = y * width + x
      if (!shown[pixel]) continue
      const red = rgb[pixel * 3] ?? 0
      const green = rgb[pixel * 3 + 1] ?? 0
      const blue = rgb[pixel * 3 + 2] ?? 0
      const most = Math.max(red, green, blue)
      const chroma = (most - Math.min(red, green, blue)) / 255
      const strength = Math.min(1, Math.max(0, (chroma - leastChroma) / (fullChroma - leastChroma)))
      total++
      coloured += strength
      const add = (at: number, amount: number) => {
        const first = upper * perBand + at
        colours[first] = (colours[first] ?? 0) + amount * (1 - lower)
        colours[first + perBand] = (colours[first + perBand] ?? 0) + amount * lower
      }
      add(hues, (1 - strength) * 0.25)
      if (strength === 0) continue
      const turn = (hueOf(red, green, blue) / 6) * hues
      const low = Math.floor(turn)
      add(low % hues, strength * (1 - turn + low))
      add((low + 1) % hues, strength * (turn - low))
    }
  }
  if (total === 0 || coloured / total < leastColour) return colours.fill(0)
  let sum = 0
  for (const value of colours) sum += value
  for (let at = 0; at < colours.length; at++) colours[at] = Math.sqrt((colours[at] ?? 0) / sum)
  return colours
}

/** From 0 to 6 around the circle, red at 0, green at 2, blue at 4. */
function hueOf(red: number, green: number, blue: number): number {
  const most = Math.max(red, green, blue)
  const range = most - Math.min(red, green, blue)
  if (range === 0) return 0
  if (most === red) return ((green - blue) / range + 6) % 6
  return most === green ? (blue - red) / range + 2 : (red - green) / range + 4
}
