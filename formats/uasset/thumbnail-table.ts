// Where in an Unreal package its picture lies.
import type { PackageReader } from './reader.ts'
import type { Summary } from './summary.ts'

/** `offset` and `length` of the image in the file, in bytes; `class` and `object` say whose picture it is. */
export type ThumbnailPosition = {
  width: number
  height: number
  format: 'png' | 'jpeg'
  offset: number
  length: number
  class: string
  object: string
}

export type ThumbnailTable = { count: number; picture: ThumbnailPosition | null; warning: string | null }

/** Editors write 256; anything beyond this is no picture of theirs. */
export const maxThumbnailSide = 2048
const pngStart = 0x89504e47
const jpegStart = 0xffd8ff

type Row = { class: string; object: string; offset: number }

/**
 * Finds the picture of the object named `asset`, else the first object's that has one. A picture that is not where
 * the table says is a warning, not a failure: the package can do without. Throws FormatError for a damaged table.
 */
export function readThumbnailTable(reader: PackageReader, summary: Summary, asset: string | null): ThumbnailTable {
  if (summary.thumbnailTableOffset <= 0) return { count: 0, picture: null, warning: null }
  reader.seek(summary.thumbnailTableOffset)
  const count = reader.count('thumbnails', 12)
  let own: Row | undefined
  const first: { picture?: ThumbnailPosition; unreadable?: string } = {}
  for (let i = 0; i < count; i++) {
    const row = { class: reader.string(), object: reader.string(), offset: reader.i32() }
    if (asset !== null && row.object.toLowerCase() === asset.toLowerCase()) own ??= row
    if (first.picture) continue
    const picture = readPicture(reader, row)
    if (typeof picture === 'object') first.picture = picture
    else if (picture === 'unreadable') first.unreadable ??= row.object
  }
  const ownPicture = own && readPicture(reader, own)
  const picture = typeof ownPicture === 'object' ? ownPicture : (first.picture ?? null)
  const unreadable = ownPicture === 'unreadable' ? own?.object : picture ? undefined : first.unreadable
  return { count, picture, warning: unreadable === undefined ? null : `The picture of ${unreadable} cannot be read.` }
}

/** Height is negative for a JPEG; yet pictures are kept from older saves, so the image's own first bytes decide. */
function readPicture(reader: PackageReader, row: Row): ThumbnailPosition | 'empty' | 'unreadable' {
  if (!(row.offset >= 0 && row.offset + 12 <= reader.bytes.length)) return 'unreadable'
  const back = reader.offset
  reader.seek(row.offset)
  const picture = readPictureHere(reader, row)
  reader.seek(back)
  return picture
}

function readPictureHere(reader: PackageReader, row: Row): ThumbnailPosition | 'empty' | 'unreadable' {
  const [width, signedHeight, length] = [reader.i32(), reader.i32(), reader.i32()]
  const height = Math.abs(signedHeight)
  if (length === 0 || width === 0 || height === 0) return 'empty'
  if (width < 0 || width > maxThumbnailSide || height > maxThumbnailSide) return 'unreadable'
  if (length < 4 || length > reader.left) return 'unreadable'
  const start = reader.bytes.readUInt32BE(reader.offset)
  const format = start === pngStart ? 'png' : start >>> 8 === jpegStart ? 'jpeg' : undefined
  if (format === undefined) return 'unreadable'
  return { width, height, format, offset: reader.offset, length, class: row.class, object: row.object }
}
