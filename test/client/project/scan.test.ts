/** Walking a project: what is found, what is passed over, what is named. */
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Scan, scan } from '../../../client/project/scan.ts'
import { locate } from '../../../client/project/unreal-project.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const project = '{"EngineAssociation": "5.4"}'

/** Scans the given paths of a project, as a push would. */
async function walk(root: string, ...paths: string[]): Promise<Scan> {
  const starts = paths.map((path) => ({ path: join(root, path), mount: locate(join(root, path)).mount }))
  return scan(root, starts)
}

const names = ({ files }: Scan) => files.map(({ file }) => file)
const named = ({ problems }: Scan) => problems.flatMap(({ kind, files }) => files.map((file) => `${kind} ${file}`))

test('what the engine makes and what belongs to one person is passed over, and that is said', async () => {
  const root = temporaryFolder({
    'P.uproject': project,
    'Content/A.uasset': 'a',
    'Content/Props/B.uasset': 'b',
    'Content/Props/Developers/C.uasset': 'c',
    'Content/Developers/me/D.uasset': 'd',
    'Content/Collections/E.uasset': 'e',
    'Saved/F.uasset': 'f',
    'Intermediate/G.uasset': 'g',
    'DerivedDataCache/H.uasset': 'h',
    '.git/I.uasset': 'i',
    'Content/.hidden.uasset': 'j',
  })
  const found = await walk(root, '.')
  expect(names(found).sort()).toEqual([
    'Content/A.uasset',
    'Content/Props/B.uasset',
    'Content/Props/Developers/C.uasset',
    'P.uproject',
  ])
  expect(named(found).sort()).toEqual([
    'ignored-folder Content/Collections',
    'ignored-folder Content/Developers',
    'ignored-folder DerivedDataCache',
    'ignored-folder Intermediate',
    'ignored-folder Saved',
  ])
})

test('.phignore adds to what is passed over, and a line with ! takes back', async () => {
  const root = temporaryFolder({
    'P.uproject': project,
    '.phignore': 'Old/\n*.psd\n!Saved/\n',
    'Content/A.uasset': 'a',
    'Content/A.psd': 'a',
    'Content/Old/B.uasset': 'b',
    'Content/Developers/C.uasset': 'c',
    'Saved/D.uasset': 'd',
  })
  expect(names(await walk(root, '.'))).toEqual(['P.uproject', 'Content/A.uasset', 'Saved/D.uasset'])
})

test('a .phignore further down speaks for its folder, and has the last word there', async () => {
  const root = temporaryFolder({
    'P.uproject': project,
    '.phignore': '*.psd\n',
    'Content/Art/.phignore': '!keep.psd\n/Drafts/\n',
    'Content/Art/keep.psd': 'a',
    'Content/Art/other.psd': 'b',
    'Content/Art/Drafts/C.uasset': 'c',
    'Content/Drafts/D.uasset': 'd',
  })
  expect(names(await walk(root, '.')).sort()).toEqual(['Content/Art/keep.psd', 'Content/Drafts/D.uasset', 'P.uproject'])
  expect(names(await walk(root, 'Content/Art'))).toEqual(['Content/Art/keep.psd'])
  expect(names(await walk(root, 'Content/Art/Drafts'))).toEqual(['Content/Art/Drafts/C.uasset'])
})

test('rules with many stars take no longer than their length, wherever they lie', async () => {
  const rule = `${'**/a/'.repeat(100)}${'*a'.repeat(100)}*b`
  const deep = `${'a/'.repeat(60)}${'a'.repeat(200)}.uasset`
  const root = temporaryFolder({ 'P.uproject': project, '.phignore': rule, 'Content/.phignore': rule, [`Content/${deep}`]: 'a' })
  expect(names(await walk(root, '.'))).toContain(`Content/${deep}`)
})

test.each([
  ['of more bytes', '#'.repeat(70_000), /has 70000 bytes, and at most 65536 are read/],
  ['of more rules', 'a\n'.repeat(1001), /holds 1001 rules, and at most 1000 are read/],
  ['of longer rules', `a\n${'b'.repeat(1001)}`, /^Line 2 of .*\.phignore has 1001 characters, and a rule has at most 1000/],
])('a list %s than are read is named, and nothing is pushed past it', async (_, text, message) => {
  const root = temporaryFolder({ 'P.uproject': project, 'Content/.phignore': text, 'Content/A.uasset': 'a' })
  await expect(walk(root, '.')).rejects.toMatchObject({ code: 'RULES_TOO_LARGE', message: expect.stringMatching(message) })
})

test('lists in folders within each other are bounded together', async () => {
  const list = `${'x'.repeat(990)}\n`.repeat(60)
  const root = temporaryFolder({
    'P.uproject': project,
    '.phignore': list,
    'Content/.phignore': list,
    'Content/A/.phignore': list,
    'Content/A/B.uasset': 'b',
  })
  await expect(walk(root, '.')).rejects.toMatchObject({ code: 'RULES_TOO_LARGE', message: expect.stringMatching(/together/) })
})

test('a folder that is named on the command line is pushed, whatever its name', async () => {
  const root = temporaryFolder({ 'P.uproject': project, 'Content/Developers/me/D.uasset': 'd' })
  expect(names(await walk(root, 'Content/Developers'))).toEqual(['Content/Developers/me/D.uasset'])
})

test('links are followed once: circles end, and are named', async () => {
  const root = temporaryFolder({ 'P.uproject': project, 'Content/Props/A.uasset': 'a', 'Content/Z/B.uasset': 'b' })
  symlinkSync('..', join(root, 'Content/Props/Up'))
  symlinkSync('Z', join(root, 'Content/AlsoZ'))
  symlinkSync('self', join(root, 'Content/self'))
  symlinkSync('nowhere', join(root, 'Content/dead'))
  const found = await walk(root, 'Content')
  expect(names(found)).toEqual(['Content/Props/A.uasset', 'Content/Z/B.uasset'])
  expect(named(found).sort()).toEqual([
    'dead-link Content/dead',
    'dead-link Content/self',
    'link-loop Content/AlsoZ',
    'link-loop Content/Props/Up',
  ])
})

test('a linked folder from elsewhere is part of the project', async () => {
  const elsewhere = temporaryFolder({ 'A.uasset': 'a' })
  const root = temporaryFolder({ 'P.uproject': project, 'Content/B.uasset': 'b' })
  symlinkSync(elsewhere, join(root, 'Content/Linked'))
  expect(names(await walk(root, 'Content'))).toEqual(['Content/B.uasset', 'Content/Linked/A.uasset'])
})

test('a file that is named twice, by itself and through its folder, is found once', async () => {
  const root = temporaryFolder({ 'P.uproject': project, 'Content/Props/A.uasset': 'a' })
  const found = await walk(root, 'Content/Props/A.uasset', 'Content/Props', 'Content')
  expect(names(found)).toEqual(['Content/Props/A.uasset'])
  expect(found.problems).toEqual([])
})

test('every file knows its Content folder: of the project, of a plugin, or none', async () => {
  const root = temporaryFolder({
    'P.uproject': project,
    'Content/A.uasset': 'a',
    'Plugins/Tools/Tools.uplugin': '{}',
    'Plugins/Tools/Content/B.uasset': 'b',
    'Plugins/Loose/Content/C.uasset': 'c',
    'Source/D.fbx': 'd',
  })
  const mounts = (await walk(root, '.')).files.map(({ file, mount }) => [file, mount?.name, mount?.assumed, mount?.engineVersion])
  expect(mounts.filter(([file]) => /[A-D]\.(uasset|fbx)$/.test(String(file))).sort()).toEqual([
    ['Content/A.uasset', '/Game', false, '5.4.0'],
    ['Plugins/Loose/Content/C.uasset', '/Loose', true, '5.4.0'],
    ['Plugins/Tools/Content/B.uasset', '/Tools', false, '5.4.0'],
    ['Source/D.fbx', undefined, undefined, undefined],
  ])
})

test('a path that does not exist is an error, not an empty push', async () => {
  const root = temporaryFolder()
  await expect(scan(root, [{ path: join(root, 'gone'), mount: undefined }])).rejects.toMatchObject({ code: 'ENOENT' })
})

test('a walk ends when it is told to', async () => {
  const root = temporaryFolder({ 'A.uasset': 'a' })
  await expect(
    scan(root, [{ path: root, mount: undefined }], { signal: AbortSignal.abort(new Error('Ctrl-C')) }),
  ).rejects.toThrow('Ctrl-C')
})
