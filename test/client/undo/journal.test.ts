/** The list of changes that `ph undo` takes back: bounds, several processes, damage, a folder that takes nothing. */
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { findFolders } from '../../../client/folders.ts'
import { Journal, mostChanges, type NewChange } from '../../../client/undo/journal.ts'
import { temporaryFolder, writeFiles } from '../../support/temporary-folder.ts'

const whose = { url: 'https://props.test/w/inn', whose: 'user 7' }
const at = '2026-01-01T00:00:00.000Z'
const change = (what: string, more: Partial<NewChange> = {}): NewChange => ({
  at,
  what,
  calls: [{ route: 'tags.bulk', kept: { id: 1 } }],
  stays: [],
  push: null,
  ...more,
})
const journalIn = (state: string, of = whose) => new Journal(findFolders({ PH_STATE_DIR: state, PH_CONFIG_DIR: state }), of)

test('the newest 50 changes are kept, with numbers that go on', async () => {
  const journal = journalIn(temporaryFolder())
  for (let n = 1; n <= mostChanges + 3; n++) expect(await journal.add(change(`change ${n}`))).toBe(n)
  const changes = await journal.read()
  expect(changes).toHaveLength(mostChanges)
  expect([changes[0]?.what, changes.at(-1)?.number]).toEqual([`change ${mostChanges + 3}`, 4])
})

test('each person at each workspace has a list of their own, which only its owner may read', async () => {
  const state = temporaryFolder()
  await journalIn(state).add(change('mine'))
  expect(await journalIn(state, { ...whose, whose: 'user 8' }).read()).toEqual([])
  expect(await journalIn(state, { ...whose, url: 'https://props.test/w/other' }).read()).toEqual([])
  expect(statSync(journalIn(state).path).mode & 0o777).toBe(0o600)
})

test('a change that takes too much to take back is remembered without that, and large ones make room for each other', async () => {
  const journal = journalIn(temporaryFolder())
  const large = (bytes: number) => [{ route: 'tags.bulk', kept: 'x'.repeat(bytes) }]
  await journal.add(change('huge', { calls: large(2 * 1024 * 1024) }))
  expect((await journal.read())[0]).toMatchObject({
    what: 'huge',
    calls: [],
    stays: [expect.stringContaining('so much at once')],
  })
  const changes = Array.from({ length: 9 }, (_, n) => ({ ...change(`large ${n}`, { calls: large(1_000_000) }), number: n }))
  writeFileSync(journal.path, JSON.stringify({ next: 9, changes }))
  await journal.add(change('large 9', { calls: large(1_000_000) }))
  const kept = await journal.read()
  expect([kept[0]?.what, kept.at(-1)?.what]).toEqual(['large 9', 'large 2'])
  expect(readFileSync(journal.path).length).toBeLessThan(9 * 1024 * 1024)
})

test('a push that went on takes the place of its own row, and is marked by what it pushed', async () => {
  const journal = journalIn(temporaryFolder())
  const push = { root: '/inn', begunAt: at }
  await journal.add(change('pushed', { push, calls: [] }))
  await journal.add(change('tagged'))
  await journal.add(change('pushed', { push, calls: [] }))
  expect((await journal.read()).map(({ number }) => number)).toEqual([3, 2])
  await journal.markUndone(push, at)
  expect((await journal.read()).map(({ undoneAt }) => undoneAt)).toEqual([at, null])
})

test('of what several processes write at once nothing is lost', async () => {
  const state = temporaryFolder()
  const module = fileURLToPath(new URL('../../../client/undo/journal.ts', import.meta.url))
  const code = `
    const { Journal } = await import(${JSON.stringify(module)})
    const journal = new Journal({ state: ${JSON.stringify(state)} }, ${JSON.stringify(whose)})
    for (let n = 0; n < 12; n++) await journal.add({ at: '', what: process.argv[1] + n, calls: [], stays: [], push: null })`
  const start = (name: string) => promisify(execFile)(process.execPath, ['--input-type=module', '-e', code, name])
  await Promise.all([start('a'), start('b'), start('c')])
  const changes = await journalIn(state).read()
  expect(new Set(changes.map(({ what }) => what)).size).toBe(36)
  expect(changes.map(({ number }) => number)).toEqual(Array.from({ length: 36 }, (_, at) => 36 - at))
  expect(readdirSync(dirname(journalIn(state).path)).filter((name) => name.endsWith('.part'))).toEqual([])
})

test('a list that is damaged, or whose folder takes nothing, is said to be so', async () => {
  const state = temporaryFolder()
  const journal = journalIn(state)
  await journal.add(change('one'))
  writeFileSync(journal.path, '{"next": 2')
  await expect(journal.read()).rejects.toMatchObject({ code: 'SETTINGS_DAMAGED', message: expect.stringContaining(journal.path) })
  await expect(journal.add(change('two'))).rejects.toMatchObject({ code: 'SETTINGS_DAMAGED' })
  expect(readFileSync(journal.path, 'utf8')).toBe('{"next": 2')
  writeFiles(state, { file: '' })
  const nowhere = journalIn(join(state, 'file'))
  expect(await nowhere.read()).toEqual([])
  await expect(nowhere.add(change('three'))).rejects.toMatchObject({ code: 'SETTINGS_UNUSABLE' })
})
