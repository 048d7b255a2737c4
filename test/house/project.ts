/** The repository's own files, as the house rules see them: everything git tracks or would track, and what imports what. */
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

export const root = join(import.meta.dirname, '..', '..')

/** Folders of programs and of what checks them; `dist/` and `node_modules/` are never ours. */
const CODE = /^(contract|system|formats|words|previews|serving|client|server|cli|agent|mcp|sample|test|bench|bin)\//

/** Without it (an unpacked archive) the files are those on disk, and what is said of commits cannot be asked. */
export const hasHistory = existsSync(join(root, '.git'))

/** Paths from the root, with forward slashes. New files count before they are committed, deleted ones no longer. */
export const projectFiles: readonly string[] = (hasHistory ? gitFiles() : diskFiles()).filter(
  (path) => existsSync(join(root, path)) && statSync(join(root, path)).isFile(),
)

export const codeFiles: readonly string[] = projectFiles.filter((path) => CODE.test(path))

function gitFiles(): string[] {
  const names = git('ls-files', '--cached', '--others', '--exclude-standard', '-z')
  return names.split('\0').filter((path) => path !== '')
}

function diskFiles(): string[] {
  const found = globSync('**/*', { cwd: root, exclude: (name) => ['node_modules', 'dist', 'coverage'].includes(name) })
  return found.map((path) => path.replaceAll('\\', '/'))
}

/** What git prints. The checkout may belong to another user than the one who runs the tests. */
export function git(...args: string[]): string {
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 } as const
  return execFileSync('git', ['-c', 'safe.directory=*', ...args], options)
}

export const textOf = (path: string): string => readFileSync(join(root, path), 'utf8')

export const programFiles: readonly string[] = codeFiles.filter((path) => /\.tsx?$/.test(path))

/** `lazy` is `import()`; `type` leaves no trace when the program runs. */
export interface Import {
  from: string
  specifier: string
  /** The imported file from the root, or the package's specifier. */
  target: string
  kind: 'static' | 'type' | 'lazy'
}

const STATIC = /^(?:import|export)\s+(type\s)?(?:[\w*${}\s,]+?\sfrom\s+)?['"]([^'"\n]+)['"]/gm
const CALLED = /(typeof\s+)?\bimport\(\s*['"]([^'"\n]+)['"]\s*[,)]/g

export function importsOf(from: string): Import[] {
  const text = textOf(from)
  const found = (kind: Import['kind'], specifier = ''): Import => ({ from, specifier, target: targetOf(from, specifier), kind })
  return [
    ...[...text.matchAll(STATIC)].map(([, type, specifier]) => found(type ? 'type' : 'static', specifier)),
    ...[...text.matchAll(CALLED)].map(([, type, specifier]) => found(type ? 'type' : 'lazy', specifier)),
  ]
}

const targetOf = (from: string, specifier: string): string =>
  specifier.startsWith('.') ? normalize(join(dirname(from), specifier)) : specifier

/** A line that only comments, in any of our languages. */
export const isComment = (line: string): boolean => /^\s*(\/[/*]|\*|--|#)/.test(line)

/** Every match of a pattern in a file, as `path:line: the matched text`, for a test's failure to name. */
export function matchesIn(path: string, pattern: RegExp, skip: (line: string) => boolean = () => false): string[] {
  return textOf(path)
    .split('\n')
    .flatMap((line, index) =>
      skip(line) ? [] : [...line.matchAll(pattern)].map(([match]) => `${path}:${index + 1}: ${match.trim()}`),
    )
}
