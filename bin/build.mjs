// Builds dist/ from the sources: tsc, the files it does not copy (.sql, .css, .bin, fonts, plugins of editors), the pages of cards, typebox in a few
// files, the packed client that servers hand out, and the files that a new database begins with. Run by `npm ci` as `prepare`, also by an older
// Node than the programs need: npm before 11 does not link the Node that comes as a dependency.
//   node bin/build.mjs [--if-older] [options of tsc]      --if-older: nothing where dist/ is newer than all that it is made of
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { clientManifest } from './client-manifest.mjs'
import { clientVersion } from './client-version.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const ifOlder = '--if-older'

/** npm 10 unlinks `.bin/node` when it drops the runtimes of the other platforms, which carry the same command. */
function linkRuntime() {
  const link = join(root, 'node_modules/.bin/node')
  const runtime = `node-${process.platform}-${process.arch}/bin/node`
  if (existsSync(link) || !existsSync(join(root, 'node_modules', runtime))) return
  mkdirSync(dirname(link), { recursive: true })
  symlinkSync(join('..', runtime), link)
}

/** `dist` is replaced at the end: another may be running it. */
const fresh = join(root, `dist.${process.pid}`)

/** A build also depends on these files. npm writes the last one at each install. */
const alsoMadeOf = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'node_modules/.package-lock.json',
]
const isNoSource = (name) => /^(\..*|node_modules|dist(\.\d+(\.last)?)?|test|bench|docs)$/.test(name)

/** npx runs `prepare` when it first runs a program of this folder: right after `npm ci` there is nothing to do then. */
function isUpToDate() {
  const changedAt = (path) => statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0
  const built = changedAt('dist/cli/main.js')
  const folders = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory() && !isNoSource(entry.name))
  const filesOf = ({ name }) => readdirSync(join(root, name), { recursive: true }).map((file) => join(name, file))
  const isSource = (file) => /\.\w+$/.test(file) && !/\.pyc$/.test(file)
  return [...alsoMadeOf, ...folders.flatMap(filesOf).filter(isSource)].every((file) => changedAt(file) < built)
}

function compile() {
  // `--noCheck` leaves the types to `npm run types`: a fifth of the time, and a slip in one file stops no test of another.
  const options = process.argv.slice(2).filter((option) => option !== ifOlder)
  const tsc = [
    join(root, 'node_modules/typescript/bin/tsc'),
    '-p',
    join(root, 'tsconfig.build.json'),
    '--outDir',
    fresh,
    ...options,
  ]
  const { status } = spawnSync(process.execPath, tsc, { stdio: 'inherit' })
  if (status !== 0) throw new Error(`tsc ended with ${status}`)
}

function copyRest() {
  for (const folder of ['server', 'client', 'agent', 'cli'].filter((name) => existsSync(join(root, name))))
    for (const file of readdirSync(join(root, folder), { recursive: true }))
      if (/\.(sql|css|woff2|bin)$|fonts\/license\.txt$/.test(file.replaceAll('\\', '/')))
        cpSync(join(root, folder, file), join(fresh, folder, file))
  cpSync(join(root, 'integrations'), join(fresh, 'integrations'), {
    recursive: true,
    filter: (path) => !/__pycache__$/.test(path),
  })
}

/** Runs a script of bin/ that bundles files: it needs a Node as new as the programs do. */
function bundle(script, folder) {
  const linked = join(root, 'node_modules/.bin/node')
  const node = existsSync(linked) ? linked : process.execPath
  const { status } = spawnSync(node, [join(root, 'bin', script), folder], { stdio: 'inherit' })
  if (status !== 0) throw new Error(`bin/${script} ended with ${status}`)
}

const readJson = (name) => JSON.parse(readFileSync(join(root, name), 'utf8'))

/** dist/install: the tarball, and what it is. */
async function pack() {
  const { packClient } = await import(pathToFileURL(join(fresh, 'server/install/pack.js')))
  const manifest = readJson('package.json')
  const version = clientVersion(root, manifest.version)
  const packed = await packClient({
    root,
    dist: fresh,
    manifest: clientManifest({ manifest, lock: readJson('package-lock.json'), version }),
    to: join(fresh, 'install/prop-house.tgz'),
  })
  writeFileSync(join(fresh, 'install/version.json'), `${JSON.stringify(packed)}\n`)
}

/** dist/new-database: made anew only for a PGlite that was installed after the last time. */
async function makeNewDatabase() {
  const last = join(root, 'dist/new-database')
  const coming = join(fresh, 'new-database')
  const made = statSync(last, { throwIfNoEntry: false })
  const isGood = made && made.mtimeMs > statSync(join(root, 'node_modules/@electric-sql/pglite/package.json')).mtimeMs
  if (isGood && moved(last, coming)) return
  const { makeNewFiles } = await import(pathToFileURL(join(fresh, 'server/database/embedded/new-files.js')))
  await makeNewFiles(coming)
}

/** Moved away before it is removed: nobody finds half of it. Of two builds at once one may have moved it already. */
function replace() {
  const last = `${fresh}.last`
  moved(join(root, 'dist'), last)
  renameSync(fresh, join(root, 'dist'))
  rmSync(last, { recursive: true, force: true })
}

/** Whether it was there. */
function moved(from, to) {
  try {
    renameSync(from, to)
    return true
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
    return false
  }
}

function build() {
  compile()
  copyRest()
  bundle('cards.mjs', join(fresh, 'mcp/protocol/card'))
  bundle('bundle-typebox.mjs', fresh)
}

linkRuntime()
if (!process.argv.includes(ifOlder) || !isUpToDate())
  try {
    build()
    await pack()
    await makeNewDatabase()
    replace()
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
