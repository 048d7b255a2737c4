/** The paths that are taken below the folder of a download, as the strictest of file systems compares them, and those that are not allowed. Pure. */
import { limits } from '../../contract/limits.ts'
import { nameKey } from '../../contract/names.ts'
import { longestPath, sourcePathPattern } from '../../contract/path-patterns.ts'
import type { PullJobObject } from '../../contract/pull-jobs.ts'
import { isDeviceName } from '../project/places/placeable.ts'

/** A version with what its path is made of. `asset_name` is null for what is no asset; `package_name` is of what has no `origin_path`. */
export type DownloadedObject = PullJobObject & { source_path?: string | null; package_name?: string | null }

export interface LaidFile {
  /** Below the folder, with `/`. */
  path: string
  object: DownloadedObject
}

const relativePath = new RegExp(sourcePathPattern, 'u')
const sha256 = /^[0-9a-f]{64}$/
const longestName = 255
/** What Windows has in no name. */
const notOnWindows = /[<>:"|?*]|[. ]$/

export class TakenPaths {
  readonly #files = new Map<string, LaidFile>()
  /** By their paths in lower case, as they are spelled. */
  readonly #folders = new Map<string, string>()

  get files(): LaidFile[] {
    return [...this.#files.values()]
  }

  /** The first of these paths that another file has, or a folder. */
  clashOf(files: readonly LaidFile[]): string | undefined {
    return files.find((file) => !this.#isFree(file))?.path
  }

  /** Takes what is allowed; says what is not. */
  add(files: readonly LaidFile[]): { what: string; why: string }[] {
    return files.flatMap((file) => {
      const why = faultOf(file) ?? (this.#isFree(file) ? undefined : 'has the same path as another file')
      if (why !== undefined) return [{ what: shown(file.path), why }]
      this.#files.set(nameKey(file.path), file)
      for (const folder of foldersOf(file.path)) this.#folders.set(nameKey(folder), folder)
      return []
    })
  }

  #isFree({ path, object }: LaidFile): boolean {
    const known = this.#files.get(nameKey(path))
    if (known) return known.path === path && known.object.object_id === object.object_id
    if (this.#folders.has(nameKey(path))) return false
    return foldersOf(path).every((folder) => {
      const key = nameKey(folder)
      return !this.#files.has(key) && (this.#folders.get(key) ?? folder) === folder
    })
  }
}

/** Every folder above a file, the outermost first. */
function foldersOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'))
}

/** Names that begin with a dot configure programs, and nobody sees them. */
function faultOf({ path, object }: LaidFile): string | undefined {
  if (!sha256.test(object.content_hash)) return 'has no hash'
  if (!(Number.isSafeInteger(object.blob_size) && object.blob_size >= 0 && object.blob_size <= limits.blobBytes))
    return 'has no size that a file can have'
  if (!relativePath.test(path) || path.length > longestPath + longestName) return 'is not a path below a folder'
  for (const name of path.split('/')) {
    if (isDeviceName(name.split('.')[0]?.trimEnd() ?? '')) return 'is the name of a device on Windows'
    if (name.startsWith('.')) return 'has a name that begins with a dot'
    if (Buffer.byteLength(name) > longestName) return `has a name longer than ${longestName} bytes`
    if (process.platform === 'win32' && notOnWindows.test(name)) return 'has a name that Windows does not take'
  }
  return undefined
}

const shown = (path: string): string => path.slice(0, 200).replaceAll(/[\p{Cc}\p{Cf}]/gu, '?')
