// Builds @prop-house/client, the package by which other programs use a library: the entry points of client/package with everything that
// these reach, compiled, with declarations, and what npm wants to know. Run as `npm run client-package [folder]`; then `npm pack` there.
import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { clientVersion } from './client-version.mjs'
import { besides, reached, workersIn } from './reached.mjs'

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

/** The compiler does not follow the addresses by which threads and processes are started. */
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

try {
  mkdirSync(compiled)
  compile([...new Set([...entries.values(), ...allWorkers()])])
  const starts = [...entries.values()]
  const code = reached(compiled, { starts, extension: '.js' })
  const declarations = reached(compiled, { starts, extension: '.d.ts' })
  rmSync(folder, { recursive: true, force: true })
  for (const file of [...code.files, ...declarations.files]) cpSync(join(compiled, file), join(folder, 'dist', file))
  for (const file of besides(root, { folder: compiled, files: code.files })) cpSync(join(root, file), join(folder, 'dist', file))
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  cpSync(join(root, 'docs/client.md'), join(folder, 'README.md'))
  const manifest = manifestOf(dependenciesOf(code, declarations))
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
} finally {
  rmSync(compiled, { recursive: true, force: true })
}
