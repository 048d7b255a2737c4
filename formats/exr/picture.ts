// OpenEXR: the picture, as linear light.
import { FormatError } from '../format-error.ts'
import { halfOne, toHalf } from '../source/half.ts'
import { type Picture, refuseHugePicture } from '../source/picture.ts'
import { type Chunk, chunksOf, pixelBytes, typeBytes } from './chunks.ts'
import { type Channel, type ExrHeader, readExrHeader } from './header.ts'
import { samplesOf } from './samples.ts'
import { loadWavelets } from './wavelets.ts'

/** Of all channels, also those that are not shown. */
const maxDecodedBytes = 2 * 1024 ** 3

/**
 * The picture of a whole file: red, green and blue, or one channel as gray. Of several layers the one without a name is taken, else the
 * first with colours. Throws FormatError as `readExr`, and `too-large`.
 */
export async function readExrPicture(bytes: Uint8Array): Promise<Picture> {
  const header = readExrHeader(bytes)
  const { width, height, channels } = header
  refuseHugePicture('EXR file', header, 2)
  if (width * height * pixelBytes(channels) > maxDecodedBytes)
    throw new FormatError(
      'too-large',
      `The picture has ${width} x ${height} pixels of ${channels.length} channels, too many to decode safely.`,
    )
  if (channels.some(({ sampling }) => sampling[0] !== 1 || sampling[1] !== 1))
    throw new FormatError(
      'unsupported',
      'The EXR file holds some channels at a lower resolution, which is not read. Save it as RGB.',
    )
  if (['piz', 'dwaa', 'dwab'].includes(header.compression)) await loadWavelets()
  const shown = shownChannels(channels)
  const values = new Uint16Array(width * height * shown.length)
  if (shown.length === 4 && shown[3] === undefined) for (let at = 3; at < values.length; at += 4) values[at] = halfOne
  const places = shown.flatMap((channel, place) => (channel ? [{ place, channel, before: bytesBefore(channels, channel) }] : []))
  for (const chunk of chunksOf(bytes, header)) {
    const samples = samplesOf(chunk, header)
    for (const { place, channel, before } of places)
      write({ values, header, place, stride: shown.length }, chunk, { samples, channel, before })
  }
  return { width, height, channels: shown.length === 1 ? 1 : 4, samples: { kind: 'half', values } }
}

/** Four with colours, the last undefined without an alpha; or one. */
function shownChannels(channels: readonly Channel[]): (Channel | undefined)[] {
  const named = (name: string) => channels.find((channel) => channel.name === name)
  const layers = channels.map(({ name }) => name.slice(0, name.lastIndexOf('.') + 1)).sort((a, b) => a.length - b.length)
  for (const layer of new Set(['', ...layers])) {
    const [red, green, blue, alpha] = ['R', 'G', 'B', 'A'].map((letter) => named(layer + letter))
    if (red && green && blue) return [red, green, blue, alpha]
  }
  const gray = named('Y') ?? channels.find(({ name }) => name !== 'A') ?? channels[0]
  if (!gray) throw new FormatError('damaged', 'The EXR file is damaged: it has no channels.')
  return [gray]
}

function bytesBefore(channels: readonly Channel[], channel: Channel): number {
  return pixelBytes(channels.slice(0, channels.indexOf(channel)))
}

interface Target {
  values: Uint16Array
  header: ExrHeader
  place: number
  stride: number
}

interface Stored {
  samples: Uint8Array
  channel: Channel
  /** Bytes of the channels before it, of one pixel. */
  before: number
}

function write(
  { values, header, place, stride }: Target,
  { x, y, columns, rows }: Chunk,
  { samples, channel, before }: Stored,
): void {
  const view = new DataView(samples.buffer, samples.byteOffset, samples.length)
  const rowBytes = columns * pixelBytes(header.channels)
  const each = typeBytes[channel.type]
  for (let row = 0; row < rows; row++) {
    let from = row * rowBytes + before * columns
    let to = ((y + row) * header.width + x) * stride + place
    for (let column = 0; column < columns; column++, from += each, to += stride) {
      if (channel.type === 'half') values[to] = view.getUint16(from, true)
      else values[to] = toHalf(channel.type === 'float' ? view.getFloat32(from, true) : view.getUint32(from, true))
    }
  }
}
