/** Where this program lies, and how it came there: from a server through npm, or as a checkout. */
import { accessSync, constants, existsSync, realpathSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of package.json: beside `client/` of a checkout, or one above where it lies in dist/. */
export function programFolder(): string {
  const above = fileURLToPath(new URL('..', import.meta.url))
  return existsSync(join(above, 'package.json')) ? above : dirname(above.replace(/[\\/]$/, ''))
}

/** Sources lie in a checkout only. */
export const isCheckout = (folder: string): boolean => existsSync(join(folder, 'tsconfig.json'))

/** The `--prefix` that npm installed it globally with: `lib/node_modules` of it, on Windows `node_modules`. Undefined elsewhere. */
export function npmPrefix(folder: string, platform: NodeJS.Platform = process.platform): string | undefined {
  const modules = dirname(realpathSync(folder))
  if (basename(modules) !== 'node_modules') return undefined
  const above = dirname(modules)
  if (platform === 'win32') return above
  return basename(above) === 'lib' ? dirname(above) : undefined
}

/** The folders in which npm replaces the program; those of them that are not ours to write. */
export function lockedFolders(prefix: string, platform: NodeJS.Platform = process.platform): string[] {
  const folders =
    platform === 'win32' ? [join(prefix, 'node_modules')] : [join(prefix, 'lib', 'node_modules'), join(prefix, 'bin')]
  return folders.filter((folder) => !isWritable(folder))
}

/** Whether this process runs by a Node that lies within the program. */
export const runsByOwnNode = (folder: string): boolean => {
  const inside = relative(realpathSync(folder), realpathSync(process.execPath))
  return inside !== '' && inside !== '..' && !inside.startsWith(`..${sep}`)
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}
