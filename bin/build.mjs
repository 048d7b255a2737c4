// Builds dist/ from the sources: tsc, then the files it does not copy (.sql, .css). Run by `npm ci` as `prepare`,
// also by an older Node than the programs need: npm before 11 does not link the Node that comes as a dependency.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** npm 10 unlinks `.bin/node` when it drops the runtimes of the other platforms, which carry the same command. */
function linkRuntime() {
  const link = join(root, 'node_modules/.bin/node')
  const runtime = `node-${process.platform}-${process.arch}/bin/node`
  if (existsSync(link) || !existsSync(join(root, 'node_modules', runtime))) return
  mkdirSync(dirname(link), { recursive: true })
  symlinkSync(join('..', runtime), link)
}

/** `dist` is replaced at the end: npx builds once more when it first runs a program of this folder, while another may be running. */
const fresh = join(root, `dist.${process.pid}`)

function compile() {
  // `--noCheck` leaves the types to `npm run types`: a fifth of the time, and a slip in one file stops no test of another.
  const options = process.argv.slice(2)
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
  for (const folder of ['server', 'client', 'cli'].filter((name) => existsSync(join(root, name))))
    for (const file of readdirSync(join(root, folder), { recursive: true }))
      if (/\.(sql|css)$/.test(file)) cpSync(join(root, folder, file), join(fresh, folder, file))
}

function replace() {
  rmSync(join(root, 'dist'), { recursive: true, force: true })
  renameSync(fresh, join(root, 'dist'))
}

linkRuntime()
try {
  compile()
  copyRest()
  replace()
} finally {
  rmSync(fresh, { recursive: true, force: true })
}
