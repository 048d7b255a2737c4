// Rules of .phignore beside git itself: whatever they are made of, they mean the same, and take the work of their length.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { IgnoreList } from '../../../client/project/ignoring/ignore-list.ts'
import { readRules } from '../../../client/project/ignoring/ignore-rule.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const names = ['a', 'b', 'ab', 'ba', 'abc', 'a.b', 'b.c', '.a', 'a-b', 'a b', 'aab', 'bab']
const paths = fc.uniqueArray(fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 4 }), {
  selector: (parts) => parts.join('/'),
  minLength: 20,
  maxLength: 40,
})
const pieces = [
  ...['a', 'b', 'c', '.', '-', ' ', '*', '*', '?', '/', '/', '**', '**/', '/**', '/**/', '***', '\\*', '\\a', '\\ ', '!', '#'],
  ...[
    '[ab]',
    '[!a]',
    '[^b]',
    '[a-c]',
    '[]a]',
    '[a-]',
    '[c-a]',
    '[[:alpha:]]',
    '[![:digit:]]',
    '[[:no:]]',
    '[',
    '[a',
    ']',
    '[\\]a]',
    '[*]',
    '[a/b]',
  ],
]
/** Git compares the beginning of a rule up to its first star apart, and takes `**` behind it for one at the beginning; its manual does not. */
const isRead = (text: string) => !/^[^*?[\\]*[^/*?[\\]\*\*+(\/|$)/.test(text)
const rule = fc
  .array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 7 })
  .map((parts) => parts.join(''))
  .filter(isRead)
const line = fc.oneof(
  { weight: 8, arbitrary: rule },
  { weight: 2, arbitrary: rule.map((text) => `!${text}`) },
  { weight: 2, arbitrary: rule.map((text) => `${text}/`) },
  { weight: 1, arbitrary: rule.map((text) => `/${text}`) },
  { weight: 1, arbitrary: rule.map((text) => `${text}  \r`) },
)
const list = fc.array(line, { minLength: 1, maxLength: 4 }).map((lines) => lines.join('\n'))

/** Files and folders at the ends of some paths: what lies above another one is a folder. */
function lay(root: string, all: readonly string[][]): string[] {
  const folders = new Set(all.flatMap((parts) => parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'))))
  return all.map((parts, at) => {
    const path = parts.join('/')
    const isFolder = folders.has(path) || at % 3 === 0
    mkdirSync(isFolder ? join(root, path) : dirname(join(root, path)), { recursive: true })
    if (!isFolder) writeFileSync(join(root, path), '')
    return isFolder ? `${path}/` : path
  })
}

/** Which line of which list speaks of each path, as git sees it; empty for none. */
function saidByGit(root: string, files: readonly string[]): string[] {
  const git = ['-c', 'core.ignorecase=false', 'check-ignore', '--no-index', '-v', '-n', '-z', '--stdin']
  const input = files.map((file) => `${file.replace(/\/$/, '')}\0`).join('')
  let said = ''
  try {
    said = execFileSync('git', git, { cwd: root, input, encoding: 'utf8', maxBuffer: 64 << 20 })
  } catch (error) {
    said = String((error as { stdout?: string }).stdout)
  }
  const fields = said.split('\0')
  return files.map((_, at) => fields[at * 4 + 1] ?? '')
}

test('of seeded lists and paths, the same line has the last word as with git', () => {
  const root = temporaryFolder()
  execFileSync('git', ['init', '-q'], { cwd: root })
  const samples = fc.sample(fc.tuple(list, paths), { numRuns: 150, seed: 33 })
  const asked = samples.map(([text, all], at) => {
    mkdirSync(join(root, `s${at}`))
    writeFileSync(join(root, `s${at}`, '.gitignore'), text)
    return { text, files: lay(join(root, `s${at}`), all) }
  })
  const lines = saidByGit(
    root,
    asked.flatMap(({ files }, at) => files.map((file) => `s${at}/${file}`)),
  )
  let next = 0
  const differing = asked.flatMap(({ text, files }) => {
    const rules = new IgnoreList(readRules(text))
    return files.flatMap((file) => {
      const [git, ours] = [lines[next++], String(rules.ruleOf(file)?.line ?? '')]
      return git === ours ? [] : [{ text, file, git, ours }]
    })
  })
  expect(next).toBeGreaterThan(3000)
  expect(lines.filter((one) => one !== '').length).toBeGreaterThan(600)
  expect(differing).toEqual([])
})

test('case does not count, in sets neither', () => {
  const rules = new IgnoreList(readRules('*.PSD\nold/\n[X-Z]*'))
  expect(['a.psd', 'A.Psd', 'OLD/', 'Yard', 'Wall'].map((file) => rules.ruleOf(file)?.line)).toEqual([1, 1, 2, 3, undefined])
})
