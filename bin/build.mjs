// Builds dist/ from the sources: tsc, then the files it does not copy (.sql, .css). Run by `npm ci` as `prepare`,
// also by an older Node than the programs need: npm before 11 does not link the Node that comes as a dependency.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
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

function compile() {
  rmSync(join(root, 'dist'), { recursive: true, force: true })
  // `--noCheck` leaves the types to `npm run types`: a fifth of the time, and a slip in one file stops no test of another.
  const options = process.argv.slice(2)
  const tsc = [join(root, 'node_modules/typescript/bin/tsc'), '-p', join(root, 'tsconfig.build.json'), ...options]
  const { status } = spawnSync(process.execPath, tsc, { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

function copyRest() {
  for (const folder of ['server', 'client', 'cli'].filter((name) => existsSync(join(root, name))))
    for (const file of readdirSync(join(root, folder), { recursive: true }))
      if (/\.(sql|css)$/.test(file)) cpSync(join(root, folder, file), join(root, 'dist', folder, file))
}

linkRuntime()
compile()
copyRest()
