// The source data of an Unreal package: what its main asset was made of. Start here.
import { FormatError } from '../format-error.ts'
import { inKnownLayout } from '../uasset/header.ts'
import { type OpenPackage, openPackage } from './package.ts'
import { readSkeletalMesh, type SkeletalMeshSource } from './skeletal-mesh.ts'
import { readSound, type SoundSource } from './sound.ts'
import { readStaticMesh, type StaticMeshSource } from './static-mesh.ts'
import { readTexture, type TextureSource } from './texture.ts'

/** `class` is the main asset's, without its module. */
export type Source = { class: string } & (
  | ({ kind: 'picture' } & TextureSource)
  | ({ kind: 'sound' } & SoundSource)
  | ({ kind: 'mesh' } & (StaticMeshSource | SkeletalMeshSource))
)

type ReadSource = (from: OpenPackage, index: number) => Promise<Source>

/** By class of the main asset, which is the export of the index. */
const readers = new Map<string, ReadSource>([
  ['Texture2D', picture],
  ['TextureCube', picture],
  ['SoundWave', async (from, index) => ({ kind: 'sound', class: from.className(index), ...readSound(from.object(index)) })],
  ['StaticMesh', async (from, index) => ({ kind: 'mesh', class: from.className(index), ...readStaticMesh(from.object(index)) })],
  [
    'SkeletalMesh',
    async (from, index) => ({ kind: 'mesh', class: from.className(index), ...readSkeletalMesh(from.object(index)) }),
  ],
])

async function picture(from: OpenPackage, index: number): Promise<Source> {
  return { kind: 'picture', class: from.className(index), ...(await readTexture(from.object(index))) }
}

/**
 * The source of a package's main asset; undefined for classes whose sources are not read. `bytes` is the whole file and
 * `stem` its name without extension.
 *
 * Throws FormatError: `not-this-format` and `git-lfs-pointer`; `unsupported` for cooked packages, for sources kept outside
 * the package and for encodings that are not known; `truncated`, `damaged`, `too-large`.
 */
export async function readSource(bytes: Uint8Array, { stem }: { stem: string }): Promise<Source | undefined> {
  const opened = openPackage(bytes)
  try {
    const index = opened.exports.mainAssetIndex(stem)
    return index === undefined ? undefined : await readers.get(opened.className(index))?.(opened, index)
  } catch (error) {
    throw inKnownLayout(opened.summary, asDamage(error))
  }
}

/** A package whose source is of another kind than it says is damaged; it is a package all the same. */
function asDamage(error: unknown): unknown {
  if (!(error instanceof FormatError && error.reason === 'not-this-format')) return error
  return new FormatError('damaged', `The source in this package is not what it should be. ${error.message}`, { cause: error })
}
