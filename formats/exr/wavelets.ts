// OpenEXR: chunks compressed with PIZ or DWA, decoded by `parse-exr`. It reads whole files without a bound and writes remarks on what it does not
// know, so every chunk is handed over as a small file of its own, with a header of ours.
import { ByteReader } from '../byte-reader.ts'
import { FormatError } from '../format-error.ts'
import { type Chunk, damaged, type Expectation } from './chunks.ts'
import { refuseDwaBomb } from './dwa.ts'
import { type Channel, type Compression, compressions } from './header.ts'
import { refuseOtherCount } from './huffman.ts'

type Parse = typeof import('parse-exr').default
let parse: Parse | undefined

/** Before the first chunk: what is heavy is loaded when it is needed. */
export async function loadWavelets(): Promise<void> {
  parse ??= (await import('parse-exr')).default
}

/** Names that `parse-exr` gives pixels of, and where it puts them. */
const places: Record<string, number> = { R: 0, G: 1, B: 2, A: 3 }
const outputs = { half: 1016, float: 1015 } as const

/** The samples, row by row and channel by channel. Channels that are not shown stay zero. */
export function decodeWavelets(chunk: Chunk, { channels, expected, compression }: Expectation): Uint8Array {
  const type = channels[0]?.type
  const isColored = 'RGB'.split('').every((name) => channels.some((channel) => channel.name === name))
  const isGray = !isColored && channels.some(({ name }) => name === 'Y')
  if (type === undefined || type === 'uint' || channels.some((channel) => channel.type !== type) || !(isColored || isGray))
    throw new FormatError(
      'unsupported',
      'The EXR file holds other channels than colours, compressed with PIZ or DWA, which is not read. Save it with ZIP.',
    )
  if (compression === 'piz') refusePizBomb(chunk.bytes, expected)
  else refuseDwaBomb(chunk, expected)
  const { columns, rows } = chunk
  const stride = isColored ? 4 : 1
  const pixels = decoded(fileOf(chunk, channels, compression), outputs[type])
  if (pixels.length !== columns * rows * stride) throw damaged('a chunk gives another size than it says')
  const out = Buffer.alloc(expected)
  let to = 0
  for (let row = 0; row < rows; row++) {
    // Its rows come from below.
    const line = (rows - 1 - row) * columns * stride
    for (const { name } of channels) {
      const place = isColored ? places[name] : name === 'Y' ? 0 : undefined
      for (let column = 0; column < columns; column++, to += type === 'half' ? 2 : 4) {
        if (place === undefined) continue
        const sample = pixels[line + column * stride + place] ?? 0
        if (type === 'half') out.writeUInt16LE(sample, to)
        else out.writeFloatLE(sample, to)
      }
    }
  }
  return out
}

/** Two bytes each of the lowest and highest value, which of them there are, and codes of what was made of the samples. */
function refusePizBomb(bytes: Uint8Array, expected: number): void {
  const reader = new ByteReader(bytes, { what: 'EXR file' })
  const [lowest, highest] = [reader.u16(), reader.u16()]
  if (lowest <= highest) reader.skip(highest - lowest + 1)
  refuseOtherCount(reader.take(reader.u32()), expected / 2)
}

function decoded(file: Uint8Array<ArrayBuffer>, output: 1015 | 1016): Uint16Array | Float32Array {
  if (!parse) throw new Error('loadWavelets() comes first')
  try {
    return parse(file.buffer, output).data
  } catch (cause) {
    throw new FormatError('damaged', 'The EXR file is damaged: a chunk cannot be decompressed.', { cause })
  }
}

/** An EXR of one tile as large as the chunk. */
function fileOf(
  { columns, rows, bytes }: Chunk,
  channels: readonly Channel[],
  compression: Compression,
): Uint8Array<ArrayBuffer> {
  const list = channels.map(({ name, type }) => Buffer.concat([text(name), words(type === 'half' ? 1 : 2, 0, 1, 1)]))
  const header = [
    words(20_000_630, 0x202),
    attribute('channels', 'chlist', Buffer.concat([...list, Buffer.alloc(1)])),
    attribute('compression', 'compression', Buffer.of(compressions.indexOf(compression))),
    attribute('dataWindow', 'box2i', words(0, 0, columns - 1, rows - 1)),
    attribute('lineOrder', 'lineOrder', Buffer.of(0)),
    attribute('tiles', 'tiledesc', Buffer.concat([words(columns, rows), Buffer.of(0)])),
    Buffer.alloc(1),
  ]
  const table = words(0, 0)
  return new Uint8Array(Buffer.concat([...header, table, words(0, 0, 0, 0, bytes.length), bytes]))
}

const text = (value: string) => Buffer.from(`${value}\0`, 'latin1')

function words(...values: number[]): Buffer {
  return Buffer.from(Uint32Array.from(values).buffer)
}

function attribute(name: string, type: string, value: Buffer): Buffer {
  return Buffer.concat([text(name), text(type), words(value.length), value])
}
