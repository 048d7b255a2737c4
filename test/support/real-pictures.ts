/** The pictures in the packages of PH_FIXTURES, and those that lie beside them, each once. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import sharp from 'sharp'
import { FormatError } from '../../formats/format-error.ts'
import { embeddedThumbnail } from '../../formats/uasset/thumbnail.ts'
import { readPackage } from '../../formats/uasset/uasset.ts'
import { fixtureFolder } from './real-packages.ts'

export interface RealPicture {
  /** Of its file. */
  name: string
  /** At most 512 x 512. */
  png: Uint8Array
}

/** Without those that are of one colour throughout. */
export async function realPictures(): Promise<RealPicture[]> {
  if (fixtureFolder === undefined) throw new Error('PH_FIXTURES names no folder')
  const known = new Set<string>()
  const pictures: RealPicture[] = []
  for (const file of (readdirSync(fixtureFolder, { recursive: true }) as string[]).sort()) {
    const png = await pictureIn(join(fixtureFolder, file))
    if (png === undefined) continue
    const hash = createHash('sha256')
      .update(await sharp(png).raw().toBuffer())
      .digest('hex')
    if (known.has(hash)) continue
    known.add(hash)
    const { channels } = await sharp(png).stats()
    if (channels.every(({ stdev }) => stdev < 1)) continue
    pictures.push({ name: basename(file), png })
  }
  return pictures
}

async function pictureIn(path: string): Promise<Uint8Array | undefined> {
  const ext = extname(path)
  if (ext === '.png' || ext === '.jpg')
    return sharp(readFileSync(path)).resize({ width: 512, height: 512, fit: 'inside', withoutEnlargement: true }).png().toBuffer()
  if (ext !== '.uasset' && ext !== '.umap') return undefined
  try {
    const bytes = readFileSync(path)
    return (
      (await embeddedThumbnail(bytes, readPackage(bytes, { stem: basename(path, ext), fileSize: bytes.length }))) ?? undefined
    )
  } catch (error) {
    if (error instanceof FormatError) return undefined
    throw error
  }
}
