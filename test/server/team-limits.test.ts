// How much one call of check-outs, reviews, inboxes and feeds asks for or names: as many as the contract says, and not one more (spec 8).
import { expect, test } from 'vitest'
import { callAs } from '../support/api.ts'
import { startTestServer } from '../support/server.ts'
import { propOf, requestOf } from '../support/team.ts'

const server = await startTestServer()
const { url, keys } = await server.addWorkspace()
const mia = callAs(url, keys.mia)

test.each([
  ['/activity', 200],
  ['/notifications', 200],
  ['/review-requests', 200],
  ['/locks', 200],
  ['/watches', 1000],
  ['/catalog/changes', 1000],
])('a page of %s holds 1 to %i', async (path, most) => {
  const statuses = [0, 1, most, most + 1].map(async (limit) => (await mia.get(`${path}?limit=${limit}`)).status)
  expect(await Promise.all(statuses)).toEqual([422, 200, 200, 422])
})

const lineages = (count: number) => ({ lineage_ids: Array.from({ length: count }, (_, n) => `lin_${n}`) })
const numbers = (count: number) => Array.from({ length: count }, (_, n) => 900_000_000 + n)

test.each([
  ['/locks/radar', lineages],
  ['/locks/batch', lineages],
  ['/locks/release', (count: number) => ({ lock_ids: numbers(count) })],
] as const)('%s takes 1 to 1,000: so many unknown ones are all named', async (path, body) => {
  const refused = async (count: number) => {
    const { status, body: said } = await mia.post(path, body(count))
    return [status, said.error.details.missing?.length]
  }
  expect(await refused(0)).toEqual([422, undefined])
  expect(await refused(1000)).toEqual([404, 1000])
  expect(await refused(1001)).toEqual([422, undefined])
})

test('a request for a review, an answer to it and a comment take ten pictures', async () => {
  const prop = await propOf(mia)
  const max = (await callAs(url, keys.max).get('/members/me')).body.id
  const asked = async (count: number) => (await mia.post(...requestOf(prop, [max], { attachment_ids: numbers(count) }))).status
  expect([await asked(11), await asked(10)]).toEqual([422, 404])
  const { request } = (await mia.post(...requestOf(prop, [max]))).body
  const answer = async (count: number) => {
    const body = { response: 'approved', attachment_ids: numbers(count) }
    return (await callAs(url, keys.max).post(`/review-requests/${request.id}/respond`, body)).status
  }
  expect([await answer(11), await answer(10)]).toEqual([422, 404])
  const said = async (count: number) =>
    (await mia.post(`/entries/${prop.entry_id}/comments`, { body: 'see', attachment_ids: numbers(count) })).status
  expect([await said(11), await said(10)]).toEqual([422, 404])
})
