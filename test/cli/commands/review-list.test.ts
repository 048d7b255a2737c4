/** ph review list and show: what is open, what waits for whom, and all that is known of one review. */
import { expect, test } from 'vitest'
import type { Json } from '../../support/api.ts'
import { pngOf } from '../../support/media.ts'
import { reviewersOf } from '../../support/reviewing.ts'
import { startTestServer } from '../../support/server.ts'

const server = await startTestServer()

const studio = () => reviewersOf(server)

test('open reviews are listed newest first with who has not answered; a terminal says how many wait for you', async () => {
  const { max, olivia, inReview, prop } = await studio()
  const one = await inReview(await prop(), ['max', 'olivia'])
  const two = await inReview(await prop(), ['max'], { note: 'new\nrings' })
  await olivia(`review approve ${one.r}`)
  const { stdout, stderr } = await max('review list', { columns: 140 })
  expect(stdout.split('\n')[0]).toMatch(/^REVIEW +NAME +ANSWERS +WAITING FOR +BY +ASKED +VERSION +NOTE$/)
  expect(stdout.split('\n')[1]).toMatch(
    new RegExp(`^${two.r} +${two.name} +0 of 1 approved +max +mia +just now +current +new rings$`),
  )
  expect(stdout.split('\n')[2]).toMatch(new RegExp(`^${one.r} +${one.name} +1 of 2 approved +max +mia`))
  expect(stderr).toContain('2 wait for your answer: `ph review list --waiting-on-me`')
  const narrow = await max('review list', { columns: 40 })
  expect(narrow.stdout).toMatch(/^REVIEW +NAME +WAITING FOR\n/)
  expect(Math.max(...narrow.stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(40)
})

test('views and states narrow it: what waits for me, what I asked for, what was cancelled, all of it', async () => {
  const { max, mia, ok, inReview, prop } = await studio()
  const one = await inReview(await prop(), ['max'])
  const two = await inReview(await prop(), ['olivia'])
  await mia(`review cancel ${two.r}`)
  const namesOf = async (who: 'max' | 'mia' | 'olivia', options: string) => {
    const { requests, waiting } = await ok(who, `review list ${options}`.trim())
    return [requests.map(({ id }: Json) => `r${id}`), waiting]
  }
  expect(await namesOf('max', '--waiting-on-me')).toEqual([[one.r], 1])
  expect(await namesOf('mia', '--mine')).toEqual([[one.r], 0])
  expect(await namesOf('olivia', '--waiting-on-me')).toEqual([[], 0])
  expect(await namesOf('max', '--status cancelled')).toEqual([[two.r], 1])
  expect(await namesOf('max', '--status all')).toEqual([[two.r, one.r], 1])
  const three = await inReview(await prop(), ['max', 'olivia'])
  await max(`review approve ${three.r}`)
  expect((await ok('max', `review list ${three.name} --waiting-on-me`)).requests).toEqual([])
  expect((await ok('olivia', `review list ${three.name} --waiting-on-me`)).requests).toHaveLength(1)
  expect((await mia('review list --status cancelled')).stdout).toContain('\t0 of 1 approved\t-\t')
  expect((await mia(`review show ${two.r}`)).stdout).toContain('  olivia  did not answer\n')
  await mia(`review cancel ${three.r}`)
  await max(`review approve ${one.r}`)
  expect((await max('review list --waiting-on-me')).stdout).toBe('No review waits for your answer.\n')
  expect((await mia('review list --mine')).stdout).toBe('You have asked for no open reviews.\n')
})

test('the reviews of one prop, with the same views, and whether the reviewed version is still current', async () => {
  const { mia, ok, inReview, prop, next } = await studio()
  await inReview(await prop(), ['max'])
  const one = await inReview(await prop(), ['max'])
  const two = await inReview(await next(one), ['olivia'])
  const { requests } = await ok('max', `review list ${one.name} --status all`)
  expect(requests).toMatchObject([
    { id: two.round.id, status: 'open', entry: { name: one.name, face_object_id: two.object_id } },
    { id: one.round.id, status: 'superseded', entry: { id: one.entry_id } },
  ])
  const { stdout } = await mia(`review list ${one.name} --status all`)
  expect(stdout).toMatch(/\tcurrent\topen\t-\n.*\tnot current\tsuperseded\t-\n$/)
  expect((await ok('max', `review list ${one.name} --waiting-on-me`)).requests).toEqual([])
  expect((await ok('mia', `review list ${one.name} --mine`)).requests).toHaveLength(1)
  const page = await ok('mia', `review list ${one.name} --status all --limit 1`)
  expect([page.requests[0].id, page.next_cursor]).toEqual([two.round.id, two.round.id])
  const rest = await ok('mia', `review list ${one.name} --status all --cursor ${page.next_cursor}`)
  expect([rest.requests.map(({ id }: Json) => id), rest.next_cursor]).toEqual([[one.round.id], null])
})

test('pages are put together up to --limit, and --cursor goes on behind it; the rest is announced', async () => {
  const { max, ok, inReview, prop } = await studio()
  const rounds = []
  for (let at = 0; at < 3; at++) rounds.push(await inReview(await prop(), ['max']))
  const [first, second, third] = rounds.map(({ r }) => r)
  const { stdout, stderr } = await max('review list --limit 2')
  expect([stdout.split('\t')[0], stderr]).toEqual([
    third,
    expect.stringContaining('2 reviews shown; there are more: raise --limit.'),
  ])
  const page = await ok('max', 'review list --limit 2')
  expect(page.requests.map(({ id }: Json) => `r${id}`)).toEqual([third, second])
  const rest = await ok('max', `review list --cursor ${page.next_cursor}`)
  expect([rest.requests.map(({ id }: Json) => `r${id}`), rest.next_cursor]).toEqual([[first], null])
})

test('a review is shown with note, pictures, who answered what and when, who has not, and what depends on it', async () => {
  const { max, olivia, as, inReview, prop } = await studio()
  const picture = (await as.mia.post('/attachments', await pngOf(3, 2), { 'content-type': 'image/png' })).body
  const one = await inReview(await prop(), ['max', 'olivia', 'adam'], {
    note: 'New rings\n\nand a hook',
    attachment_ids: [picture.id],
  })
  await max(['review', 'changes', one.r, '--note', 'Too thick\u001b[31m\u202e'])
  await olivia(`review approve ${one.r}`)
  const { stdout } = await max(`review show ${one.name}`)
  expect(stdout).toContain(`${one.name} v1  ${one.r}, open\nStaticMesh\n`)
  expect(stdout).toContain('state      changes requested, assigned to mia\nasked by   mia, just now\n')
  expect(stdout).toContain('note       New rings\n\n           and a hook\n')
  expect(stdout).toContain(`pictures   3 x 2 (attachment ${picture.id})\n`)
  expect(stdout).toContain(
    'Answers\n  max     changes requested of mia, just now\n      Too thick\ufffd[31m\ufffd\n  olivia  approved, just now\n  adam    has not answered\n',
  )
  expect(stdout).toContain('What depends on it\n  No entry uses it. It was pulled into no project.\n')
  expect(stdout).toContain(`→ \`ph review approve ${one.r}\` or`)
})

test('beside it stand the version that was approved before, what came since, and the other reviews', async () => {
  const { max, mia, olivia, ok, inReview, prop, next } = await studio()
  const one = await inReview(await prop(), ['max'])
  await max(`review approve ${one.r}`)
  const two = await inReview(await next(one), ['olivia'])
  const three = await next({ ...two, item: { ...one.item, content_hash: two.content_hash } })
  const { stdout } = await mia(`review show ${two.r}`)
  expect(stdout).toContain('StaticMesh, not the current version: that is v3\n')
  expect(stdout).toMatch(
    /Since v1, which was approved\nThe bytes differ; measures and dependencies are the same.*\n {2}v2 {2}just now by mia\n/,
  )
  expect(stdout).toContain(
    `Other reviews of ${one.name}\n  ${one.r}  completed; asked by mia just now; everyone who was asked has approved\n`,
  )
  const report = await ok('olivia', `review show ${two.r}`)
  expect(report).toMatchObject({
    entry: { id: one.entry_id },
    ...{ request: { id: two.round.id }, version: { object_id: two.object_id }, current: { object_id: three.object_id } },
    approved: { object_id: one.object_id },
    since_approved: [{ object_id: two.object_id }],
    ...{ impact: { direct_entries: 0, entries: 0, projects: [] }, other_requests: [{ id: one.round.id }] },
  })
  expect((await olivia(`review show ${one.name} --json`)).json()).toMatchObject({ request: { id: two.round.id } })
})

test('what depends on it is said in words: which entries use it, and into which projects it was pulled', async () => {
  const { impactLines } = await import('../../../cli/commands/review/show-words.ts')
  const words = (direct_entries: number, entries: number, projects: string[]) =>
    impactLines({ direct_entries, entries, projects }, Number.POSITIVE_INFINITY)
  expect(words(0, 1, [])).toEqual(['  1 entry uses it, none directly. It was pulled into no project.'])
  expect(words(2, 7, ['Inn', 'Tavern\u001b'])).toEqual([
    '  7 entries use it, 2 of them directly. It was pulled into Inn and Tavern\ufffd.',
  ])
  expect(words(2, 2, [...'abcdefgh'])).toEqual(['  2 entries use it, directly. It was pulled into a, b, c, d, e, f and 2 more.'])
})

test('a prop that nobody was asked about is shown with what was decided of it, and how to ask', async () => {
  const { mia, max, prop } = await studio()
  const one = await prop()
  const draft = await mia(`review show ${one.name}`)
  expect(draft.stdout).toContain('state      draft\n')
  expect(draft.stdout).toContain(`→ \`ph review request ${one.entry_id}\` asks for a review.`)
  await max(['review', 'decide', 'changes-requested', one.name, '--note', 'LODs', '--assign', 'mia'])
  const decided = await mia(`review show ${one.name}`)
  expect(decided.stdout).toContain('state      changes requested, assigned to mia\ndecided by max, just now\n')
  expect(decided.stdout).toContain('note       LODs\n')
})

test('on a terminal with pictures the prop is drawn beside the words, and what people attached below', async () => {
  const { max, as, inReview, prop } = await studio()
  const one = await prop()
  await as.mia.put(`/entries/${one.entry_id}/thumbnail?object_id=${one.object_id}`, await pngOf(32, 32), {
    'content-type': 'image/png',
  })
  const picture = (await as.mia.post('/attachments', await pngOf(30, 20), { 'content-type': 'image/png' })).body
  const { r } = await inReview(one, ['max'], { attachment_ids: [picture.id] })
  const env = { PH_PICTURES: 'blocks', NO_COLOR: '', FORCE_COLOR: '3', COLORTERM: 'truecolor' }
  const drawn = await max(`review show ${r}`, { columns: 120, env })
  expect(drawn.stdout.match(/▀/g)?.length ?? 0).toBeGreaterThan(40)
  expect(drawn.stdout).toContain('picture of mia')
  const bare = await max(`review show ${r} --no-pictures`, { columns: 120, env })
  expect(bare.stdout).not.toMatch(/▀|picture of mia/)
})

test('what is different from the approved version stands in the review, with both pictures side by side', async () => {
  const { max, as, inReview, prop, next, ok } = await studio()
  const first = await prop()
  const picture = async (of: Json, edge: number) =>
    as.mia.put(`/entries/${first.entry_id}/thumbnail?object_id=${of.object_id}`, await pngOf(edge, edge), {
      'content-type': 'image/png',
    })
  await picture(first, 32)
  await max(`review decide approved ${first.name}`)
  const second = await next(first)
  await picture(second, 48)
  const { r } = await inReview(second, ['max'])
  const { against_approved: against } = await ok('max', `review show ${r}`)
  expect(against).toMatchObject({ approved: { object_id: first.object_id }, version: { object_id: second.object_id } })
  expect(against.comparison).toMatchObject({ identical: false, dependencies: { added: [], gone: [] } })
  const env = { PH_PICTURES: 'blocks', NO_COLOR: '', FORCE_COLOR: '3', COLORTERM: 'truecolor' }
  const { stdout } = await max(`review show ${r}`, { columns: 120, env })
  expect(stdout).toMatch(/v1, approved +v2, under review/)
})
