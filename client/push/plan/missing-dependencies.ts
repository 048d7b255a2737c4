/** What versions refer to and the library does not hold: packages, and plugins (contract-gaps 9). Pure. */
import { limits } from '../../../contract/limits.ts'
import { longestPath, packagePathPattern } from '../../../contract/path-patterns.ts'
import type { References } from './references.ts'

/** A version as the library shows it: in a closure, a job, a lineage, or as the current one of an entry. */
export interface ReferringVersion {
  missing_dependencies?: readonly string[]
  plugins?: readonly string[]
}

/** Something that is not in the library, with the versions that refer to it, in their order. */
export interface Missing<V> {
  /** A package path, or the name of a plugin. */
  name: string
  by: V[]
}

export interface MissingDependencies<V> {
  packages: Missing<V>[]
  plugins: Missing<V>[]
}

/** Names what these versions lack: each package and each plugin once, by name. Other servers than ours say nothing of it. */
export function missingDependencies<V extends ReferringVersion>(versions: readonly V[]): MissingDependencies<V> {
  return {
    packages: gathered(versions, ({ missing_dependencies: named }) => textsIn(named)),
    plugins: gathered(versions, ({ plugins: named }) => textsIn(named)),
  }
}

/** Whatever a server answers. */
const textsIn = (named: unknown): string[] => (Array.isArray(named) ? named.filter((name) => typeof name === 'string') : [])

function gathered<V>(versions: readonly V[], namesOf: (version: V) => readonly string[]): Missing<V>[] {
  const found = new Map<string, Missing<V>>()
  for (const version of versions)
    for (const name of namesOf(version)) {
      const key = name.toLowerCase()
      const known = found.get(key)
      if (known) known.by.push(version)
      else found.set(key, { name, by: [version] })
    }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, missing]) => missing)
}

const packagePath = new RegExp(packagePathPattern, 'u')
const isSayable = (name: string): boolean => packagePath.test(name) && [...name].length <= longestPath

/** The same as a push says it of a file, which knows what goes along and what of the library. Undefined: nothing. */
export function missingFields({ absent, absentPlugins, codePlugins }: References): {
  missing_dependencies: string[] | undefined
  plugins: string[] | undefined
} {
  const packages = distinct(absent).filter(isSayable).slice(0, limits.missing.dependencies)
  const plugins = distinct([...absentPlugins, ...codePlugins])
    .filter((name) => [...name].length <= limits.missing.pluginName && !/\p{Cc}|^\s*$/u.test(name))
    .slice(0, limits.missing.plugins)
  return {
    missing_dependencies: packages.length > 0 ? packages : undefined,
    plugins: plugins.length > 0 ? plugins : undefined,
  }
}

/** However their letters are written. */
const distinct = (names: readonly string[]): string[] =>
  [...new Map(names.toReversed().map((name) => [name.toLowerCase(), name])).values()].toReversed()
