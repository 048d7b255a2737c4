// Builds @prop-house/client, the package by which other programs use a library: the entry points of client/package with everything that
// these reach, compiled, with declarations, and what npm wants to know. Run as `npm run client-package [folder]`; then `npm pack` there.
import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { clientVersion } from './client-version.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const folder = resolve(process.argv[2] ?? join(root, 'dist/client-package'))
/** Within the tree, where the compiler finds the types of packages. */
const compiled = join(root, `dist.${process.pid}`)

/** By the name under which they are imported; a file of client/package is an entry point. */
const entries = new Map(
  readdirSync(join(root, 'client/package'))
    .map((file) => basename(file, '.ts'))
    .map((name) => [name === 'library' ? '.' : `./${name}`, `client/package/${name}`]),
)

/** What threads and processes start with is named by an address, which the compiler does not follow. */
const worker = /import\.meta\.url\.endsWith\('\.ts'\) \? '(\.\/[\w-]+)\.ts'/g

const workersIn = (file, text) => [...text.matchAll(worker)].map(([, name]) => join(dirname(file), name))

const allWorkers = () =>
  globSync('{client,formats,previews,serving,system}/**/*.ts', { cwd: root }).flatMap((file) =>
    workersIn(file, readFileSync(join(root, file), 'utf8')),
  )

/** With everything that they reach. */
function compile(starts) {
  const config = {
    extends: '../tsconfig.build.json',
    compilerOptions: { rootDir: '..', outDir: '.', declaration: true, sourceMap: false },
    include: [],
    files: starts.map((start) => `../${start}.ts`),
  }
  writeFileSync(join(compiled, 'tsconfig.json'), JSON.stringify(config))
  // As in bin/build.mjs: `npm run types` looks at the types.
  const options = ['-p', join(compiled, 'tsconfig.json'), '--noCheck']
  execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...options], { stdio: 'inherit' })
}

const specifier = /(?:\bfrom|\bimport\(|\brequire\(|^import)\s*['"]([^'"\n]+)['"]/gm

/** Compiled files that are loaded from the entry points, and the packages that they name. */
function reached(extension) {
  const files = new Set([...entries.values()].map((start) => start + extension))
  const packages = new Set()
  for (const file of files) {
    const text = readFileSync(join(compiled, file), 'utf8')
    for (const started of workersIn(file, text)) files.add(started + extension)
    for (const [, name] of text.matchAll(specifier))
      if (name.startsWith('.')) files.add(join(dirname(file), name).replace(/\.[jt]s$/, extension))
      else packages.add(name.startsWith('node:') ? 'node' : /^(?:@[^/]+\/)?[^/]+/.exec(name)[0])
  }
  return { files: [...files], packages }
}

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'))

/** Of this one files are loaded that only its own version is known to have. */
const exact = ['undici']

/** In the versions of package.json. What declarations name counts, too: itself, or what brings its types. */
function dependenciesOf(code, declarations) {
  const { dependencies, devDependencies } = readJson(join(root, 'package.json'))
  const lock = readJson(join(root, 'package-lock.json'))
  const rangeOf = (name) => (exact.includes(name) ? lock.packages[`node_modules/${name}`].version : dependencies[name])
  const types = [...declarations.packages].map((name) => [`@types/${name}`, devDependencies[`@types/${name}`]])
  const named = [...code.packages.union(declarations.packages)].filter((name) => name !== 'node')
  const all = [...named.map((name) => [name, rangeOf(name)]), ...types.filter(([, range]) => range)]
  const unknown = all.filter(([, range]) => !range)
  if (unknown.length > 0) throw new Error(`package.json does not list ${unknown.map(([name]) => name).join(', ')}`)
  return Object.fromEntries(all.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function manifestOf(dependencies) {
  const { version, license, type } = readJson(join(root, 'package.json'))
  const exported = ([name, file]) => [name, { types: `./dist/${file}.d.ts`, default: `./dist/${file}.js` }]
  return {
    name: '@prop-house/client',
    version: clientVersion(root, version),
    description: 'A library for game props from programs: typed calls, push, pull, status, the mirror, the change feed.',
    license,
    type,
    // As bin/ph.mjs asks for.
    engines: { node: '>=22.22' },
    exports: { ...Object.fromEntries([...entries].map(exported)), './package.json': './package.json' },
    dependencies,
  }
}

/** What compiled files read from beside them. */
function besides(files) {
  const texts = Map.groupBy(files, dirname)
  return [...texts].flatMap(([place, there]) => {
    const text = there.map((file) => readFileSync(join(compiled, file), 'utf8')).join('\n')
    return globSync(`${place}/*.{sql,bin}`, { cwd: root }).filter((file) => text.includes(basename(file)))
  })
}

try {
  mkdirSync(compiled)
  compile([...new Set([...entries.values(), ...allWorkers()])])
  const code = reached('.js')
  const declarations = reached('.d.ts')
  rmSync(folder, { recursive: true, force: true })
  for (const file of [...code.files, ...declarations.files]) cpSync(join(compiled, file), join(folder, 'dist', file))
  for (const file of besides(code.files)) cpSync(join(root, file), join(folder, 'dist', file))
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  cpSync(join(root, 'docs/client.md'), join(folder, 'README.md'))
  const manifest = manifestOf(dependenciesOf(code, declarations))
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
} finally {
  rmSync(compiled, { recursive: true, force: true })
}
