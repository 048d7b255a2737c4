// What compiled files load, from where they are started: the files themselves and the packages that they name. Imports stand at the
// beginning of a line or are calls with a plain text; threads and processes start with files that are named by an address.
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path/posix'

const specifier = /(?:\bfrom|\bimport\(|\brequire\(|^import)\s*['"]([^'"\n]+)['"]/gm
const worker = /import\.meta\.url\.endsWith\('\.ts'\) \? '(\.\/[\w-]+)\.ts'/g

/** Places, without extension, of the files that a file starts threads and processes with. */
export const workersIn = (file, text) => [...text.matchAll(worker)].map(([, name]) => join(dirname(file), name))

/** It holds the packages that it needs: what else looks like an import stands in a text or a comment. */
const isBundled = (file) => file.startsWith('typebox/')

/** `starts` without extension; `isPassedOver` says of two files, without extension, that the first is not to lead to the second. */
export function reached(folder, { starts, extension, isPassedOver = () => false }) {
  const files = new Set(starts.map((start) => start + extension))
  const packages = new Set()
  for (const file of files) {
    const text = readFileSync(join(folder, file), 'utf8')
    for (const started of workersIn(file, text)) files.add(started + extension)
    for (const [, name] of text.matchAll(specifier)) {
      const place = join(dirname(file), name).replace(/\.[jt]s$/, '')
      const isPackage = !name.startsWith('.')
      if (isPackage && isBundled(file)) continue
      if (isPackage) packages.add(name.startsWith('node:') ? 'node' : /^(?:@[^/]+\/)?[^/]+/.exec(name)[0])
      else if (!isPassedOver(file.replace(/\.(d\.ts|js)$/, ''), place)) files.add(place + extension)
    }
  }
  return { files: [...files], packages }
}

/** Files in the tree of the sources that compiled ones read from beside them. */
export function besides(root, { folder, files }) {
  return [...Map.groupBy(files, dirname)].flatMap(([place, there]) => {
    const text = there.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n')
    return globSync(`${place}/*.{sql,bin}`, { cwd: root }).filter((file) => text.includes(basename(file)))
  })
}
