/** The paths that are taken below the folder of a download, as the strictest of file systems compares them, and those that are not allowed. Pure. */
import { limits } from '../../contract/limits.ts'
import { nameKey } from '../../contract/names.ts'
import { longestPath, sourcePathPattern } from '../../contract/path-patterns.ts'
import type { PullJobObject } from '../../contract/pull-jobs.ts'
import { whyNotOnWindows } from '../project/places/placeable.ts'

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

/** `why` ends the sentence that begins with `what`. */
export interface RefusedFile {
  what: string
  why: string
}

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

  /** Takes what is allowed; says what is not: files whose names are no names here, and what no library names. */
  add(files: readonly LaidFile[]): { leftOut: RefusedFile[]; refused: RefusedFile[] } {
    const [leftOut, refused]: RefusedFile[][] = [[], []]
    for (const file of files) {
      const fault = faultOf(file) ?? (this.#isFree(file) ? undefined : 'has the same path as another file')
      const nameFault = faultOfNames(file.path)
      if (fault !== undefined) refused?.push({ what: shown(file.path), why: fault })
      else if (nameFault !== undefined) leftOut?.push({ what: shown(file.path), why: nameFault })
      else this.#take(file)
    }
    return { leftOut: leftOut ?? [], refused: refused ?? [] }
  }

  #take(file: LaidFile): void {
    this.#files.set(nameKey(file.path), file)
    for (const folder of foldersOf(file.path)) this.#folders.set(nameKey(folder), folder)
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

/** What a library would not name. */
function faultOf({ path, object }: LaidFile): string | undefined {
  if (!sha256.test(object.content_hash)) return 'has no hash'
  if (!(Number.isSafeInteger(object.blob_size) && object.blob_size >= 0 && object.blob_size <= limits.blobBytes))
    return 'has no size that a file can have'
  if (!relativePath.test(path) || path.length > longestPath + longestName) return 'is not a path below a folder'
  return undefined
}

/** What this system cannot have. Names that begin with a dot configure programs, and nobody sees them. */
function faultOfNames(path: string): string | undefined {
  for (const name of path.split('/')) {
    if (name.startsWith('.')) return 'has a name that begins with a dot'
    if (Buffer.byteLength(name) > longestName) return `has a name longer than ${longestName} bytes`
  }
  return process.platform === 'win32' ? whyNotOnWindows(path) : undefined
}

const shown = (path: string): string => path.slice(0, 200).replaceAll(/[\p{Cc}\p{Cf}]/gu, '?')
