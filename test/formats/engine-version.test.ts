/** The order of engine versions: by major and minor, and never by one that is unknown. */
import { expect, test } from 'vitest'
import { engineOrder, isNewerEngine } from '../../formats/engine-version.ts'

test.each([
  ['5.4.2', '5.3.9', true],
  ['5.10.0', '5.9.0', true],
  ['5.4.2', '5.4.0', false],
  ['5.3.0', '5.4.0', false],
  ['0.0.0', '5.4.0', false],
  ['5.4.0', '0.0.0', false],
  ['5.4.0', null, false],
  [null, '5.4.0', false],
  ['what', '5.4.0', false],
])('what %s saved is too new for %s: %s', (saved, editor, isNewer) => {
  expect(isNewerEngine(saved, editor)).toBe(isNewer)
})

test('an unknown version stands before every known one', () => {
  expect([engineOrder(null), engineOrder('0.0.0'), engineOrder('')]).toEqual([0, 0, 0])
  expect(engineOrder('4.27.2')).toBeGreaterThan(0)
})
