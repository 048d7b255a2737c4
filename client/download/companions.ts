/** What the bytes of a downloaded source file name: its companions, as addresses relative to its own folder. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { FormatError } from '../../formats/format-error.ts'
import { describeSource, sourceHeadBytes } from '../../formats/source-file.ts'

/** Formats whose readers tell companions. */
const naming = new Set(['gltf', 'glb', 'obj', 'mtl'])

export const mayNameOthers = ({ source_ext }: { source_ext: string | null }): boolean =>
  source_ext !== null && naming.has(source_ext)

/** None of a file that cannot be read as what it is said to be. */
export async function companionsIn(path: string, ext: string): Promise<string[]> {
  const fd = openSync(path, 'r')
  try {
    const sizeBytes = fstatSync(fd).size
    const head = Buffer.alloc(Math.min(sizeBytes, sourceHeadBytes(ext)))
    readSync(fd, head, 0, head.length, 0)
    const readAt = (into: Uint8Array, offset: number) => readSync(fd, into, 0, into.length, offset)
    return (await describeSource(ext, head, { sizeBytes, readAt }))?.companions ?? []
  } catch (error) {
    if (error instanceof FormatError) return []
    throw error
  } finally {
    closeSync(fd)
  }
}
