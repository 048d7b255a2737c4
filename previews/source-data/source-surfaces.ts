/** What the slots of a source file's mesh look like: the colours and pictures that its materials have in the file or beside it. */
import { basename, extname } from 'node:path'
import type { Sharp } from 'sharp'
import { FormatError } from '../../formats/format-error.ts'
import { decodePicture, type PictureBounds } from '../../formats/pictures/decoding.ts'
import type { ReadBeside, SourceLook } from '../../formats/source/look.ts'
import type { Mesh } from '../../formats/source/mesh.ts'
import type { Picture } from '../../formats/source/picture.ts'
import { decodeTga } from '../../formats/tga.ts'
import type { SlotSurface } from './materials.ts'

/** About as large as drawings are, and enough for a viewer in a page. */
const textureEdgePx = 1024
const textureBounds: PictureBounds = { kinds: ['PNG', 'JPEG', 'WebP'], maxEdgePx: 32_768, maxPixels: 8192 * 8192 }
/** Of all slots together, as they are stored: more are shown in their colours. */
const mostTextureBytes = 128 * 1024 * 1024
const mostTextures = 64

/** By slot. A texture that is not there or cannot be read leaves the slot its colour. Slots with one picture share its texture. */
export async function sourceSurfaces(
  { slots, colors }: Pick<Mesh, 'slots' | 'colors'>,
  looks: ReadonlyMap<string, SourceLook>,
  readBeside: ReadBeside,
): Promise<(SlotSurface | undefined)[]> {
  const textures = new Textures(readBeside)
  const surfaces: (SlotSurface | undefined)[] = []
  for (const { name } of slots) {
    const look = looks.get(name)
    const texture = look && (await textures.of(look))
    surfaces.push(look && { ...(texture && { texture }), ...colorOf(look, texture), isMasked: look.isMasked === true })
  }
  return surfaces

  /** White says nothing where colours of corners are multiplied by it, or a picture that is not to be had. */
  function colorOf({ color, image, address }: SourceLook, texture: Picture | undefined): Pick<SlotSurface, 'color'> {
    const isWhite = color.slice(0, 3).every((light) => light === 1)
    const hasNoPicture = texture === undefined && (image !== null || address !== undefined)
    return isWhite && (colors !== null || hasNoPicture) ? {} : { color }
  }
}

/** Each picture is read once. */
class Textures {
  readonly #readBeside: ReadBeside
  readonly #known = new Map<Uint8Array | string, Picture | undefined>()
  #bytesLeft = mostTextureBytes

  constructor(readBeside: ReadBeside) {
    this.#readBeside = readBeside
  }

  async of({ image, address }: SourceLook): Promise<Picture | undefined> {
    const key = image ?? address
    if (key === undefined) return undefined
    if (!this.#known.has(key) && this.#known.size < mostTextures)
      this.#known.set(key, await this.#read(image ?? (await this.#beside(address ?? '')), address))
    return this.#known.get(key)
  }

  /** Where it should be, or in the folder of the file itself, as it comes out of an archive. */
  async #beside(address: string): Promise<Uint8Array | undefined> {
    return (await this.#readBeside(address)) ?? (address === basename(address) ? undefined : this.#readBeside(basename(address)))
  }

  async #read(image: Uint8Array | undefined, address = ''): Promise<Picture | undefined> {
    this.#bytesLeft -= image?.length ?? 0
    if (image === undefined || this.#bytesLeft < 0) return undefined
    return extname(address).toLowerCase() === '.tga' ? readTga(image) : readImage(image)
  }
}

function readTga(image: Uint8Array): Picture | undefined {
  try {
    const { rgba, width, height } = decodeTga(image, textureEdgePx)
    return { width, height, channels: 4, samples: { kind: 'u8', values: rgba } }
  } catch (error) {
    if (error instanceof FormatError) return undefined
    throw error
  }
}

async function readImage(image: Uint8Array): Promise<Picture | undefined> {
  const make = (picture: Sharp) =>
    picture
      .resize({ width: textureEdgePx, height: textureEdgePx, fit: 'inside', withoutEnlargement: true })
      .toColourspace('srgb')
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true })
  try {
    const { data, info } = await decodePicture(image, { bounds: textureBounds, make })
    return { width: info.width, height: info.height, channels: 4, samples: { kind: 'u8', values: data } }
  } catch (error) {
    if (error instanceof FormatError) return undefined
    throw error
  }
}
