/** What versions refer to and the library does not hold: packages, and plugins (contract-gaps 9). Pure. */

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
    packages: byName(versions, ({ missing_dependencies: named }) => textsIn(named)),
    plugins: byName(versions, ({ plugins: named }) => textsIn(named)),
  }
}

/** Whatever a server answers. */
const textsIn = (named: unknown): string[] => (Array.isArray(named) ? named.filter((name) => typeof name === 'string') : [])

function byName<V>(versions: readonly V[], namesOf: (version: V) => readonly string[]): Missing<V>[] {
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
