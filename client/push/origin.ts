/** Where a push comes from: the name of its project, and the path of each file below the folder that was pushed. */
import { basename, dirname, join, relative, sep } from 'node:path'
import { limits } from '../../contract/limits.ts'
import { cutToLimit } from '../../contract/names.ts'
import { longestPath, sourcePathPattern } from '../../contract/path-patterns.ts'
import type { NamedPaths } from '../project/paths.ts'
import { findProjectName, isPlugin } from '../project/unreal-project.ts'

/** Of a project its own name, of a plugin that stands alone its folder's. Undefined for other folders. */
export function originName(root: string): string | undefined {
  const name = findProjectName(root) ?? (isPlugin(root) ? basename(root) : undefined)
  const plain = name === undefined ? '' : cutToLimit(name.replaceAll(/\p{Cc}/gu, ' '), limits.pullJob.projectName).trim()
  return plain === '' ? undefined : plain
}

const sourcePath = new RegExp(sourcePathPattern, 'u')

/**
 * The path of a file, which is given below the root, below the nearest folder that was named, or that holds a file that was named.
 * Undefined for what went along from elsewhere.
 */
export function sourcePathsOf({ root, starts }: NamedPaths): (file: string) => string | undefined {
  const prefixes = starts.map(({ path, isFolder }) => {
    const below = relative(root, isFolder ? path : dirname(path))
    return below === '' ? '' : `${join(below).split(sep).join('/')}/`
  })
  const nearestFirst = [...new Set(prefixes)].sort((a, b) => b.length - a.length)
  return (file) => {
    const prefix = nearestFirst.find((one) => file.startsWith(one))
    const path = prefix === undefined ? '' : file.slice(prefix.length)
    return sourcePath.test(path) && [...path].length <= longestPath ? path.normalize('NFC') : undefined
  }
}
