/** ph search by words: what they find, why, in what order, and which of them finds nothing. */
import { expect, test } from 'vitest'
import { callAs, type Json } from '../../support/api.ts'
import { startFront } from '../../support/http-front.ts'
import { ph, signedIn } from '../../support/ph.ts'
import { pushed } from '../../support/push.ts'
import { startTestServer } from '../../support/server.ts'
import { barrels, mesh } from '../../support/small-library.ts'
import { smallSearch } from '../../support/small-search.ts'

const server = await startTestServer()
const { url, env, run, found, names } = await smallSearch(server)

test.each([
  ['barrel', [...barrels, 'T_Oak_Barrel']],
  ['old barr', ['SM_OldBarrel_01']],
  ['wood', ['SM_OldBarrel_01', 'SM_Pine']],
  ['trees', ['SM_Pine']],
  ['tavern mater', ['M_Oak']],
  ['barrelled', []],
])('the words %j find %j', async (words, expected) => {
  expect((await names(words)).toSorted()).toEqual(expected)
})

test('words in quotes must stand side by side, whether the shell kept the quotes or not', async () => {
  expect((await names(['oak barrel'])).toSorted()).toEqual(['SM_OakBarrel', 'T_Oak_Barrel'])
  expect((await names(['"oak barrel"'])).toSorted()).toEqual(['SM_OakBarrel', 'T_Oak_Barrel'])
  expect(await names(['barrel oak'])).toEqual([])
  expect((await names(['barrel', 'oak'])).toSorted()).toEqual(['SM_OakBarrel', 'T_Oak_Barrel'])
})

test('a hit says in which of its fields the words were found', async () => {
  const { stdout } = await run('search wood')
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t').at(-1)),
  ).toEqual(['tag', 'tag'])
  const [best] = await found('barrel props')
  expect(best.matched).toEqual(['name', 'category'])
  expect((await run('search barrel props', { columns: 100 })).stdout).toMatch(/MATCHED\n.*name, category\n/)
})

test('words and filters together leave what has both, and a sort of one’s own is kept', async () => {
  expect(await names('barrel --type mesh --triangles 1k..')).toEqual(['SM_OakBarrel'])
  expect(await names('oak --sort name --reverse')).toEqual(['T_Oak_Barrel', 'SM_OakBarrel', 'M_Oak'])
})

test('the best hits come first, the whole name before what only begins so', async () => {
  expect((await names('m_oak'))[0]).toBe('M_Oak')
  const scores = (await found('oak')).map(({ score }) => score)
  expect(scores).toEqual(scores.toSorted((a, b) => b - a))
})

test('ids are those of every hit, by name, so that none is cut off', async () => {
  const { entries } = (await run('search barrel --sort name --json')).json() as Json
  expect((await run('search barrel --ids')).stdout).toBe(entries.map(({ id }: Json) => `${id}\n`).join(''))
  const [best] = await found('old barrel')
  expect((await run(['search', 'old', 'barrel', '--ids', '--limit', '1'])).stdout).toBe(`${best.id}\n`)
})

test('of more than a thousand hits the best are shown, which is said, and all ids are given', async () => {
  const { url, keys } = await server.addWorkspace()
  const many = Array.from({ length: 1001 }, (_, at) => mesh(`SM_Nail_${at}`, 'Tools/Nails'))
  await pushed(callAs(url, keys.mia), many)
  const there = { env: signedIn(url, keys.mia) }
  const shown = await ph('search nail --all', there)
  expect(shown.stdout.trimEnd().split('\n')).toHaveLength(1000)
  expect(shown.stderr).toMatch(/^1,000 of 1,001 shown; only the best are ranked: --sort name lists them all\b/)
  expect((await ph('search nail --ids', there)).stdout.trimEnd().split('\n')).toHaveLength(1001)
})

test('facets count what the words find', async () => {
  const rows = (await run('search barrel --facets')).stdout.split('\n').map((line) => line.split('\t'))
  expect(rows.filter(([dimension]) => dimension === 'type').map(([, value, count]) => [value, count])).toEqual([
    ['mesh', '2'],
    ['texture', '1'],
  ])
})

test('when nothing matches, it is said which word or filter is to blame, and what there would be', async () => {
  const { code, stdout, stderr } = await run(['search', 'barrel', 'pine', '--type', 'mesh'])
  expect([code, stdout]).toEqual([0, ''])
  expect(stderr).toBe('Nothing matches barrel pine --type mesh.\n1 entry without barrel\n2 entries without pine\n')
  expect((await run('search barrel --type audio')).stderr).toContain('\n3 entries without --type audio: mesh 2, texture 1\n')
  expect((await run('search gone')).stderr).toContain('\n1 entry with --deprecated\n')
  expect((await run('search barrelled')).stderr).toContain('try fewer letters')
  expect((await run(['search', 'barrel oak'])).stderr).toContain('try them without quotes')
  expect((await run('search pine --category Props --triangles 1M..')).stderr).toContain('leave out several')
  expect((await run('search barrelled --json')).stderr).toBe('')
})

test('whatever is typed is looked for: quotes left open, operators, signs, letters of any script, or only blanks', async () => {
  for (const words of ['"oak', 'a" "b', 'AND OR NOT', '* ? %', '樽 🛢️', '\u202eoak', '-', '   ', 'x'.repeat(2000)]) {
    const { code, stderr } = await run(['search', '--json', '--', words])
    expect([code, stderr], JSON.stringify(words)).toEqual([0, ''])
  }
  const long = await run(['search', '--', '樽'.repeat(9_000)])
  expect([long.code, long.stderr]).toEqual([2, expect.stringContaining('too long')])
})

test.each([
  ['--path /Game/Tavern/', '--path', ['path']],
  ['--path /Game/Tavern/Props/SM_OakBarrel', '--path', ['origin_path']],
  ['--path /Game/Forest/ --deprecated', '--path', ['path']],
  ['--pushed-from Tavern', '--pushed-from', ['pushed_from']],
  ['--name SM_Stone', '--name', ['name']],
  ['--path /Game/Tavern/ --name SM_OakBarrel --pushed-from Tavern', '--name and --pushed-from', ['name', 'pushed_from']],
])('a server that ignores what %j asks lists no entries that do not match: %s is refused', async (filters, options, without) => {
  const front = await startFront({ to: () => url, without })
  for (const how of ['', ' --ids', ' --facets', ' barrel --json']) {
    const { code, stdout, stderr } = await run(`search ${filters}${how}`, { env: { ...env, PH_URL: front.url } })
    expect([how, code, stdout]).toEqual([how, 1, ''])
    expect(stderr).toContain(`This server does not know ${options}: it would list entries that do not match.`)
  }
})

test('where other filters leave nothing, one that the server ignores does no harm', async () => {
  const front = await startFront({ to: () => url, without: ['path'] })
  const { code, stdout } = await run('search --path /Game/Tavern/ --type audio --json', { env: { ...env, PH_URL: front.url } })
  expect([code, JSON.parse(stdout).entries]).toEqual([0, []])
})

test.each([
  ['search barrel', 1],
  ['search --type mesh --tag oak', 1],
  ['search barrel --name SM_OakBarrel', 2],
])(
  '%s asks the library no more often than it takes: each filter that it may ignore once, and the search',
  async (line, requests) => {
    const front = await startFront({ to: () => url })
    expect((await run(`${line} --json`, { env: { ...env, PH_URL: front.url } })).code).toBe(0)
    expect(front.asked.filter((one) => one.startsWith('GET /entries?'))).toHaveLength(requests)
  },
)
