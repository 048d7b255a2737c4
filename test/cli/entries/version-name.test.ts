/** Versions as people type them: counted, or by their ids. */
import { expect, test } from 'vitest'
import { chooseVersion, readVersionChoice } from '../../../cli/entries/version-name.ts'
import { versionName } from '../../../client/entries/current-version.ts'

const versions = [
  { object_id: 9, version: 3 },
  { object_id: 2, version: 1 },
]
const choose = (given: string, of: { object_id: number; version?: number }[] = versions) =>
  chooseVersion(of, readVersionChoice(given), 'SM_Barrel').object_id

test('v3, V3 and 3 are the third version, 9 the one with that id', () => {
  expect(['v3', 'V3', '3', '9', 'v1', '1', '2'].map((given) => choose(given))).toEqual([9, 9, 9, 9, 2, 2, 2])
})

test('a number that is one version and the id of another is refused, and both are named', () => {
  const crossed = [...versions, { object_id: 1, version: 2 }]
  expect(() => choose('2', crossed)).toThrow('2 is v2 of SM_Barrel, and the id of v1.')
  expect(choose('v2', crossed)).toBe(1)
})

test('an id is no number of a version once a v stands before it, and an unknown one is named', () => {
  expect(() => choose('v9')).toThrow('SM_Barrel has no version v9.')
  expect(() => choose('4')).toThrow('SM_Barrel has no version 4.')
})

test.each(['', 'v', '0', 'v0', '-1', '1.5', 'vv1', 'newest', '1'.repeat(16)])('"%s" names no version', (given) => {
  expect(() => readVersionChoice(given)).toThrow('--version takes a version')
})

test('a server that does not count versions has their ids for them', () => {
  expect([{ object_id: 17 }, { object_id: 17, version: 2 }].map(versionName)).toEqual(['17', 'v2'])
  expect(choose('17', [{ object_id: 17 }])).toBe(17)
})
