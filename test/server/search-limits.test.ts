// Every limit of what lists and facets are asked, at its edge (spec 4.2, 8).
import { expect, test } from 'vitest'
import { callAs, type Json } from '../support/api.ts'
import { item, pushed } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
const { url, keys } = await server.addWorkspace()
const mia = callAs(url, keys.mia)
const metadata = { tri_count: 9, vert_count: 0, material_count: 1, lod_count: 2, bounds_x: 1, bounds_y: 2.5, bounds_z: 0.5 }
await pushed(mia, [item({ entry: { metadata } }), item(), item()])

const largest = Number.MAX_SAFE_INTEGER
const ranges = ['tri', 'vert', 'material', 'lod'].flatMap((what) => [`${what}_min`, `${what}_max`])
const flags = ['variant', 'has_collision', 'nanite', 'uncategorized', 'exclude_uncategorized', 'include_deprecated']
/** Texts with the most characters that each may have. */
const texts: [string, number][] = [
  ['category', 120],
  ['exclude_category', 120],
  ['tag', 80],
  ['type', 100],
  ['name', 200],
  ['origin_path', 1000],
]

/** A list and its facets take the same filters: both answer alike. */
async function answersOf(query: string): Promise<[status: number, code: string | undefined, path: string | undefined][]> {
  const answers = await Promise.all([mia.get(`/entries?${query}`), mia.get(`/entries/facets?${query}`)])
  return answers.map(({ status, body }) => [status, body.error?.code, body.error?.details.errors[0].path])
}

async function expectTaken(query: string): Promise<void> {
  const taken = [200, undefined, undefined]
  expect([query.slice(0, 60), await answersOf(query)]).toEqual([query.slice(0, 60), [taken, taken]])
}

async function expectRefused(query: string): Promise<void> {
  const refused = [422, 'VALIDATION', expect.stringMatching(new RegExp(`^${query.slice(0, query.indexOf('='))}(\\.\\d+)?$`))]
  expect([query.slice(0, 60), await answersOf(query)]).toEqual([query.slice(0, 60), [refused, refused]])
}

test('a page has 1 to 200 entries, and its size is a whole number', async () => {
  for (const limit of ['1', '200']) expect([limit, (await mia.get(`/entries?limit=${limit}`)).status]).toEqual([limit, 200])
  for (const limit of ['0', '201', '-1', '1.5', '', 'many', '1e1', '0x10', '١', '99999999999999999999']) {
    const { status, body } = await mia.get(`/entries?limit=${encodeURIComponent(limit)}`)
    expect([limit, status, body.error?.code]).toEqual([limit, 422, 'VALIDATION'])
  }
})

test('counts are whole numbers from 0 to the largest that is exact', async () => {
  for (const name of ranges) {
    for (const value of ['0', String(largest)]) await expectTaken(`${name}=${value}`)
    for (const value of ['-1', '0.5', '9007199254740992', 'x', '', 'NaN', 'Infinity', '1e3'])
      await expectRefused(`${name}=${value}`)
  }
})

test('bounds are numbers, of either sign, and nothing that only looks like one', async () => {
  for (const name of ['bounds_min', 'bounds_max']) {
    for (const value of ['0', '-1', '2.5', '123456789012345678901234567890']) await expectTaken(`${name}=${value}`)
    for (const value of ['x', '', 'NaN', 'Infinity', '1,5', '0x1']) await expectRefused(`${name}=${value}`)
  }
})

test('a range finds what lies on its edges, and nothing when it ends before it begins', async () => {
  const counts = async (query: string) => (await mia.get(`/entries?${query}`)).body.entries.length
  for (const query of ['tri_min=9&tri_max=9', 'vert_max=0', 'lod_min=2', 'bounds_min=2.5&bounds_max=2.5', 'bounds_min=-1'])
    expect([query, await counts(query)]).toEqual([query, 1])
  for (const query of ['tri_min=10', 'tri_max=8', 'tri_min=9&tri_max=8', `material_min=${largest}`, 'bounds_min=2.6'])
    expect([query, await counts(query)]).toEqual([query, 0])
})

test('texts have their lengths, in characters that people count, and flags are true or false', async () => {
  for (const [name, most] of texts) {
    for (const character of ['x', '木', '🪑']) await expectTaken(`${name}=${encodeURIComponent(character.repeat(most))}`)
    await expectRefused(`${name}=${'x'.repeat(most + 1)}`)
    await expectRefused(`${name}=${encodeURIComponent('🪑'.repeat(most + 1))}`)
  }
  for (const name of flags) {
    for (const value of ['true', 'false']) await expectTaken(`${name}=${value}`)
    for (const value of ['1', 'yes', 'TRUE', '']) await expectRefused(`${name}=${value}`)
    await expectRefused(`${name}=true&${name}=false`)
  }
})

test('a filter takes 200 values, and not one more; those that nothing has find nothing', async () => {
  const many = (name: string, textOf: (index: number) => string, count = 200) =>
    Array.from({ length: count }, (_, index) => `${name}=${textOf(index)}`).join('&')
  const packs = (count: number) => many('pack', (index) => String(1_000_000 + index), count)
  const tags = many('tag', (index) => `none-${index}`)
  const kinds = many('type', (index) => (index === 199 ? 'mesh' : `none${index}`))
  const found = async (query: string) => (await mia.get(`/entries?${query}`)).body.entries.map((entry: Json) => entry.entry_type)
  expect([await found(packs(200)), await found(tags), await found(kinds)]).toEqual([[], [], ['mesh', 'mesh', 'mesh']])
  await expectTaken(packs(200))
  await expectRefused(packs(201))
})
