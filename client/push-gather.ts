/** Finds the files of a push and reads those that are new or changed; what lies unchanged is taken from memory. */
import { join, sep } from 'node:path'
import { findSourceKind } from '../formats/source-file.ts'
import { packageExtensions, type ReadFile, type UnreadFile } from './file-reader.ts'
import { gone } from './fingerprint.ts'
import type { FileRead, Fingerprints, KnownFile, Mark } from './fingerprints.ts'
import { readFiles } from './hash.ts'
import type { Tell } from './push-events.ts'
import { namingOf, type PushFile } from './push-file.ts'
import type { NamedPaths } from './push-paths.ts'
import { type Problem, problem } from './push-problem.ts'
import type { FoundFile } from './scan.ts'

const sidecarExtensions = new Set(['uexp', 'ubulk', 'uptnl', 'upayload'])
const descriptorExtensions = new Set(['uproject', 'uplugin'])

export interface Sorted {
  /** Props, by what their names say. */
  wanted: FoundFile[]
  sidecars: string[]
  unknown: string[]
}

/** Tells files that may be props from those that are not; `all` takes every kind. */
export function sortFound(files: readonly FoundFile[], all: boolean): Sorted {
  const sorted: Sorted = { wanted: [], sidecars: [], unknown: [] }
  for (const found of files) {
    const { ext, file } = found
    if (packageExtensions.has(ext) || findSourceKind(ext)) sorted.wanted.push(found)
    else if (sidecarExtensions.has(ext)) sorted.sidecars.push(file)
    else if (descriptorExtensions.has(ext)) continue
    else if (all) sorted.wanted.push(found)
    else sorted.unknown.push(file)
  }
  return sorted
}

/** Whether memory holds every file as it is, and the library every one of them. */
export function isUntouched(files: readonly FoundFile[], marks: readonly Mark[]): boolean {
  const settled = new Map<string, string>()
  for (const [file, stat, isSettled] of marks) if (isSettled === 1) settled.set(file, stat)
  return files.every(({ file, stat }) => settled.get(file) === stat)
}

/** Files that were where the walk went, and are not any more. What they stood for may now be another file's. */
export function findVanished(found: readonly FoundFile[], marks: readonly Mark[], { root, starts }: NamedPaths): string[] {
  const folders = starts
    .filter(({ isFolder }) => isFolder)
    .map(({ path }) =>
      path
        .slice(root.length + 1)
        .split(sep)
        .join('/'),
    )
  const present = new Set(found.map(({ file }) => file))
  const isBelow = (file: string) => folders.some((folder) => folder === '' || file.startsWith(`${folder}/`))
  return marks.flatMap(([file, stat]) => (stat !== gone && !present.has(file) && isBelow(file) ? [file] : []))
}

export interface Gathered {
  files: PushFile[]
  problems: Problem[]
  /** Bytes and files that were read. */
  read: { files: number; bytes: number }
}

/** How many results are kept in memory before they are written down. */
const savedAtOnce = 1000

interface Reading {
  root: string
  fingerprints: Fingerprints
  tell: Tell
  signal?: AbortSignal
}

/** Gives every found file its content's hash and facts. What cannot be read becomes a problem. */
export async function gather(found: readonly FoundFile[], { root, fingerprints, tell, signal }: Reading): Promise<Gathered> {
  const known = new Map(fingerprints.findAll(found.map(({ file }) => file)).map((one) => [one.file, one]))
  const changed = found.filter(({ file, stat }) => known.get(file)?.stat !== stat)
  const fresh = new Map<string, FileRead>()
  const problems: Problem[] = []
  const progress = {
    files: 0,
    bytes: 0,
    totalFiles: changed.length,
    totalBytes: changed.reduce((sum, { size }) => sum + size, 0),
  }
  let unsaved: FileRead[] = []
  const save = () => {
    fingerprints.saveRead(unsaved)
    unsaved = []
  }
  await readFiles(
    changed.map(({ file, size }) => ({ path: join(root, file), size })),
    {
      signal,
      onFile: (index, result) => {
        const one = changed[index]
        if (!one) return
        progress.files++
        if ('unread' in result) problems.push(nameUnread(one.file, result))
        else {
          const read = toRead(one, result)
          fresh.set(one.file, read)
          if (unsaved.push(read) >= savedAtOnce) save()
        }
        tell({ kind: 'read', ...progress })
      },
      onBytes: (bytes) => {
        progress.bytes += bytes
        tell({ kind: 'read', ...progress })
      },
    },
  )
  save()
  const files = found.flatMap((one) => toPushFile(one, fresh.get(one.file), known.get(one.file)))
  return { files, problems, read: { files: progress.files, bytes: progress.bytes } }
}

function toRead(found: FoundFile, result: ReadFile): FileRead {
  const naming = namingOf(found, result.facts)
  const guid = result.facts.kind === 'package' ? result.facts.guid : null
  return { ...result, file: found.file, packageName: naming.packageName?.toLowerCase() ?? null, guid }
}

function toPushFile(found: FoundFile, read: FileRead | undefined, known: KnownFile | undefined): PushFile[] {
  const content = read ?? (known?.stat === found.stat ? known : undefined)
  if (!content) return []
  const { hash, size, facts } = content
  // What was settled about other bytes says nothing about these; what version they were edited from still counts.
  const memory = known && { ...known, settled: known.settled && known.hash === hash }
  return [{ found, hash, size, facts, naming: namingOf(found, facts), known: memory }]
}

function nameUnread(file: string, { unread, code }: UnreadFile): Problem {
  if (unread === 'changed') return problem('changed-while-read', file, `${file} was changed while it was read.`)
  if (unread === 'vanished') return problem('vanished', file, `${file} was there a moment ago and is gone.`)
  return problem('unreadable-file', file, `${file} cannot be read (${code}).`)
}
