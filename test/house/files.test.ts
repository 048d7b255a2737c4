/** Rules of what a file holds, where the linter does not look. */
import { expect, test } from 'vitest'
import { codeFiles, isComment, matchesIn, programFiles, projectFiles, textOf } from './project.ts'

const linesOf = (path: string): string[] => textOf(path).split('\n')

test('every source file opens with a comment that says what it holds', () => {
  const comment = (path: string): RegExp =>
    path.endsWith('.sql') ? /^-- \S/ : path.endsWith('.sh') ? /^# \S/ : /^\/(\/|\*\*?) \S|^\/\*\*\n \* \S/
  const silent = codeFiles
    .filter((path) => /\.(tsx?|mjs|sql|sh|css)$/.test(path))
    .filter((path) => !comment(path).test(textOf(path).replace(/^#!.*\n/, '')))
  expect(silent).toEqual([])
})

test('an SQL, shell or style file has at most 300 lines, as programs do', () => {
  const long = codeFiles.filter((path) => /\.(sql|sh|css|mjs)$/.test(path) && linesOf(path).length > 301)
  expect(long).toEqual([])
})

// Processes that count the requests of one key together have only the database's clock in common: request-count.ts says why.
const ownTimeOf = ['server/clock.ts', 'server/front-door/request-count.ts']

test('the server takes the time from its clock: no now() in a statement, no Date.now() in a handler', () => {
  const ownTime =
    /(?<![.\w])(now|clock_timestamp|statement_timestamp|transaction_timestamp)\(\)|\b(current_timestamp|current_date|localtimestamp)\b|\bDate\.now\(\)|\bnew Date\(\)/gi
  const server = codeFiles.filter((path) => /^server\/.*\.(ts|tsx|sql)$/.test(path) && !ownTimeOf.includes(path))
  expect(server.flatMap((path) => matchesIn(path, ownTime, isComment))).toEqual([])
})

test('the lock names versions and hashes, never the address of the registry they came from (npm run lock takes it out)', () => {
  expect(matchesIn('package-lock.json', /"resolved":\s*"[a-z+]+:\/\/.*/g)).toEqual([])
})

test('npm ci compiles nothing: the lock says that better-sqlite3 brings its binaries (npm run lock puts it back)', () => {
  const lock: { packages: Record<string, { gypfile?: boolean }> } = JSON.parse(textOf('package-lock.json'))
  expect(lock.packages['node_modules/better-sqlite3']?.gypfile).toBe(false)
})

test('no engine package and no archive is kept here: tests make what they need, or read it where PH_FIXTURES says', () => {
  expect(projectFiles.filter((path) => /\.(uasset|umap|uexp|ubulk|fbx|zip|gz|tar|7z)$|(^|\/)fixtures\//i.test(path))).toEqual([])
})

test('no file knows a folder of one machine', () => {
  const own = /(?<![\w.}*])\/(home|root|Users|work)\/\w+/g
  const texts = projectFiles.filter((path) => !/\.(png|jpe?g|ico|woff2?)$|^package-lock\.json$/.test(path))
  expect(texts.flatMap((path) => matchesIn(path, own))).toEqual([])
})

test('every path of this tree that a page names is there', () => {
  const floors = [...new Set(projectFiles.filter((path) => path.includes('/')).map((path) => path.split('/')[0]))].join('|')
  const named = new RegExp(`(?<=\`)(?:${floors})/[\\w/.-]+\\.(?:tsx?|mjs|sql|sh|css|md|py)(?=\`)`, 'g')
  const pages = projectFiles.filter((path) => path.endsWith('.md'))
  const there = new Set(projectFiles)
  const gone = pages.flatMap((page) =>
    [...textOf(page).matchAll(named)].flatMap(([path]) => (there.has(path) ? [] : `${page}: ${path}`)),
  )
  expect(gone).toEqual([])
})

test('nothing is left for later in a mark, and no type error is waved through', () => {
  const marks = new RegExp(`\\b(${['TO', 'FIX'].map((a, i) => a + ['DO', 'ME'][i]).join('|')})\\b|@ts-(ignore|nocheck)`, 'g')
  const others = programFiles.filter((path) => path !== 'test/house/files.test.ts')
  expect(others.flatMap((path) => matchesIn(path, marks))).toEqual([])
})
