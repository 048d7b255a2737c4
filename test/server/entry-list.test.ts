// GET /entries: pages by name, filters, and cursors that nobody gave out (spec 1, 4.2; contract-gaps 6, 9).
import { expect, test } from 'vitest'
import { callAs, type Json } from '../support/api.ts'
import { item, pushed } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()

/** A workspace with one entry per name. */
async function libraryOf(names: string[]) {
  const { url, keys } = await server.addWorkspace()
  const mia = callAs(url, keys.mia)
  await pushed(
    mia,
    names.map((name) => item({ entry: { name } })),
  )
  return mia
}

/** Names such as every language lowers by rules of its own. */
const awkward = ['İstanbul', 'IŞIK', 'ΑΣ', 'ας', 'ΑΣΑ', 'Straße', 'STRASSE', 'Äpfel', 'ǅ', '🪑', 'Zebra', 'abc', 'ABC']

test('pages of any size show every entry once, in both orders, whatever the names are made of', async () => {
  const mia = await libraryOf(awkward)
  for (const order of ['asc', 'desc']) {
    const whole = (await mia.get(`/entries?order=${order}`)).body.entries.map((entry: Json) => entry.id)
    expect(whole).toHaveLength(awkward.length)
    for (const limit of [1, 2, 5]) {
      const paged: number[] = []
      let next = ''
      do {
        const { body } = await mia.get(`/entries?order=${order}&limit=${limit}${next}`)
        paged.push(...body.entries.map((entry: Json) => entry.id))
        next = body.next_cursor && `&cursor=${body.next_cursor}`
      } while (next && paged.length <= awkward.length)
      expect([order, limit, paged]).toEqual([order, limit, whole])
    }
  }
})

test('an entry is found by its own name, and by its package path in any case', async () => {
  const mia = await libraryOf(awkward)
  for (const name of awkward) {
    const found = (await mia.get(`/entries?name=${encodeURIComponent(name)}`)).body.entries.map((entry: Json) => entry.name)
    expect(found).toContain(name)
  }
  const [one] = (await mia.get('/entries?limit=1')).body.entries
  for (const path of [one.origin_path, one.origin_path.toLowerCase(), one.origin_path.toUpperCase()])
    expect((await mia.get(`/entries?origin_path=${encodeURIComponent(path)}`)).body.entries).toEqual([one])
  expect((await mia.get('/entries?origin_path=/Game/No%20such')).body.entries).toEqual([])
})

test('a cursor that was written by hand is VALIDATION, however good it looks', async () => {
  const mia = await libraryOf(['a', 'b'])
  const entries = (await mia.get('/entries?limit=1')).body.next_cursor
  for (const position of [
    [],
    ['a'],
    ['a', 'b'],
    ['a', 1, 2],
    [null, null],
    [{}, 1],
    ['a', 1.5],
    ['a', 1e300],
    ['\0', 1],
    ['\ud800', 1],
  ]) {
    const [made] = JSON.parse(Buffer.from(entries, 'base64url').toString())
    const cursor = Buffer.from(JSON.stringify([made, ...position])).toString('base64url')
    const answer = await mia.get(`/entries?cursor=${cursor}`)
    expect([position, answer.status, answer.body.error?.code]).toEqual([position, 422, 'VALIDATION'])
  }
  for (const cursor of ['bnVsbA', 'e30', 'W10', '%00', 'x'.repeat(5000)])
    expect([cursor.slice(0, 10), (await mia.get(`/packs?cursor=${cursor}`)).status]).toEqual([cursor.slice(0, 10), 422])
  expect((await mia.get(`/packs?cursor=${entries}`)).status).toBe(422)
  expect((await mia.get(`/entries?order=desc&cursor=${entries}`)).status).toBe(422)
})
