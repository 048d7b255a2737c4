/** What is read of others, at a size and at four times that: the work grows in proportion. `bench/foreign-text.ts` takes the times at the largest. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = new URL('../../', import.meta.url)
const counter = fileURLToPath(new URL('test/support/counted-steps.ts', root))

interface Counted {
  file: string
  what: string
  few: number
  many: number
}

/** Four times as much may take so many times the steps; the square of it is sixteen. */
const inProportion = 8
const isOver = ({ few, many }: Counted): boolean => many > inProportion * few + 100

test('the work of reading what others write grows in proportion to it', () => {
  const lines = execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', counter], { encoding: 'utf8' })
  const counted = lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Counted)
  const readings = counted.slice(0, -1)
  expect(readings.length).toBeGreaterThan(45)
  expect(readings.filter(isOver)).toEqual([])
  expect(counted.filter(({ what }) => what === 'of squared work').map(isOver)).toEqual([true])
  expect(readings.filter(({ file }) => !existsSync(new URL(file, root)))).toEqual([])
})
