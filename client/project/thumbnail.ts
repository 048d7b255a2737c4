/** Pictures of files as the library takes them: the one inside a package, or a source picture made small. */
import { type FileHandle, open, readFile, stat } from 'node:fs/promises'
import { FormatError } from '../../formats/format-error.ts'
import { maxThumbnailSourceBytes, sourceThumbnail } from '../../formats/source-file.ts'
import { embeddedThumbnail } from '../../formats/uasset/thumbnail.ts'
import { statKey } from './fingerprint.ts'
import type { SendableFile } from './project-file.ts'

/** Whether a picture can be had from a file at all. */
export function hasPicture({ facts, size }: Pick<SendableFile, 'facts' | 'size'>): boolean {
  if (facts.kind === 'package') return facts.picture !== null
  return facts.kind === 'source' && facts.pictured && size <= maxThumbnailSourceBytes
}

/** `png`: the picture. `none`: there is none after all, for the given reason. `changed`: the file is another by now. */
export type MadeThumbnail = { png: Buffer } | { none: string } | { changed: true }

/** Makes the picture of a file, as long as the file is the one that was pushed. Throws what the system says. */
export async function makeThumbnail(
  path: string,
  file: Pick<SendableFile, 'facts'> & { found: { stat: string } },
): Promise<MadeThumbnail> {
  if (statKey(await stat(path, { bigint: true })) !== file.found.stat) return { changed: true }
  try {
    const png =
      file.facts.kind === 'package' ? await packagePicture(path, file.facts.picture) : await sourcePicture(path, file.facts)
    return png ? { png } : { none: 'It has no picture.' }
  } catch (error) {
    if (error instanceof FormatError) return { none: error.message }
    throw error
  }
}

type Picture = Parameters<typeof embeddedThumbnail>[1]['thumbnail']

/** Reads the picture's own bytes only. */
async function packagePicture(path: string, picture: Picture): Promise<Buffer | null> {
  if (!picture) return null
  const file = await open(path)
  try {
    const bytes = await readRange(file, picture.offset, picture.length)
    return await embeddedThumbnail(bytes, { thumbnail: { ...picture, offset: 0 } })
  } finally {
    await file.close()
  }
}

async function readRange(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(length)
  const { bytesRead } = await file.read(buffer, 0, length, offset)
  return buffer.subarray(0, bytesRead)
}

async function sourcePicture(path: string, facts: SendableFile['facts']): Promise<Buffer | null> {
  return facts.kind === 'source' ? sourceThumbnail(facts.ext, await readFile(path)) : null
}
