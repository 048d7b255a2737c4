// The version that a build gives the client: the same for the same sources, a later one for later ones, with git and without.
import { execFileSync } from 'node:child_process'
import { rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isLater } from '../../client/version.ts'
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts'
import { root } from './project.ts'

const sources = ['LICENSE', 'package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json']
const scripts = ['build', 'client-manifest', 'client-version', 'ph'].map((name) => `bin/${name}.mjs`)
const folders = [
  'agent',
  'cli',
  'client',
  'contract',
  'formats',
  'integrations',
  'mcp',
  'previews',
  'sample',
  'server',
  'serving',
  'system',
  'words',
].map((name) => `${name}/main.ts`)

function checkout(): string {
  const folder = temporaryFolder(
    Object.fromEntries([...sources, ...scripts, ...folders, 'README.md'].map((path) => [path, path])),
  )
  git(folder, 'init', '-q')
  commit(folder, '2026-01-01T00:00:00Z')
  return folder
}

const git = (folder: string, ...args: string[]) => execFileSync('git', ['-C', folder, ...args], { stdio: 'pipe', env: gitEnv })
const gitEnv = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' }

function commit(folder: string, at: string): void {
  git(folder, 'add', '-A')
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.com']
  execFileSync('git', ['-C', folder, ...who, 'commit', '-q', '-m', at], { env: { ...gitEnv, GIT_COMMITTER_DATE: at } })
}

function versionOf(folder: string): string {
  const script = `import(process.argv[1]).then((made) => process.stdout.write(made.clientVersion(process.argv[2], '0.1.0')))`
  return execFileSync(process.execPath, ['-e', script, join(root, 'bin/client-version.mjs'), folder], { encoding: 'utf8' })
}

test('two checkouts of one commit have one version, which names when the program last changed', () => {
  const one = checkout()
  expect(versionOf(one)).toMatch(/^0\.1\.0-20260101000000\.h[0-9a-f]{8}$/)
  expect(versionOf(checkout())).toBe(versionOf(one))
})

test('a commit that changes the program makes a later version, one that changes a page does not', () => {
  const folder = checkout()
  const before = versionOf(folder)
  writeFiles(folder, { 'README.md': 'new', 'test/a.test.ts': 'new' })
  commit(folder, '2026-02-01T00:00:00Z')
  expect(versionOf(folder)).toBe(before)
  writeFiles(folder, { 'cli/main.ts': 'new' })
  commit(folder, '2026-03-01T00:00:00Z')
  expect(versionOf(folder)).toContain('-20260301000000.h')
  expect([isLater(versionOf(folder), before), isLater(before, versionOf(folder))]).toEqual([true, false])
})

test('what is not committed yet, changed, new or deleted, makes a later version than the commit', () => {
  for (const change of [
    (folder: string) => writeFiles(folder, { 'cli/main.ts': 'changed' }),
    (folder: string) => writeFiles(folder, { 'cli/new.ts': 'new' }),
    (folder: string) => rmSync(join(folder, 'cli/main.ts')),
  ]) {
    const folder = checkout()
    const before = versionOf(folder)
    change(folder)
    expect(isLater(versionOf(folder), before)).toBe(true)
  }
})

test('without git the newest file counts, as archives keep the time of their commit', () => {
  const folder = checkout()
  rmSync(join(folder, '.git'), { recursive: true })
  for (const path of [...sources, ...scripts, ...folders])
    utimesSync(join(folder, path), 0, Date.parse('2026-01-01T00:00:00Z') / 1000)
  expect(versionOf(folder)).toBe(versionOf(checkout()))
})

test('versions are ordered by their numbers, then by their time; a checkout is never behind', () => {
  const order = [
    '0.1.0-20251231235959.hffffffff',
    '0.1.0-20260101000000.h00000000',
    '0.1.0',
    '0.2.0-20250101000000.h0',
    '0.10.0-2.h0',
  ]
  for (const [at, one] of order.entries())
    for (const [otherAt, other] of order.entries()) expect([one, other, isLater(one, other)]).toEqual([one, other, at > otherAt])
})
