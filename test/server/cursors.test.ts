// Opaque cursors: each goes on with the list that it was made for, and is VALIDATION everywhere else (spec 1).
import { expect, test } from 'vitest'
import { toCursor } from '../../server/cursor.ts'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { item, pushed } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()

/** Two of everything that is listed, so that a page of one has a cursor. */
async function library() {
  const { url, keys, workspaceId } = await server.addWorkspace()
  const mia = callAs(url, keys.mia)
  const results = await pushed(
    mia,
    ['Barrel', 'Crate'].map((name) => item({ asset_name: name, origin_path: `/Game/${name}s/Old/SM_Old_${name}` })),
  )
  for (const name of ['one', 'two']) {
    expect((await mia.post('/tags', { name })).status).toBe(201)
    expect((await mia.post('/collections', { name })).status).toBe(201)
    const job = { entries: results.map((one: Json) => ({ entry_id: one.entry_id })), target_project: 'Tavern' }
    expect((await mia.post('/pull-jobs', job)).status).toBe(201)
  }
  return { mia, workspaceId }
}
const { mia, workspaceId } = await library()
const other = await library()

const ranked = '/entries?q=old&limit=1'
const lists = [
  '/packs?limit=1',
  '/tags?limit=1',
  '/collections?limit=1',
  '/pull-jobs?limit=1',
  '/entries?limit=1',
  '/entries?limit=1&order=desc',
  '/entries?limit=1&sort=date_indexed',
  ranked,
]

async function cursorOf(reads: Caller, list: string): Promise<string> {
  const { status, body } = await reads.get(list)
  expect([list, status, typeof body.next_cursor]).toEqual([list, 200, 'string'])
  return body.next_cursor
}

async function expectStatus(reads: Caller, path: string, wanted: number): Promise<void> {
  const { status, body } = await reads.get(path)
  expect([path, status, body.error?.code]).toEqual([path, wanted, wanted === 200 ? undefined : 'VALIDATION'])
}

test('a cursor goes on with its list, whatever the size of the next page, and with no other list, nor in another workspace', async () => {
  for (const list of lists) {
    const cursor = await cursorOf(mia, list)
    for (const each of lists) await expectStatus(mia, `${each}&cursor=${cursor}`, each === list ? 200 : 422)
    await expectStatus(mia, `${list.replace('limit=1', 'limit=7')}&cursor=${cursor}`, 200)
    await expectStatus(other.mia, `${list}&cursor=${cursor}`, 422)
  }
})

test('a ranked cursor is bound to its order, though that changes nothing, to relevance and to the words', async () => {
  const [plain, descending] = [await cursorOf(mia, ranked), await cursorOf(mia, `${ranked}&order=desc`)]
  for (const more of ['', '&order=asc', '&sort=relevance', '&sort=relevance&order=asc', '&type=mesh'])
    await expectStatus(mia, `${ranked}${more}&cursor=${plain}`, 200)
  for (const more of ['&order=desc', '&sort=relevance&order=desc', '&sort=name', '&sort=name&order=desc'])
    await expectStatus(mia, `${ranked}${more}&cursor=${plain}`, 422)
  await expectStatus(mia, `${ranked}&order=desc&cursor=${descending}`, 200)
  await expectStatus(mia, `${ranked}&cursor=${descending}`, 422)
  await expectStatus(mia, `/entries?q=ol&limit=1&cursor=${plain}`, 422)
})

test('a cursor of pull jobs is bound to what they were filtered by', async () => {
  const cursor = await cursorOf(mia, '/pull-jobs?limit=1&target_project=Tavern')
  await expectStatus(mia, `/pull-jobs?limit=1&target_project=Tavern&cursor=${cursor}`, 200)
  for (const more of ['', '&target_project=Harbor', '&target_project=Tavern&status=queued'])
    await expectStatus(mia, `/pull-jobs?limit=1${more}&cursor=${cursor}`, 422)
})

test('a cursor that was altered in any place, cut or added to is VALIDATION', async () => {
  for (const list of lists) {
    const cursor = await cursorOf(mia, list)
    const altered = Array.from(
      cursor,
      (letter, at) => `${cursor.slice(0, at)}${letter === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`,
    )
    const some = altered.filter((_, at) => at % 5 === 0 || at > cursor.length - 4)
    for (const one of [...some, cursor.slice(1), cursor.slice(0, -1), `${cursor}A`, `${cursor}=`, `${cursor}!`, cursor.repeat(2)])
      await expectStatus(mia, `${list}&cursor=${encodeURIComponent(one)}`, 422)
  }
})

test('of a cursor that someone wrote who knows how, no part is believed to be what it should be', async () => {
  const forged = (asked: readonly unknown[], position: unknown[]): string => toCursor(asked, position as (string | number)[])
  const asked = ['entries', workspaceId, 'name', 'asc']
  await expectStatus(mia, `/entries?cursor=${forged(asked, ['a', 1])}`, 200)
  for (const position of [
    [],
    ['a'],
    ['a', 'b'],
    ['a', 1, 2],
    [null, null],
    [{}, 1],
    [['a'], 1],
    ['a', 1.5],
    ['a', 1e300],
    ['\0', 1],
    ['\ud800', 1],
  ])
    await expectStatus(mia, `/entries?cursor=${forged(asked, position)}`, 422)
  for (const list of ['packs', 'tags', 'collections'])
    for (const position of [
      [1, 1],
      ['a', 'b'],
      ['\0', 1],
      ['a', -1e16],
    ])
      await expectStatus(mia, `/${list}?cursor=${forged([list, workspaceId], position)}`, 422)
})
