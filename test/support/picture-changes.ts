/** What happens to a picture on its way from a library to someone who looks for it: ten changes, each with its own chance. */
import sharp, { type Sharp } from 'sharp'

type Random = () => number
type Change = (png: Uint8Array, random: Random) => Promise<Uint8Array>

const between = (random: Random, least: number, most: number): number => least + (most - least) * random()
const sign = (random: Random): number => (random() < 0.5 ? -1 : 1)

const anyPlain = (random: Random) => {
  const grey = random() < 0.6
  const level = Math.floor(random() * 256)
  const channel = () => (grey ? level : Math.floor(random() * 256))
  return { r: channel(), g: channel(), b: channel() }
}

/** On white where it is transparent, as programs write it. */
const jpeg =
  (quality: number, scale: number): Change =>
  async (png) => {
    const { width } = await sharp(png).metadata()
    return sharp(png)
      .flatten({ background: '#fff' })
      .resize({ width: Math.max(16, Math.round(width * scale)) })
      .jpeg({ quality })
      .toBuffer()
  }

const as =
  (make: (picture: Sharp, random: Random) => Sharp): Change =>
  (png, random) =>
    make(sharp(png), random).png({ compressionLevel: 1 }).toBuffer()

const mirrored = as((picture) => picture.flop())
const grey = as((picture) => picture.greyscale())
const hue = as((picture, random) => picture.modulate({ hue: Math.round(between(random, 40, 320)) }))

/** Half to twice as bright in the middle tones. */
const gamma: Change = async (png, random) => {
  const exponent = between(random, 0.6, 1.6)
  const { data, info } = await sharp(png).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  for (let at = 0; at < data.length; at++) if (at % 4 < 3) data[at] = Math.round(((data[at] ?? 0) / 255) ** exponent * 255)
  return sharp(data, { raw: { width: info.width, height: info.height, channels: 4 } })
    .png({ compressionLevel: 1 })
    .toBuffer()
}

/** 85 of 100 of each side are left, anywhere. */
const cropped: Change = async (png, random) => {
  const { width, height } = await sharp(png).metadata()
  const left = (edge: number) => Math.min(edge, Math.max(2, Math.round(edge * 0.85)))
  const size = { width: left(width), height: left(height) }
  const place = { left: Math.floor(random() * (width - size.width)), top: Math.floor(random() * (height - size.height)) }
  return sharp(png)
    .extract({ ...place, ...size })
    .png({ compressionLevel: 1 })
    .toBuffer()
}

/** Up to eight degrees; the corners are filled with any colour, or stay transparent where the picture is. */
const turned: Change = async (png, random) => {
  const { isOpaque } = await sharp(png).stats()
  const background = isOpaque ? anyPlain(random) : { r: 0, g: 0, b: 0, alpha: 0 }
  return sharp(png)
    .rotate(sign(random) * between(random, 2, 8), { background })
    .png({ compressionLevel: 1 })
    .toBuffer()
}

/** Half to four fifths of a canvas of any plain colour, anywhere on it. */
const zoomedOut: Change = async (png, random) => {
  const { width, height } = await sharp(png).metadata()
  const side = Math.round(Math.max(width, height) / between(random, 0.5, 0.8))
  const place = { left: Math.floor(random() * (side - width)), top: Math.floor(random() * (side - height)) }
  const canvas = sharp({ create: { width: side, height: side, channels: 3, background: anyPlain(random) } })
  return canvas
    .composite([{ input: Buffer.from(png), ...place }])
    .png({ compressionLevel: 1 })
    .toBuffer()
}

const then =
  (...changes: Change[]): Change =>
  async (png, random) => {
    let bytes = png
    for (const change of changes) bytes = await change(bytes, random)
    return bytes
  }

export const pictureChanges = {
  'JPEG, quality 20, at 60 %': jpeg(20, 0.6),
  mirrored,
  'hue shifted': hue,
  grey,
  gamma,
  cropped,
  'zoomed out on another background': zoomedOut,
  'turned up to 8 degrees': turned,
  'cropped, gamma, JPEG': then(cropped, gamma, jpeg(40, 0.8)),
  'mirrored, turned, zoomed out, JPEG': then(mirrored, turned, zoomedOut, jpeg(40, 0.7)),
} satisfies Record<string, Change>

export type ChangeName = keyof typeof pictureChanges
export const changeNames = Object.keys(pictureChanges) as ChangeName[]
