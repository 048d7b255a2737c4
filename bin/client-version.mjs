// The version of the client that a build makes: that of package.json, when its sources last changed, and what they are.
// The same sources have the same version; later ones come after earlier ones, in every order of versions.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Everything that the packed client is made of. */
const sources = [
  'LICENSE',
  'agent',
  'bin/build.mjs',
  'bin/client-manifest.mjs',
  'bin/client-version.mjs',
  'bin/ph.mjs',
  'cli',
  'client',
  'contract',
  'formats',
  'integrations',
  'mcp',
  'package-lock.json',
  'package.json',
  'previews',
  'sample',
  'server',
  'serving',
  'system',
  'tsconfig.build.json',
  'tsconfig.json',
  'words',
]

/** `0.1.0-20261123043608.h1a2b3c4d`: to the second in UTC, as no two builds of one place are made within one. */
export function clientVersion(root, base) {
  const files = sources.flatMap((source) => filesOf(root, source))
  const at = new Date(1000 * (committedAt(root) ?? newest(root, files)))
  return `${base}-${at.toISOString().slice(0, 19).replaceAll(/\D/g, '')}.h${contentHash(root, files).slice(0, 8)}`
}

function filesOf(root, path) {
  if (!statSync(join(root, path)).isDirectory()) return [path]
  const names = readdirSync(join(root, path)).filter((name) => name !== '__pycache__')
  return names.flatMap((name) => filesOf(root, `${path}/${name}`))
}

function contentHash(root, files) {
  const hash = createHash('sha256')
  for (const file of files.toSorted()) {
    const bytes = readFileSync(join(root, file))
    hash.update(`${file}\0${bytes.length}\0`).update(bytes)
  }
  return hash.digest('hex')
}

/** Seconds. Archives keep the time of the commit that they were made of, so this is the same on every machine. */
const newest = (root, files) => Math.max(...files.map((file) => changedAt(root, file)))
const changedAt = (root, path) => Math.floor(statSync(join(root, path)).mtimeMs / 1000)

/** When the sources were last committed or, after that, changed; undefined without git, or outside of its history. */
function committedAt(root) {
  if (!existsSync(join(root, '.git'))) return undefined
  try {
    const time = Number(git(root, 'log', '-1', '--format=%ct'))
    if (!time) return undefined
    const changed = git(root, 'status', '--porcelain', '-z', '--no-renames', '--untracked-files=all').split('\0').filter(Boolean)
    return Math.max(time, ...changed.map((line) => changedAt(root, nearest(root, line.slice(3)))))
  } catch {
    return undefined
  }
}

/** A file that was deleted has changed its folder. */
const nearest = (root, path) => (existsSync(join(root, path)) ? path : nearest(root, dirname(path)))

/** The checkout may belong to another user than the one who builds. */
const git = (root, ...args) =>
  execFileSync('git', ['-c', 'safe.directory=*', '-C', root, ...args, '--', ...sources], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 64 * 1024 * 1024,
  })
