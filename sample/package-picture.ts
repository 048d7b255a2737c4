// The thumbnail inside a package: the engine exchanges red and blue before it encodes the picture.
import sharp from 'sharp'

export type StoredPicture = { format: 'png' | 'jpeg'; width: number; height: number; bytes: Buffer }

/** Encodes a PNG the way the engine keeps it: RGBA PNG or RGB JPEG, red and blue exchanged. */
export async function encodePicture(png: Buffer, format: 'png' | 'jpeg'): Promise<StoredPicture> {
  const { data, info } = await sharp(png).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  for (let at = 0; at < data.length; at += 4) {
    const red = data.readUInt8(at)
    data[at] = data.readUInt8(at + 2)
    data[at + 2] = red
  }
  const swapped = sharp(data, { raw: { width: info.width, height: info.height, channels: 4 } })
  const bytes = await (format === 'png' ? swapped.png() : swapped.removeAlpha().jpeg({ quality: 85 })).toBuffer()
  return { format, width: info.width, height: info.height, bytes }
}
