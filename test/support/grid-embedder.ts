/** An embedder for tests: a grid of brightness, a grid of mean colours; and words that are names of colours. Loaded by the server's thread. */
import sharp from 'sharp'
import { FormatError } from '../../formats/format-error.ts'
import { readImage } from '../../formats/image.ts'
import type { Embedder, Look } from '../../server/looks/embedder.ts'

const [shapeEdge, colourEdge] = [8, 4]

const colours: Record<string, [number, number, number]> = { red: [255, 0, 0], green: [0, 255, 0], blue: [0, 0, 255] }

/** `grid:<name>[:words]`; `dying` ends its thread at pictures of one pixel, `broken` cannot be opened. */
export async function openEmbedder(setting: string): Promise<Embedder | undefined> {
  const [, name = '', ...skills] = setting.split(':')
  if (skills.includes('broken')) throw new Error('The folder of the model is empty.')
  const look = async (bytes: Uint8Array): Promise<Look> => {
    const { width, height } = await readImage(bytes)
    if (skills.includes('dying') && width === 1 && height === 1) process.exit(1)
    const [grey, rgb] = await Promise.all([pixels(bytes, shapeEdge, true), pixels(bytes, colourEdge, false)])
    return { shape: centred(grey), colour: centred(rgb) }
  }
  return {
    name: `grid-${name}`,
    dimensions: { shape: shapeEdge ** 2, colour: 3 * colourEdge ** 2 },
    colourWeight: 0.5,
    look,
    questions: async (bytes) => [await look(bytes), await look(await read(() => sharp(bytes).flop().png().toBuffer()))],
    ...(skills.includes('words') && { words: async (text: string) => ofWords(text) }),
  }
}

function ofWords(text: string): Look {
  const colour = colours[text.toLowerCase()] ?? [0, 0, 0]
  return {
    shape: new Float32Array(shapeEdge ** 2),
    colour: centred(Float32Array.from({ length: 3 * colourEdge ** 2 }, (_, index) => colour[index % 3] ?? 0)),
  }
}

async function pixels(bytes: Uint8Array, edge: number, isGrey: boolean): Promise<Float32Array> {
  const picture = sharp(bytes).flatten({ background: '#fff' }).resize(edge, edge, { fit: 'fill' })
  const shown = isGrey ? picture.greyscale() : picture.toColourspace('srgb')
  return Float32Array.from(await read(() => shown.raw().toBuffer()))
}

async function read<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw new FormatError('damaged', 'This is no picture that can be read.', { cause })
  }
}

/** Grey all over says nothing, whatever is left by rounding. */
function centred(values: Float32Array): Float32Array {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const differences = values.map((value) => value - mean)
  return Math.hypot(...differences) < 1 ? new Float32Array(values.length) : differences
}
