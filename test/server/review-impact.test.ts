/** What a round shows of its reach, and who is suggested for one (contract-gaps 9). */
import { expect, test } from 'vitest'
import type { Json } from '../support/api.ts'
import { type Item, item, plainFile, pushed } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'
import { bodyOf, opened, propOf, requestOf, type Team, teamOf } from '../support/team.ts'

const server = await startTestServer()

const needs = (...items: Item[]): Json => ({ dependencies: items.map((one) => ({ content_hash: one.content_hash })) })
/** A pull that is carried out, unless it is left waiting. */
async function pulled(as: Team['as'], project: string, { prop, isDone }: { prop: Json; isDone: boolean }): Promise<void> {
  const job = bodyOf(await as.mia.post('/pull-jobs', { target_project: project, entries: [{ entry_id: prop.entry_id }] }), 201)
  if (!isDone) return
  const { claim_token } = bodyOf(
    await as.mia.post(`/pull-jobs/${job.id}/claim`, { project_key: project, engine_version: '5.4.0' }),
  )
  bodyOf(await as.mia.patch(`/pull-jobs/${job.id}`, { status: 'running', claim_token }))
  const { objects } = bodyOf(await as.mia.get(`/pull-jobs/${job.id}/closure`))
  const added = objects.map(({ asset_name, content_hash, lineage_id, origin_path }: Json) => ({
    ...{ asset_name, content_hash, lineage_id, destination: origin_path, action: 'add' },
  }))
  const report_json = { added, skipped_identical: [], conflicts: [], failed: [] }
  bodyOf(await as.mia.patch(`/pull-jobs/${job.id}`, { status: 'done', claim_token, report_json }))
}

test('a round counts the entries that need a version of its prop, directly and in all, and names the projects it was pulled into', async () => {
  const team = await teamOf(server)
  const base = item()
  const between = plainFile(needs(base))
  const [direct, indirect, alone] = [item(needs(base)), item(needs(between)), item()]
  const [made, , user, far] = (await pushed(team.as.mia, [base, between, direct, indirect, alone])) as [Json, Json, Json, Json]
  const second = item({ asset_name: base.asset_name, stamped_lineage_id: made.lineage_id, stamped_base_hash: base.content_hash })
  const [next] = (await pushed(team.as.mia, [second])) as [Json]
  await pushed(team.as.mia, [item(needs(second, direct))])
  await pulled(team.as, 'Tavern', { prop: user, isDone: true })
  await pulled(team.as, 'Castle', { prop: far, isDone: true })
  await pulled(team.as, 'Castle', { prop: made, isDone: true })
  await pulled(team.as, 'Never', { prop: user, isDone: false })
  const round = await opened(team.as.mia.post(...requestOf({ ...made, object_id: next.object_id }, [team.ids.max])))
  const { request } = bodyOf(await team.as.max.get(`/review-requests/${round.id}`))
  expect(request.impact).toEqual({ direct_entries: 2, entries: 3, projects: ['Castle', 'Tavern'] })
  const [listed] = bodyOf(await team.as.max.get('/review-requests')).requests
  expect(listed.impact).toBeUndefined()
})

test('people are suggested by what they did with the prop and with what uses it, best first, never oneself or who cannot review', async () => {
  const team = await teamOf(server, { bot: { kind: 'api' }, lena: {}, rita: {} })
  const { as, ids, slug } = team
  const base = item()
  const [prop] = (await pushed(as.bot, [base])) as [Json]
  const [user] = (await pushed(as.rita, [item(needs(base))])) as [Json]
  const decide = async (who: Team['as']['mia'], on: Json) =>
    bodyOf(await who.put(`/entries/${on.entry_id}/review`, { object_id: on.object_id, state: 'in_review' }))
  await decide(as.adam, prop)
  await decide(as.lena, prop)
  await decide(as.olivia, user)
  bodyOf(await as.max.post(`/entries/${prop.entry_id}/comments`, { body: 'Nice' }), 201)
  bodyOf(await as.max.post(`/entries/${user.entry_id}/comments`, { body: 'Nice too' }), 201)
  await opened(as.mia.post(...requestOf(prop, [ids.max])))
  const lena = {
    email: `lena@${slug}.test`,
    name: 'lena',
    display_name: 'lena',
    role: 'member' as const,
    status: 'disabled' as const,
  }
  await server.changeWorkspace(slug, { members: [lena] })
  const suggested = async (who: Team['as']['mia']) =>
    bodyOf(await who.get(`/entries/${prop.entry_id}/review-suggestions`)).people.map((one: Json) => [one.user.id, one.reasons])
  const others = [
    [ids.max, ['commented', 'commented_dependent']],
    [ids.olivia, ['reviewed_dependent']],
    [ids.rita, ['pushed_dependent']],
  ]
  expect(await suggested(as.mia)).toEqual([[ids.adam, ['reviewed']], ...others])
  expect(await suggested(as.adam)).toEqual(others)
  expect((await as.mia.get('/entries/987654321/review-suggestions')).body.error.code).toBe('ENTRY_NOT_FOUND')
})

test('at most ten people are suggested', async () => {
  const names = Array.from({ length: 12 }, (_, n) => `p${n}`)
  const { as } = await teamOf(server, Object.fromEntries(names.map((name) => [name, {}])) as Record<`p${number}`, object>)
  const prop = await propOf(as.mia)
  for (const who of names.map((name) => as[name as keyof typeof as] ?? expect.fail(name))) {
    bodyOf(await who.put(`/entries/${prop.entry_id}/review`, { object_id: prop.object_id, state: 'approved' }))
  }
  expect(bodyOf(await as.max.get(`/entries/${prop.entry_id}/review-suggestions`)).people).toHaveLength(10)
})
