/** ph review decide and assign: states without a round, who is asked in one, and who makes the changes. */
import { expect, test } from 'vitest'
import type { Json } from '../../support/api.ts'
import { reviewersOf } from '../../support/reviewing.ts'
import { startTestServer } from '../../support/server.ts'

const server = await startTestServer()
const team = await reviewersOf(server)
const { olivia, adam, mia, max, ok, prop, stateOf, as, ids } = team

const inReview = async (...who: string[]) => team.inReview(await prop(), who)

const reviewOf = async ({ entry_id }: Json) => (await as.mia.get(`/entries/${entry_id}`)).body.review
const roundOf = async (id: number) => (await as.mia.get(`/review-requests/${id}`)).body.request

test('several props are approved, or changes requested of someone, without asking anyone; draft forgets it', async () => {
  const [one, two] = [await prop(), await prop()]
  const { code, stdout } = await max(`review decide approved ${one.name} ${two.name}`)
  expect([code, stdout]).toEqual([0, `${one.name} v1: approved.\n${two.name} v1: approved.\n`])
  const line = ['review', 'decide', 'changes-requested', one.name, '--assign', 'mia', '--note', 'LODs']
  expect((await max(line)).stdout).toBe(`${one.name} v1: changes requested, assigned to mia.\n`)
  expect(await reviewOf(one)).toMatchObject({ state: 'changes_requested', note: 'LODs', assignee: { name: 'mia' } })
  expect((await mia(`review decide draft ${one.name}`)).code).toBe(0)
  expect([await reviewOf(one), await stateOf(two)]).toEqual([null, 'approved'])
})

test('what is assigned to someone only they and admins decide, and that is said; --assign nobody takes it off', async () => {
  const one = await prop()
  await max(`review decide changes_requested ${one.name} --assign mia`)
  const { code, stderr } = await max(`review decide approved ${one.name}`)
  expect([code, stderr]).toEqual([1, expect.stringContaining('It is assigned to mia, who decides on it, as admins do.')])
  expect((await max(`review decide approved ${one.name} --dry-run`)).code).toBe(1)
  expect(await stateOf(one)).toBe('changes_requested')
  expect((await mia(`review decide approved ${one.name}`)).stdout).toBe(`${one.name} v1: approved, assigned to mia.\n`)
  expect(await reviewOf(one)).toMatchObject({ assignee: { name: 'mia' } })
  expect((await mia(`review decide approved ${one.name} --assign nobody`)).code).toBe(0)
  expect(await reviewOf(one)).toMatchObject({ assignee: null })
  expect((await max(`review decide draft ${one.name}`)).code).toBe(0)
})

test('an open review is decided over by who asked or an admin, which closes it; others are told so', async () => {
  const [one, two] = [await inReview('max'), await inReview('max')]
  const refused = await max(`review decide approved ${one.name}`)
  expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining('mia has asked for a review of this version')])
  expect(refused.stderr).toContain(`\`ph review approve ${one.r}\``)
  const dry = await max(`review decide approved ${one.name} ${(await prop()).name} --dry-run --json`)
  expect([dry.code, dry.json()]).toMatchObject([6, { reviews: [{ status: 'failed' }, { status: 'would' }] }])
  expect((await mia(`review decide approved ${one.name}`)).stdout).toBe(
    `${one.name} v1: approved; ${one.r}, which was open, is closed.\n`,
  )
  expect((await roundOf(one.round.id)).status).toBe('superseded')
  expect((await adam(`review decide approved ${two.name}`)).code).toBe(0)
})

test.each([
  ['review decide maybe SM', 'It takes draft, in-review, changes-requested, approved.'],
  ['review decide draft SM --note x', 'A draft has no note and no assignee.'],
  ['review assign SM', 'Nobody was named.'],
  ['review assign SM --add max --to mia', '--to does not go with --add and --remove.'],
  ['review list --mine --waiting-on-me', '--waiting-on-me and --mine exclude each other.'],
  ['review list --waiting-on-me --status completed', 'Only open reviews wait for someone.'],
])('ph %s is wrong usage, and is told what is right', async (line, sentence) => {
  const { code, stderr } = await mia(line)
  expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)])
})

test('more people are asked, and others no longer; taking the last one out who has not answered approves it', async () => {
  const one = await inReview('max', 'olivia')
  const { stdout } = await mia(`review assign ${one.name} --add adam --remove olivia`)
  expect(stdout).toBe(
    `${one.name} v1 (${one.r}): adam is asked too; olivia is asked no longer; max and adam have not answered.\n`,
  )
  await max(`review approve ${one.r}`)
  const { reviews } = await ok('mia', `review assign ${one.r} --remove adam`)
  expect(reviews[0].request).toMatchObject({ status: 'completed', reviewers: [{ user: { name: 'max' } }] })
  expect(await stateOf(one)).toBe('approved')
  const late = await mia(`review assign ${one.r} --add adam`)
  expect([late.code, late.stderr]).toEqual([5, expect.stringContaining('This review is closed: it was completed.')])
})

test('who has left is taken out of a review, which the others then decide; nobody who has left is asked in', async () => {
  const own = await reviewersOf(server)
  const one = await own.inReview(await own.prop(), ['max', 'adam'])
  await own.max(`review approve ${one.r}`)
  const { email, name, display_name } = { email: `adam@${own.slug}.test`, name: 'adam', display_name: 'adam' }
  await server.changeWorkspace(own.slug, {
    members: [{ email, name, display_name, role: 'admin', status: 'disabled' }],
    keys: [],
  })
  expect((await own.mia(`review assign ${one.r} --add adam`)).stderr).toContain('adam has left the workspace.')
  expect((await own.mia(`review assign ${one.r} --remove adam`)).stdout).toBe(
    `${one.name} v1 (${one.r}): adam is asked no longer; the review of max is completed.\n`,
  )
  expect(await own.stateOf(one)).toBe('approved')
})

test('who did not ask changes nobody; nobody may be left out entirely, or be added and removed', async () => {
  const one = await inReview('max')
  const other = await max(`review assign ${one.r} --add olivia`)
  expect([other.code, other.stderr]).toEqual([
    1,
    expect.stringContaining('Only mia, who asked for it, or an admin may change who reviews.'),
  ])
  const none = await mia(`review assign ${one.r} --remove max`)
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('Nobody would be left to review it.')])
  expect((await mia(`review assign ${one.r} --add adam --remove adam`)).stderr).toContain(
    'adam is named with --add and with --remove.',
  )
  expect((await roundOf(one.round.id)).reviewers).toHaveLength(1)
})

test('--to says who makes the changes of a review that is over, and keeps its state and its note', async () => {
  const one = await prop()
  await mia(['review', 'decide', 'changes-requested', one.name, '--note', 'LODs'])
  const { code, stdout } = await mia(`review assign ${one.name} --to max`)
  expect([code, stdout]).toEqual([0, `${one.name} v1: changes requested; assigned to max.\n`])
  expect(await reviewOf(one)).toMatchObject({ state: 'changes_requested', note: 'LODs', assignee: { name: 'max' } })
  expect((await olivia(`review assign ${one.name} --to nobody`)).code).toBe(0)
  expect(await reviewOf(one)).toMatchObject({ note: 'LODs', assignee: null })
})

test('a draft has nothing to assign, and in an open review who requested changes says who makes them', async () => {
  const draft = await mia(`review assign ${(await prop()).name} --to max`)
  expect([draft.code, draft.stderr]).toEqual([5, expect.stringContaining('v1 is a draft')])
  const one = await inReview('max')
  await max(['review', 'changes', one.r, '--note', 'LODs'])
  const other = await mia(`review assign ${one.r} --to olivia`)
  expect([other.code, other.stderr]).toEqual([5, expect.stringContaining(`${one.r} is open`)])
  expect((await max(`review assign ${one.r} --to olivia`)).code).toBe(0)
  const [answer] = (await roundOf(one.round.id)).reviewers
  expect(answer).toMatchObject({ response: 'changes_requested', note: 'LODs', assign_to: ids.olivia })
})
