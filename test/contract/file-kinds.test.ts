/** The lists of kinds: what something runs, what props are made of, and how a kind is read off a name. */
import { expect, test } from 'vitest'
import { mayBeProp } from '../../client/memory/changes.ts'
import { executableKinds, kindOf, packageKinds, propKinds, whyNotKept, whyNotPlaced } from '../../contract/file-kinds.ts'
import { findSourceKind } from '../../formats/source-file.ts'

/** Every name of up to three letters, and the longer ones that the lists know. */
function* possibleKinds(): Generator<string> {
  const letters = 'abcdefghijklmnopqrstuvwxyz0123456789'
  for (const a of letters) for (const b of ['', ...letters]) for (const c of b === '' ? [''] : ['', ...letters]) yield a + b + c
  yield* propKinds
  yield* executableKinds
}

test('nothing is on both lists, packages are props, and all is written in lower case without dots', () => {
  expect([...propKinds].filter((kind) => executableKinds.has(kind))).toEqual([])
  expect([...packageKinds].filter((kind) => !propKinds.has(kind))).toEqual([])
  for (const kind of [...propKinds, ...executableKinds]) expect(kind).toMatch(/^[a-z0-9_-]+$/)
})

test('whatever is pushed as a prop by its name may be placed into a project', () => {
  const pushed = [...possibleKinds()].filter((kind) => mayBeProp(kind) || findSourceKind(kind) !== undefined)
  expect(pushed.length).toBeGreaterThan(50)
  expect(pushed.filter((kind) => !propKinds.has(kind))).toEqual([])
})

test.each([
  ['Textures/Wood.PNG', 'png'],
  ['init_unreal.py', 'py'],
  ['init_unreal.py.', 'py'],
  ['init_unreal.py . .', 'py'],
  ['init_unreal.PY::$DATA', 'py'],
  ['a.py:b.png', 'py'],
  ['init_unreal.p\u200cy\u200d', 'py'],
  ['wood.png.exe', 'exe'],
  ['wood.exe.png', 'png'],
  ['tools\\run.bat', 'bat'],
  ['libm.so.6', 'so'],
  ['libssl.so.1.1', 'so'],
  ['take.1', '1'],
  ['.pth', 'pth'],
  ['folder.py/readme', ''],
  ['readme', ''],
  ['', ''],
])('the kind of %j is %j', (name, kind) => expect(kindOf(name)).toBe(kind))

test('a name that only ends in dots and spaces is read in a moment, however long it is', () => {
  expect(kindOf(`${'.'.repeat(100_000)}${' '.repeat(100_000)}`)).toBe('')
})

test('libraries take every kind but what something runs, and only packages below /Game/Python', () => {
  for (const kind of ['txt', 'json', 'zip', 'ini', 'xyz', 'uasset', 'png']) expect(whyNotKept({ kind })).toBeUndefined()
  for (const kind of ['pyd', 'so', 'pyc', 'pth', 'dll', 'exe', 'uplugin']) expect(whyNotKept({ kind })).toContain(`.${kind}`)
  for (const packagePath of ['/Game/Python/x', '/game/PYTHON/a/b'])
    expect([whyNotKept({ kind: 'png', packagePath }), whyNotKept({ kind: 'umap', packagePath })]).toEqual([
      expect.stringContaining('/Game/Python'),
      undefined,
    ])
  for (const packagePath of ['/Game/Pythons/x', '/Game/A/Python/x', '/Game/Python', null])
    expect(whyNotKept({ kind: 'png', packagePath })).toBeUndefined()
})

test('projects get props only', () => {
  for (const path of ['A/SM_Wall.uasset', 'Python/BP_Tool.uasset', 'wood.png', 'scene.blend', 'model.bin', 'Pythons/a.png'])
    expect(whyNotPlaced(path), path).toBeUndefined()
  for (const path of [
    'a.txt',
    'a.ini',
    'a.uplugin',
    'a',
    'a.json',
    'Python/a.png',
    'python/A/a.fbx',
    'a.py',
    'a.PYD',
    'Py\u200cthon/a.png',
  ])
    expect(whyNotPlaced(path), path).toBeDefined()
})
