/** What lies on disk where the files of a pull are to go, and what stands in their way there. Lists folders, reads no file. */
import { accessSync, type BigIntStats, constants, type Dirent, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { systemCode } from '../client-error.ts'
import type { PullFile } from './destinations.ts'
import { type Obstacle, obstacle } from './obstacle.ts'

/** Where a file goes. `file` is its path below the project's root with `/`. */
export interface Destination {
  pullFile: PullFile
  file: string
  path: string
  /** What is there now; undefined when nothing is. */
  stats: BigIntStats | undefined
}

export interface ContentFolder {
  /** Absolute. */
  path: string
  /** Below the project's root, for example `Content`. */
  file: string
}

export interface Inspection {
  destinations: Destination[]
  obstacles: Obstacle[]
}

/** What a path may have on this system, in bytes on POSIX and in characters on Windows, where the API adds what it needs. */
const longestPath = process.platform === 'win32' ? 32_000 : 4095

/** Looks at every destination. */
export function inspectDestinations(files: readonly PullFile[], content: ContentFolder): Inspection {
  const walk = new Inspector(content)
  const destinations = files.flatMap((pullFile) => walk.look(pullFile) ?? [])
  return { destinations, obstacles: walk.obstacles }
}

interface Folder {
  path: string
  /** By name in lower case; undefined for a folder that is not there. */
  entries: Map<string, Dirent> | undefined
  isBlocked: boolean
}

class Inspector {
  readonly obstacles: Obstacle[] = []
  readonly #content: ContentFolder
  readonly #folders = new Map<string, Folder>()

  constructor(content: ContentFolder) {
    this.#content = content
  }

  look(pullFile: PullFile): Destination | undefined {
    const at = pullFile.path.lastIndexOf('/')
    const folder = this.#folder(pullFile.path.slice(0, Math.max(at, 0)))
    if (folder.isBlocked) return undefined
    const name = pullFile.path.slice(at + 1)
    const file = `${this.#content.file}/${pullFile.path}`
    const path = join(folder.path, name)
    if (Buffer.byteLength(path) > longestPath)
      return this.#block(obstacle('path-too-long', file, `The path ${file} is too long for this system.`))
    const entry = folder.entries?.get(name.toLowerCase())
    if (!entry) return { pullFile, file, path, stats: undefined }
    if (entry.name !== name) return this.#block(this.#caseClash(file, entry.name))
    if (entry.isSymbolicLink()) return this.#block(obstacle('leads-elsewhere', file, `${file} is a symbolic link.`))
    if (!entry.isFile()) return this.#block(obstacle('in-the-way', file, `${file} is there and is not a file.`))
    return { pullFile, file, path, stats: lstatSync(path, { bigint: true, throwIfNoEntry: false }) }
  }

  #block(found: Obstacle): undefined {
    this.obstacles.push(found)
    return undefined
  }

  #caseClash = (file: string, name: string): Obstacle =>
    obstacle('case-clash', file, `${file} is there already, spelled ${name}: systems differ in whether that is the same.`)

  /** A folder below the Content folder; its obstacles are named once. */
  #folder(below: string): Folder {
    const known = this.#folders.get(below)
    if (known) return known
    const folder = below === '' ? this.#enter(this.#content.path, this.#content.file) : this.#inner(below)
    this.#folders.set(below, folder)
    return folder
  }

  #inner(below: string): Folder {
    const at = below.lastIndexOf('/')
    const parent = this.#folder(below.slice(0, Math.max(at, 0)))
    const name = below.slice(at + 1)
    const path = join(parent.path, name)
    if (parent.isBlocked) return { path, entries: undefined, isBlocked: true }
    const entry = parent.entries?.get(name.toLowerCase())
    if (!entry) return { path, entries: undefined, isBlocked: false }
    const file = `${this.#content.file}/${below}`
    const blocked = this.#faultOf(entry, name, file)
    if (!blocked) return this.#enter(path, file)
    this.obstacles.push(blocked)
    return { path, entries: undefined, isBlocked: true }
  }

  #faultOf(entry: Dirent, name: string, file: string): Obstacle | undefined {
    if (entry.name !== name) return this.#caseClash(file, entry.name)
    if (entry.isSymbolicLink()) return obstacle('leads-elsewhere', file, `The folder ${file} is a symbolic link.`)
    return entry.isDirectory() ? undefined : obstacle('in-the-way', file, `${file} is there and is not a folder.`)
  }

  #enter(path: string, file: string): Folder {
    try {
      const entries = new Map(readdirSync(path, { withFileTypes: true }).map((entry) => [entry.name.toLowerCase(), entry]))
      accessSync(path, constants.W_OK)
      return { path, entries, isBlocked: false }
    } catch (error) {
      const code = systemCode(error)
      if (code === 'ENOENT') return { path, entries: undefined, isBlocked: false }
      this.obstacles.push(obstacle('folder-read-only', file, `The folder ${file} cannot be written to (${code}).`))
      return { path, entries: undefined, isBlocked: true }
    }
  }
}
