/** Files that a mesh needs, as a library gives them: packages by their long names, and what lies beside a source file by its address. */
import { open } from 'node:fs/promises'
import { basename, posix } from 'node:path'
import type { ReadBeside } from '../../formats/source/look.ts'
import type { NeededFiles } from '../threads/media-order.ts'
import type { FindPackage } from './materials.ts'

/** Materials, textures and buffers of a preview; larger ones are no matter of a picture of 512 pixels. */
const maxNeededBytes = 256 * 1024 ** 2

/** Names compare without regard to case, as in the engine. */
export function packagesAmong(files: NeededFiles): FindPackage {
  return async (name) => {
    const key = name.toLowerCase()
    const path = files.get(key) ?? files.get(basename(key))
    return path === undefined ? undefined : readWithin(path)
  }
}

/** At its address, or, where the same bytes were first pushed from another folder, by the last part of it. */
export function filesAmong(files: NeededFiles): ReadBeside {
  const byLastPart = new Map([...files].reverse().map(([name, path]) => [posix.basename(name), path]))
  return async (address) => {
    const path = files.get(posix.normalize(address)) ?? byLastPart.get(posix.basename(address))
    return path === undefined ? undefined : readWithin(path)
  }
}

/** Undefined for what is not there, may not be read, is no file, or is too large. */
export async function readWithin(path: string): Promise<Uint8Array | undefined> {
  const file = await open(path, 'r').catch(() => undefined)
  if (file === undefined) return undefined
  try {
    const stats = await file.stat()
    return stats.isFile() && stats.size <= maxNeededBytes ? await file.readFile() : undefined
  } catch {
    return undefined
  } finally {
    await file.close()
  }
}
