/** Files of a backup or a restore that get their names while the next ones are copied. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Arrivals, type Arrived } from '../../server/administration/backup/copied-files.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

function place() {
  const dir = temporaryFolder()
  const arrivals = new Arrivals(join(dir, 'coming'))
  const arrive = (...names: string[]): Arrived[] =>
    names.map((name) => {
      const from = arrivals.next()
      writeFileSync(from, name)
      return { from, to: join(dir, 'files', name.slice(0, 2), name) }
    })
  const named = () => (existsSync(join(dir, 'files')) ? readdirSync(join(dir, 'files'), { recursive: true }).sort() : [])
  return { dir, arrivals, arrive, named }
}

test('a part is named behind the next one, and all are when it says so', async () => {
  const { arrivals, arrive, named, dir } = place()
  await arrivals.settle(arrive('aa1', 'aa2', 'bb1'))
  const second = arrive('cc1')
  await arrivals.settle(second)
  expect(named()).toEqual(expect.arrayContaining(['aa', 'aa/aa1', 'aa/aa2', 'bb', 'bb/bb1']))
  await arrivals.settled()
  expect(named()).toEqual(['aa', 'aa/aa1', 'aa/aa2', 'bb', 'bb/bb1', 'cc', 'cc/cc1'])
  await arrivals.close()
  expect(readdirSync(dir)).toEqual(['files'])
})

test('what fails behind the next part is told before that one gets names, and at the end', async () => {
  const { arrivals, arrive, named, dir } = place()
  writeFileSync(join(dir, 'files'), 'no folder')
  await arrivals.settle(arrive('aa1'))
  await expect(arrivals.settle(arrive('bb1'))).rejects.toMatchObject({ code: expect.stringMatching(/ENOTDIR|EEXIST/) })
  await expect(arrivals.settled()).rejects.toThrow()
  await arrivals.close()
  expect(existsSync(join(dir, 'coming'))).toBe(false)
  expect(named).toThrow()
})

test('who ends in the middle leaves nothing without a name, and nothing goes on afterwards', async () => {
  const { arrivals, arrive, named, dir } = place()
  await arrivals.settle(arrive('aa1', 'aa2'))
  arrive('bb1')
  await arrivals.close()
  expect(readdirSync(dir)).toEqual(['files'])
  expect(named()).toEqual(['aa', 'aa/aa1', 'aa/aa2'])
})
