// The ids of a package's source data, found without decoding them: two packages with one in common hold the same mesh, picture or sound.
import { createBLAKE3 } from 'hash-wasm'
import { FileWindow, type WholeFile } from '../file-window.ts'
import { FormatError } from '../format-error.ts'
import { idBits } from '../kraken/payload-id.ts'
import { type ObjectReader, type OpenPackage, openPackage } from './package.ts'
import { trailerIds } from './package-trailer.ts'
import type { Payload } from './payload.ts'
import { soundPayload } from './sound.ts'
import { staticMeshPayload } from './static-mesh.ts'
import { texturePayload } from './texture.ts'
import { inflatePieces } from './zlib-chunks.ts'

/** As many as a library keeps of a version. */
const mostIds = 64

/** By class of the main asset. Of a static mesh LOD 0 counts: coarse LODs of different meshes may well be the same. */
const payloads = new Map<string, (object: ObjectReader) => Payload>([
  ['Texture2D', texturePayload],
  ['TextureCube', texturePayload],
  ['SoundWave', soundPayload],
  ['StaticMesh', staticMeshPayload],
])

/**
 * The ids of the source data of a package's main asset. Packages from 5.0 on name them. Before, the id is worked out of the raw bytes, of
 * at most `hashBytes`. For classes whose objects are not read, such as skeletal meshes, it is all that the trailer names, from 5.1 on.
 *
 * `beginning` is the header and what follows it, which real packages keep the main asset's own data in; `file` reads further. None for
 * packages without source data, and for all that cannot be read.
 */
export async function payloadIds(
  beginning: Uint8Array,
  { stem, file, hashBytes }: { stem: string; file: WholeFile; hashBytes: number },
): Promise<string[]> {
  try {
    const opened = openPackage(beginning, file.sizeBytes)
    const window = new FileWindow(beginning, file, 'package')
    const index = opened.exports.mainAssetIndex(stem)
    if (index === undefined) return []
    const read = payloads.get(opened.className(index))
    if (read === undefined) return idsInTrailer(opened, window)
    const id = await idOf(read(opened.object(index)), window, hashBytes)
    return id === null ? [] : [id]
  } catch (error) {
    if (error instanceof FormatError) return []
    throw error
  }
}

function idsInTrailer({ summary: { payloadTocOffset: start } }: OpenPackage, window: FileWindow): string[] {
  if (start === null || start < 0 || start >= window.sizeBytes) return []
  return trailerIds(window.from(start), mostIds)
}

/** Null for no payload, and for one that would have to be hashed and is too large. */
async function idOf(payload: Payload, window: FileWindow, hashBytes: number): Promise<string | null> {
  if (payload.id !== null || payload.rawSize === 0) return payload.rawSize === 0 ? null : payload.id
  if (payload.stored === null || payload.rawSize > hashBytes) return null
  const { offset, size, zlib } = payload.stored
  if (!zlib && size !== payload.rawSize) return null
  hasher ??= await createBLAKE3(idBits)
  hasher.init()
  const pieces = zlib ? inflatePieces(window, payload.stored, payload.rawSize) : window.pieces(offset, offset + size)
  for (const piece of pieces) hasher.update(piece)
  return hasher.digest('hex')
}

/** One for each thread: nothing waits between its beginning and its end. */
let hasher: Awaited<ReturnType<typeof createBLAKE3>> | undefined
