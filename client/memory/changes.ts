/** What was found on disk beside what is remembered: which files may be props, and whether anything is new. */
import { sep } from 'node:path'
import { kindOf, whyNotKept } from '../../contract/file-kinds.ts'
import { findSourceKind } from '../../formats/source-file.ts'
import { gone, packageExtensions } from '../project/fingerprint.ts'
import { nameByFolder } from '../project/package-name.ts'
import type { NamedPaths } from '../project/paths.ts'
import { type Problem, problem } from '../project/problem.ts'
import type { FoundFile } from '../project/scan.ts'
import type { SeenFile } from './project-memory.ts'

const sidecarExtensions = new Set(['uexp', 'ubulk', 'uptnl', 'upayload'])
const descriptorExtensions = new Set(['uproject', 'uplugin'])

export interface SortedFiles {
  /** Props, by what their names say. */
  props: FoundFile[]
  /** What no library takes: programs and scripts, and what lies among the scripts of the editor. */
  executables: string[]
  sidecars: string[]
  unknown: string[]
}

/** By what an extension says: lower case, without the dot. */
export const mayBeProp = (ext: string): boolean => packageExtensions.has(ext) || findSourceKind(ext) !== undefined

/** Whether no library takes a file, whatever is asked for. */
export function isExecutable(found: FoundFile): boolean {
  const kind = kindOf(found.file)
  return whyNotKept({ kind, packagePath: packageExtensions.has(kind) ? null : nameByFolder(found) }) !== undefined
}

/** Tells files that may be props from those that are not; `all` takes every kind. */
export function sortFound(files: readonly FoundFile[], all: boolean): SortedFiles {
  const sorted: SortedFiles = { props: [], executables: [], sidecars: [], unknown: [] }
  for (const found of files) {
    const { ext, file } = found
    if (descriptorExtensions.has(ext)) continue
    if (isExecutable(found)) sorted.executables.push(file)
    else if (mayBeProp(ext)) sorted.props.push(found)
    else if (sidecarExtensions.has(ext)) sorted.sidecars.push(file)
    else if (all) sorted.props.push(found)
    else sorted.unknown.push(file)
  }
  return sorted
}

/** Whether memory holds every file as it is, and the library every one of them. */
export function isUntouched(files: readonly FoundFile[], seenFiles: readonly SeenFile[]): boolean {
  const settled = new Map<string, string>()
  for (const [file, stat, isSettled] of seenFiles) if (isSettled === 1) settled.set(file, stat)
  return files.every(({ file, stat }) => settled.get(file) === stat)
}

/** Files that were where the walk went, and are not any more. What they stood for may now be another file's. */
export function findVanished(
  found: readonly FoundFile[],
  seenFiles: readonly SeenFile[],
  { root, starts }: NamedPaths,
): string[] {
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
  return seenFiles.flatMap(([file, stat]) => (stat !== gone && !present.has(file) && isBelow(file) ? [file] : []))
}

/** Files that were not read at all, by their extension. */
export function nameUnread(files: Omit<SortedFiles, 'props'>): Problem[] {
  const problems: Problem[] = []
  const { executables, sidecars, unknown } = files
  problems.push(...nameExecutables(executables))
  if (sidecars.length > 0) problems.push(problem('sidecar', sidecars, `${count(sidecars)} of cooked packages.`))
  if (unknown.length > 0) problems.push(problem('unknown-kind', unknown, `${count(unknown)} of unsupported file types.`))
  return problems
}

/** Files that no library takes, as one thing to be named. */
export function nameExecutables(files: string[]): Problem[] {
  if (files.length === 0) return []
  return [
    problem(
      'executable',
      files,
      `${count(files)} that programs run: scripts, programs, or files in Content/Python that are no packages.`,
    ),
  ]
}

const count = ({ length }: string[]): string => (length === 1 ? '1 file' : `${length.toLocaleString('en-US')} files`)
