/** The way to a socket in a folder whose path may be longer than the path of a socket can be. */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** In bytes: macOS has room for 104 and Linux for 108, with the NUL behind the path. */
const longestPathBytes = 103

const socketName = 's'

/** Calls `use` with a path of the socket in `dir` that is short enough: its own, or one through a link that is gone afterwards. */
export async function atShortPath<T>(dir: string, use: (path: string) => Promise<T>): Promise<T> {
  const plain = join(dir, socketName)
  if (Buffer.byteLength(plain) <= longestPathBytes) return use(plain)
  const detour = mkdtempSync(join(tmpdir(), 'ph-'))
  try {
    const link = join(detour, 'd')
    symlinkSync(dir, link)
    return await use(join(link, socketName))
  } finally {
    rmSync(detour, { recursive: true, force: true })
  }
}

/** What a program that was killed left there. Only for who has the folder for itself. */
export const removeSocket = (dir: string): void => rmSync(join(dir, socketName), { force: true })
