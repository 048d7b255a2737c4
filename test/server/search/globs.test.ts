// Paths with stars, against what a regular expression says of them.
import { expect, test } from 'vitest'
import { isMatch, PathPattern } from '../../../server/search/globs.ts'
import { pick, seeded } from '../../support/random-library.ts'

const letters = ['a', 'b', '/', '*']

test('a folder and the last segment together match what the whole path matches', () => {
  const random = seeded(7)
  const textOf = (from: readonly string[], most: number) =>
    Array.from({ length: 1 + random(most) }, () => pick(random, from)).join('')
  let found = 0
  for (let turn = 0; turn < 60_000; turn++) {
    const [folder, leaf] = [`/${textOf(letters.slice(0, 3), 5)}`, textOf(letters.slice(0, 2), 3)]
    const asked = textOf(letters, 9)
    const whole = new RegExp(`^${asked.replaceAll('*', '.*')}${asked.endsWith('/') ? '.*' : ''}$`).test(`${folder}/${leaf}`)
    const left = new PathPattern(asked).leafIn(`${folder}/`)
    expect([asked, folder, leaf, left !== undefined && isMatch(left, leaf)]).toEqual([asked, folder, leaf, whole])
    found += Number(whole)
  }
  expect(found).toBeGreaterThan(1000)
})
