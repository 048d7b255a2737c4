// Checks what has to hold before a commit lands: types, lint, tests. Run as `npm run check`; `npm run check -- --changed` looks at
// what is not committed yet only: the types, the lint of those files, the house rules, and the tests of what changed.
import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path/posix'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
/** Whatever folder it is in: a new floor needs no line here. */
const source = /^(?!(test|bench|bin|docs)\/)[a-z]+\/.*\.(tsx?|sql)$/

/** Ends the check with the first step that fails. */
function run(title, ...args) {
  console.log(`\n== ${title}`)
  const { status } = spawnSync('npx', ['--no-install', ...args], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (status !== 0) process.exit(status ?? 1)
}

function changedFiles() {
  const git = (...args) =>
    execFileSync('git', ['-c', 'safe.directory=*', ...args, '-z'], { cwd: root, encoding: 'utf8' }).split('\0')
  const there = new Set(
    globSync('**/*', { cwd: root, exclude: (name) => name === 'node_modules' || name === 'dist' }).map((path) =>
      path.replaceAll('\\', '/'),
    ),
  )
  return [...new Set([...git('diff', '--name-only', 'HEAD'), ...git('ls-files', '--others', '--exclude-standard')])].filter(
    (path) => there.has(path),
  )
}

/** The tests of a source: those that import it, and those that are named for it or for its room. */
function testsOf(path, tests) {
  const [program = '', room = '', ...below] = path.split('/')
  const names = new Set([basename(path).replace(/\.\w+$/, ''), ...(below.length > 0 ? [room] : [])])
  return tests.filter((test) => {
    const name = basename(test, '.test.ts')
    const isNamed =
      test.startsWith(`test/${program}/`) &&
      [...names].some((one) => name === one || name.startsWith(`${one}-`) || test.includes(`/${one}/`))
    return isNamed || importsOf(test).includes(path)
  })
}

const importsOf = (test) =>
  [...readFileSync(join(root, test), 'utf8').matchAll(/from '(\.[^']+)'/g)].map(([, target]) =>
    normalize(join(dirname(test), target)),
  )

function checkChanged() {
  const changed = changedFiles()
  if (changed.length === 0) return console.log('Nothing has changed since the last commit. The whole check: npm run check')
  const tests = globSync('test/**/*.test.ts', { cwd: root }).map((path) => path.replaceAll('\\', '/'))
  const chosen = new Set(['files', 'imports', 'names', 'rooms'].map((rule) => `test/house/${rule}.test.ts`))
  for (const path of changed) {
    if (tests.includes(path)) chosen.add(path)
    if (source.test(path)) for (const test of testsOf(path, tests)) chosen.add(test)
  }
  const linted = changed.filter((path) => /\.(tsx?|mjs|json|css)$/.test(path) && path !== 'package-lock.json')
  run('types', 'tsc', '-p', 'tsconfig.json', '--incremental', '--tsBuildInfoFile', 'node_modules/.cache/check.tsbuildinfo')
  if (linted.length > 0) run('lint', 'biome', 'check', '--error-on-warnings', ...linted)
  run(`${chosen.size} test files`, 'vitest', 'run', ...chosen)
  console.log('\nThat was what changed. Before it lands: npm run check')
}

if (process.argv.includes('--changed')) checkChanged()
else {
  run('types', 'tsc', '-p', 'tsconfig.json')
  run('lint', 'biome', 'check', '--error-on-warnings', '.')
  run('tests', 'vitest', 'run')
}
