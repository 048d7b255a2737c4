// OGG: the packets of one stream, put together from its pages. Source: RFC 3533.
import { ByteReader } from './byte-reader.ts'
import { FormatError } from './format-error.ts'

export interface OggPacket {
  bytes: Buffer
  /** Position of the page that it ends on, where it is the last that ends there; else null. */
  granule: bigint | null
  isLast: boolean
}

const flags = { continued: 1, first: 2, last: 4 }
const maxPacketBytes = 16 * 1024 * 1024

/**
 * The packets of the first stream whose first packet `isWanted`; what belongs to other streams is passed over, and so are packets whose
 * beginning is missing. Throws FormatError `not-this-format`, `unsupported`, `truncated` and `damaged`.
 */
export function* oggPackets(bytes: Uint8Array, isWanted: (first: Buffer) => boolean): Generator<OggPacket> {
  const reader = new ByteReader(bytes, { what: 'OGG file' })
  let serial: number | undefined
  let begun: Buffer[] | undefined
  while (reader.left > 0) {
    const page = readPage(reader)
    if (serial === undefined && page.flags & flags.first && isWanted(page.body)) serial = page.serial
    if (page.serial !== serial) continue
    if ((page.flags & flags.continued) === 0) begun = []
    let from = 0
    const last = page.segments.findLastIndex((size) => size < 255)
    let end = 0
    for (const [index, size] of page.segments.entries()) {
      end += size
      if (size === 255 && index < page.segments.length - 1) continue
      begun?.push(page.body.subarray(from, end))
      from = end
      if (size === 255) break
      const packet = begun && joined(begun)
      begun = []
      if (packet)
        yield {
          bytes: packet,
          granule: index === last ? page.granule : null,
          isLast: index === last && (page.flags & flags.last) !== 0,
        }
    }
    if (page.flags & flags.last) return
  }
  if (serial === undefined) throw new FormatError('unsupported', 'The OGG file holds no Vorbis or Opus sound.')
}

function joined(pieces: Buffer[]): Buffer {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  if (length > maxPacketBytes) throw new FormatError('damaged', `The OGG file is damaged: a packet has ${length} bytes.`)
  return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces)
}

function readPage(reader: ByteReader) {
  if (reader.latin1(4) !== 'OggS') {
    if (reader.offset === 4) throw new FormatError('not-this-format', 'This is not an OGG file.')
    throw reader.damaged('has no page where one should begin')
  }
  if (reader.u8() !== 0) throw reader.damaged('has a page of a version that is not known')
  const pageFlags = reader.u8()
  const granule = reader.take(8).readBigInt64LE()
  const serial = reader.u32()
  reader.skip(8)
  const segments = [...reader.take(reader.u8())]
  return { flags: pageFlags, granule, serial, segments, body: reader.take(segments.reduce((sum, size) => sum + size, 0)) }
}

/** Which samples of those that were decoded are to be played, by the positions of the pages. */
export class PlayedSpan {
  /** Position of the first decoded sample; below zero where samples at the beginning are not to be played. */
  #base: number | undefined
  #end = Number.POSITIVE_INFINITY

  /** After each packet; `decoded` samples of each channel so far. */
  note({ granule, isLast }: OggPacket, decoded: number): void {
    if (granule === null || granule < 0n) return
    // A first page that is also the last may end earlier than what was decoded, not begin later.
    this.#base ??= isLast ? 0 : Number(granule) - decoded
    if (isLast) this.#end = Number(granule) - this.#base
  }

  /** First sample and end. */
  of(decoded: number): [number, number] {
    return [Math.max(0, -(this.#base ?? 0)), Math.min(decoded, this.#end)]
  }
}

/** For each channel of a WAV file the one of Vorbis and Opus that goes there: those put the centre between left and right. */
const orders: Record<number, number[]> = {
  3: [0, 2, 1],
  5: [0, 2, 1, 3, 4],
  6: [0, 2, 1, 5, 3, 4],
  7: [0, 2, 1, 6, 5, 3, 4],
  8: [0, 2, 1, 7, 5, 6, 3, 4],
}

export function wavOrder<T>(channels: T[]): T[] {
  return orders[channels.length]?.map((from) => channels[from] as T) ?? channels
}
