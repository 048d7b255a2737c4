/** What a source file shows or plays, by its extension. */
import { FormatError } from '../../formats/format-error.ts'
import type { ReadBeside } from '../../formats/source/look.ts'
import type { Mesh } from '../../formats/source/mesh.ts'
import type { Picture } from '../../formats/source/picture.ts'
import type { Sound } from '../../formats/source/sound.ts'
import { findSourceKind, sourceMesh } from '../../formats/source-file.ts'

export type Content = { kind: 'mesh'; mesh: Mesh } | { kind: 'picture'; picture: Picture } | { kind: 'sound'; sound: Sound }

/** Unreal's largest texture; a TGA is not made smaller by its reader then. */
const maxEdgePx = 16_384

/** `class` is the library's name of the kind: `SourceMesh`. Throws FormatError; `unsupported` for a format that is not read. */
export async function readContent(
  ext: string,
  bytes: Uint8Array,
  readBeside: ReadBeside,
): Promise<{ class: string; content: Content }> {
  const kind = findSourceKind(ext)
  const mesh = await sourceMesh(ext, bytes, readBeside)
  const content = mesh ? ({ kind: 'mesh', mesh } as const) : await readers[kind?.reader ?? '']?.(bytes)
  if (kind && content) return { class: kind.assetClass, content }
  const what = ext === '' ? 'A file without an extension' : `A .${ext} file`
  throw new FormatError('unsupported', `${what} is not read for what it shows or plays.`)
}

/** Readers and the libraries behind them are loaded when the first file needs them. */
const readers: Record<string, (bytes: Uint8Array) => Promise<Content>> = {
  picture: async (bytes) => ({ kind: 'picture', picture: await readPicture(bytes) }),
  async tga(bytes) {
    const { rgba, width, height } = (await import('../../formats/tga.ts')).decodeTga(bytes, maxEdgePx)
    return { kind: 'picture', picture: { width, height, channels: 4, samples: { kind: 'u8', values: rgba } } }
  },
  async exr(bytes) {
    return { kind: 'picture', picture: await (await import('../../formats/exr/picture.ts')).readExrPicture(bytes) }
  },
  async hdr(bytes) {
    return { kind: 'picture', picture: (await import('../../formats/hdr.ts')).readHdrPicture(bytes) }
  },
  async psd(bytes) {
    return { kind: 'picture', picture: (await import('../../formats/psd.ts')).readPsdPicture(bytes) }
  },
  async flac(bytes) {
    return { kind: 'sound', sound: (await import('../../formats/flac/sound.ts')).readFlacSound(bytes) }
  },
  async mp3(bytes) {
    return { kind: 'sound', sound: await (await import('../../formats/mp3/sound.ts')).readMp3Sound(bytes) }
  },
  ogg: async (bytes) => ({ kind: 'sound', sound: await readOggSound(bytes) }),
  async wav(bytes) {
    const { readWavData, wavSound } = await import('../../formats/wav.ts')
    const { facts, data } = readWavData(bytes)
    return { kind: 'sound', sound: wavSound(facts, data) }
  },
}

/** Opus or Vorbis, as the file's first page says. */
async function readOggSound(bytes: Uint8Array): Promise<Sound> {
  const { codec } = (await import('../../formats/ogg.ts')).readOgg(bytes)
  if (codec === 'opus') return (await import('../../formats/opus.ts')).readOpusSound(bytes)
  return (await import('../../formats/vorbis/sound.ts')).readVorbisSound(bytes)
}

/** With as many bits and channels as the file has. */
async function readPicture(bytes: Uint8Array): Promise<Picture> {
  const { imagePixels, readImage } = await import('../../formats/image.ts')
  const facts = await readImage(bytes)
  const isGray = facts.format === 'png' ? facts.color === 'gray' : facts.components === 1
  const channels = isGray ? 1 : 4
  const { width, height } = facts
  if (facts.bitDepth !== 16) {
    const values = await imagePixels(bytes, facts, { channels, bits: 8 })
    return { width, height, channels, samples: { kind: 'u8', values } }
  }
  const { buffer, byteOffset, length } = await imagePixels(bytes, facts, { channels, bits: 16 })
  const values = new Uint16Array(buffer.slice(byteOffset, byteOffset + length))
  return { width, height, channels, samples: { kind: 'u16', values } }
}
