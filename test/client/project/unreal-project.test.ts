/** Where a project begins and what its Content folders are called. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { locate, pathOfPackage, readEngineVersion } from '../../../client/project/unreal-project.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const place = (root: string, path: string) => {
  const { root: found, mount } = locate(join(root, path))
  return [found.slice(root.length), mount?.folder.slice(root.length), mount?.name, mount?.assumed]
}

test('a folder below Content belongs to the project beside it', () => {
  const root = temporaryFolder({ 'P/P.uproject': '{}', 'P/Content/Props/A.uasset': '' })
  expect(place(root, 'P/Content/Props')).toEqual(['/P', '/P/Content', '/Game', false])
  expect(place(root, 'P/Content')).toEqual(['/P', '/P/Content', '/Game', false])
  expect(place(root, 'P')).toEqual(['/P', undefined, undefined, undefined])
})

test("a plugin's content carries the plugin's name, and belongs to the project around it", () => {
  const root = temporaryFolder({
    'P/P.uproject': '{}',
    'P/Plugins/Deep/Tools/Tools.uplugin': '{}',
    'P/Plugins/Deep/Tools/Content/A.uasset': '',
  })
  expect(place(root, 'P/Plugins/Deep/Tools/Content')).toEqual(['/P', '/P/Plugins/Deep/Tools/Content', '/Tools', false])
})

test('a repository that is itself a plugin is its own root', () => {
  const root = temporaryFolder({ 'Cesium/Cesium.uplugin': '{}', 'Cesium/Content/A/B.uasset': '' })
  expect(place(root, 'Cesium/Content/A')).toEqual(['/Cesium', '/Cesium/Content', '/Cesium', false])
})

test('a Content folder inside of Content is a folder like any other', () => {
  const root = temporaryFolder({ 'P/P.uproject': '{}', 'P/Content/Props/Content/A.uasset': '' })
  expect(place(root, 'P/Content/Props/Content')).toEqual(['/P', '/P/Content', '/Game', false])
})

test('a bare Content folder is taken for /Game, and said to be a guess; a folder named content is not', () => {
  const root = temporaryFolder({ 'a/Content/Props/A.uasset': '', 'content/B/C.uasset': '', 'Plugins/X/Content/D.uasset': '' })
  expect(place(root, 'a/Content/Props')).toEqual(['/a', '/a/Content', '/Game', true])
  expect(place(root, 'content/B')).toEqual(['/content/B', undefined, undefined, undefined])
  expect(place(root, 'Plugins/X/Content')).toEqual(['/Plugins/X', '/Plugins/X/Content', '/X', true])
})

test.each([
  ['{"EngineAssociation": "5.4"}', '5.4.0'],
  ['{"EngineAssociation": "5.4.3"}', '5.4.3'],
  ['{"EngineAssociation": "{D56DD964-4EA2-39F1-0DE2-46B41702BAA2}"}', null],
  ['{"EngineAssociation": ""}', null],
  ['{"EngineAssociation": "0.0"}', null],
  ['{"EngineAssociation": "0.0.0"}', null],
  ['{}', null],
  ['not JSON', null],
])('the engine association %s gives %s', (text, version) => {
  const root = temporaryFolder({ 'P.uproject': text })
  expect(readEngineVersion(join(root, 'P.uproject'))).toBe(version)
})

test('a descriptor with a byte order mark is read, in UTF-8 and in UTF-16', () => {
  const root = temporaryFolder()
  const text = '\ufeff{"EngineAssociation": "5.1"}'
  for (const encoding of ['utf8', 'utf16le'] as const) {
    writeFileSync(join(root, `${encoding}.uproject`), text, encoding)
    expect(readEngineVersion(join(root, `${encoding}.uproject`))).toBe('5.1.0')
  }
})

test('a package is looked for below the Content folder of its first name, whatever the case', () => {
  const mount = { folder: '/p/Content', prefix: 'Content/', name: '/Game', assumed: false, engineVersion: null }
  expect(pathOfPackage(mount, '/game/Props/SM_A')).toBe('Props/SM_A')
  expect(pathOfPackage(mount, '/GameTools/A')).toBeUndefined()
})
