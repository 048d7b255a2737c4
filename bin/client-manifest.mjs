// The package.json of the packed client: its version, and what it brings. All that is the same on every system comes within
// the tarball, in the versions of the lock; only what is made for one system (pictures, keychain, Node) comes from the registry.

/** Older ones cannot start `bin/ph.mjs`, which then starts a newer one. */
const oldestNode = '>=18'

export function clientManifest({ manifest, lock, version }) {
  const { name, description, license, type, bin, optionalDependencies } = manifest
  // Built into dist: bin/bundle-typebox.mjs.
  const { typebox: _, ...dependencies } = manifest.dependencies
  const exact = (names) => Object.fromEntries(Object.keys(names).map((one) => [one, lock.packages[placeOf(one)].version]))
  return {
    name,
    version,
    description,
    license,
    type,
    bin,
    engines: { node: oldestNode },
    dependencies: exact(dependencies),
    optionalDependencies,
    bundleDependencies: bundled(lock, Object.keys(dependencies)),
  }
}

const placeOf = (name) => `node_modules/${name}`

/** Folders of node_modules that the tarball holds: those that the dependencies need, without what is made for one system. */
function bundled({ packages }, names) {
  const isForSystems = (place) => Object.keys(packages[place].optionalDependencies ?? {}).length > 0
  const found = new Set(names.map(placeOf).filter((place) => !isForSystems(place)))
  for (const place of found)
    for (const name of Object.keys(packages[place].dependencies ?? {})) found.add(resolved(packages, place, name))
  return [...new Set([...found].map((place) => place.split('/node_modules/')[0].slice('node_modules/'.length)))].toSorted()
}

/** Where Node finds a package that is asked for from `place`. */
export function resolved(packages, place, name) {
  for (let at = place; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const candidate = at === '' ? placeOf(name) : `${at}/node_modules/${name}`
    if (packages[candidate]) return candidate
    if (at === '') throw new Error(`package-lock.json has no ${name} for ${place}; run npm install`)
  }
}
