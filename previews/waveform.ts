/** The picture of a sound: how loud it is from its beginning to its end, on a transparent ground. */
import type { Picture } from '../formats/source/picture.ts'
import type { Sound } from '../formats/source/sound.ts'
import type { Size } from './camera.ts'
import { framesOf, sampleReader } from './samples.ts'

/** Frames that are looked at for one column, spread evenly over its part of the sound. */
const mostFramesPerColumn = 4096
/** Rows within a pixel that decide how much of it is covered. */
const rowsPerPixel = 4
/** A blue that stands out from white and from black. */
const color = [74, 144, 217] as const
/** The peaks are fainter than what is heard most of the time. */
const peakAlpha = 0.55
const marginPx = 16

interface Column {
  low: number
  high: number
  /** Root mean square. */
  loudness: number
}

/** Throws FormatError `damaged` for a sound that cannot be. Silence is a thin line. */
export const drawSound = (sound: Sound, edgePx = 512): Picture => drawWave(sound, { width: edgePx, height: edgePx })

/** The same in any size. `seconds`: as long as the picture is wide, for sounds that are compared; the sound's own length by default. */
export function drawWave(sound: Sound, { width, height, seconds }: Size & { seconds?: number }): Picture {
  const own = framesOf(sound)
  const frames = seconds === undefined ? own : Math.max(own, Math.round(seconds * sound.sampleRate))
  const columns = columnsOf(sound, Math.max(1, width - 2 * marginPx), frames)
  const loudest = columns.reduce((most, { low, high }) => Math.max(most, -low, high), 0)
  // Quiet sounds are raised, at most fourfold: their shape is what tells them apart.
  const gain = Math.min(4, 1 / Math.max(loudest, 0.01))
  const values = new Uint8Array(width * height * 4)
  const reach = Math.max(1, height / 2 - marginPx)
  const least = 1 / reach
  for (const [index, { low, high, loudness }] of columns.entries()) {
    const x = marginPx + index
    const peak = { top: Math.max(least, high * gain), bottom: Math.min(-least, low * gain) }
    const core = { top: Math.min(peak.top, loudness * gain), bottom: Math.max(peak.bottom, -loudness * gain) }
    for (let y = 0; x < width && y < height; y++) {
      const alpha = covered(peak, y, { height, reach }) * peakAlpha + covered(core, y, { height, reach }) * (1 - peakAlpha)
      if (alpha > 0) values.set([...color, Math.round(alpha * 255)], (y * width + x) * 4)
    }
  }
  return { width, height, channels: 4, samples: { kind: 'u8', values } }
}

/** How much of a pixel lies between two heights, from 0 to 1. */
function covered({ top, bottom }: { top: number; bottom: number }, y: number, size: { height: number; reach: number }): number {
  let inside = 0
  for (let row = 0; row < rowsPerPixel; row++) {
    const height = (size.height / 2 - (y + (row + 0.5) / rowsPerPixel)) / size.reach
    if (height <= top && height >= bottom) inside++
  }
  return inside / rowsPerPixel
}

/** None for what is behind the end of the sound. */
function columnsOf(sound: Sound, count: number, shownFrames: number): Column[] {
  const frames = framesOf(sound)
  const read = sampleReader(sound)
  return Array.from({ length: sounding(frames, { count, shownFrames }) }, (_, index) => {
    const first = Math.floor((index * shownFrames) / count)
    const end = Math.min(frames, Math.max(first + 1, Math.floor(((index + 1) * shownFrames) / count)))
    const step = Math.max(1, (end - first) / mostFramesPerColumn)
    const column = { low: 0, high: 0, loudness: 0 }
    let squares = 0
    let samples = 0
    for (let frame = first; frame < end; frame += step) {
      const at = Math.floor(frame) * sound.channels
      // More channels than a listener has ears are one another's copies or mixes.
      for (let channel = 0; channel < Math.min(8, sound.channels); channel++) {
        const value = read(at + channel)
        if (value < column.low) column.low = value
        if (value > column.high) column.high = value
        squares += value * value
        samples++
      }
    }
    return { ...column, loudness: samples === 0 ? 0 : Math.sqrt(squares / samples) }
  })
}

const sounding = (frames: number, { count, shownFrames }: { count: number; shownFrames: number }): number =>
  frames === shownFrames ? count : Math.ceil((frames * count) / shownFrames)
