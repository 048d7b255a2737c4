/** Everything about many entries at once, which is what is told of each alone (contract-gaps 9). */
import { expect, test } from 'vitest'
import { callAs, type Json } from '../support/api.ts'
import { item, pushed } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()

async function library(entries: number) {
  const { url, keys } = await server.addWorkspace()
  const mia = callAs(url, keys.mia)
  const results = await pushed(
    mia,
    Array.from({ length: entries }, () => item()),
  )
  const ids: number[] = results.map(({ entry_id }) => entry_id)
  return { mia, reads: callAs(url, keys.miaReads), ids }
}

test('each entry is told as it is told alone, with its own tags and collections, once and by id', async () => {
  const { mia, reads, ids } = await library(3)
  const [first = 0, second = 0, third = 0] = ids
  for (const [name, entry_ids] of [['oak', [first, third]] as const, ['ash', [third]] as const]) {
    const { id } = (await mia.post('/tags', { name })).body
    await mia.post('/entries/tags/bulk', { tag_id: id, entry_ids, action: 'add' })
    const { id: collection } = (await mia.post('/collections', { name })).body
    await mia.post(`/collections/${collection}/entries/bulk`, { entry_ids, action: 'add' })
  }
  const { entries } = (await reads.post('/entries/find', { entry_ids: [third, first, third, second, 987_654] })).body
  expect(entries.map(({ id }: Json) => id)).toEqual([first, second, third])
  for (const entry of entries) expect(entry).toEqual((await reads.get(`/entries/${entry.id}`)).body)
  expect(entries.map(({ tags }: Json) => tags.map(({ name }: Json) => name))).toEqual([['oak'], [], ['ash', 'oak']])
  expect(entries.map(({ collections }: Json) => collections.length)).toEqual([1, 0, 2])
})

test('no entries and more than 200 are refused', async () => {
  const { reads, ids } = await library(1)
  for (const entry_ids of [[], Array(201).fill(ids[0]), [0]])
    expect((await reads.post('/entries/find', { entry_ids })).body.error.code).toBe('VALIDATION')
})
