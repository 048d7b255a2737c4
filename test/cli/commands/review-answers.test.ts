/** ph review approve, changes and cancel: what those who were asked answer, and the end of a round. */
import { expect, test } from 'vitest'
import type { Json } from '../../support/api.ts'
import { pngOf } from '../../support/media.ts'
import { reviewersOf } from '../../support/reviewing.ts'
import { startTestServer } from '../../support/server.ts'
import { opened, requestOf } from '../../support/team.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const server = await startTestServer()
const team = await reviewersOf(server)
const { olivia, adam, mia, max, ok, prop, next, stateOf, as, ids } = team

/** Mia asks about a prop of hers. */
const asked = async (...who: string[]) => team.inReview(await prop(), who)

test('who was asked approves by the name of the prop; with the last answer everyone has, and the version is approved', async () => {
  const one = await asked('max', 'olivia')
  const first = await max(['review', 'approve', one.name, '--note', 'Great'])
  expect([first.code, first.stdout]).toEqual([0, `${one.name} v1 (${one.r}): approved; olivia has not answered.\n`])
  const { stdout } = await olivia(`review approve ${one.r}`)
  expect(stdout).toBe(`${one.name} v1 (${one.r}): approved; everyone who was asked has approved.\n`)
  expect(await stateOf(one)).toBe('approved')
})

test('changes are requested of who asked, or of someone else, with a note and a picture', async () => {
  const one = await asked('max', 'olivia')
  const cwd = temporaryFolder({ 'over.png': await pngOf(5, 4) })
  const { stdout } = await max(['review', 'changes', one.name, '--note', 'Too thick', '--image', 'over.png'], { cwd })
  expect(stdout).toBe(`${one.name} v1 (${one.r}): changes requested of mia; olivia has not answered.\n`)
  const { reviews } = await ok('olivia', ['review', 'changes', one.r, '--note', 'LODs', '--assign', 'adam'])
  expect(reviews[0].outcome).toBe('changes requested of adam; max requested changes')
  const [first, second] = reviews[0].request.reviewers
  expect(first).toMatchObject({ note: 'Too thick', assign_to: ids.mia, attachments: [{ width: 5 }] })
  expect(second).toMatchObject({ note: 'LODs', assign_to: ids.adam })
  expect(await stateOf(one)).toBe('changes_requested')
})

test('requested changes have to be said: a script is told how, a person is asked, and an empty answer changes nothing', async () => {
  const one = await asked('max')
  const script = await max(`review changes ${one.r}`)
  expect([script.code, script.stderr]).toEqual([2, expect.stringContaining('--note "The rings are too thick"')])
  const empty = await max(`review changes ${one.r}`, { columns: 80, typed: ['\n'] })
  expect([empty.code, empty.stderr]).toEqual([1, expect.stringContaining('Nothing was changed.')])
  expect(await stateOf(one)).toBe('in_review')
  const person = await max(`review changes ${one.r}`, { columns: 80, typed: ['Too thick\n'] })
  expect(person.code).toBe(0)
  expect((await as.mia.get(`/review-requests/${one.round.id}`)).body.request.reviewers[0].note).toBe('Too thick')
})

test('who was not asked is told who can add them; an admin is told how to add themselves', async () => {
  const one = await asked('max')
  const { code, stderr } = await olivia(`review approve ${one.r}`)
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(`error: ${one.name} v1 (${one.r}): You were not asked to review it.`),
  ])
  expect(stderr).toContain(`\`ph review assign ${one.r} --add me\``)
  const other = await asked('olivia')
  expect((await max(`review approve ${other.r}`)).stderr).toContain('mia, who asked for it, or an admin can add you')
})

test('of several each is answered by itself: the sentence of one that cannot be has the reason and what to do', async () => {
  const [one, two] = [await asked('max'), await asked('max')]
  await as.mia.post(`/review-requests/${two.round.id}/cancel`)
  const { code, stdout } = await max(`review approve ${one.name} ${two.r} ${one.r}`)
  expect(code).toBe(6)
  expect(stdout).toBe(
    [
      `${one.name} v1 (${one.r}): approved; everyone who was asked has approved.`,
      `${two.name} v1 (${two.r}): not possible. This review is closed: it was cancelled.`,
      `    → See what came of it: \`ph review show ${two.r}\``,
      '',
    ].join('\n'),
  )
  const again = await max(`review approve ${one.r} ${two.r} --json`)
  expect(again.code).toBe(5)
  expect(again.json()).toMatchObject({ done: 0, failed: 2, reviews: [{ error: { code: 'CONFLICT' } }, { status: 'failed' }] })
})

test('one that is not there ends it before anything is answered', async () => {
  const one = await asked('max')
  const { code, stderr } = await max(`review approve ${one.r} r999999`)
  expect([code, stderr]).toEqual([1, expect.stringContaining('There is no review request 999999')])
  expect(stderr).toContain('`ph review list --status all`')
  expect(await stateOf(one)).toBe('in_review')
})

test('a prop without an open review is named with what to do; a number alone is an entry, and that is said', async () => {
  const one = await prop()
  const { code, stderr } = await max(`review approve ${one.name}`)
  expect([code, stderr]).toEqual([1, expect.stringContaining(`No review of ${one.name} is open.`)])
  expect(stderr).toContain('`ph review request`')
  expect((await max(`review approve ${one.entry_id}`)).stderr).toContain(`a review is written r${one.entry_id}.`)
})

test('of several open reviews of a prop the one that asks you is meant, else that of the current version, else they are named', async () => {
  const one = await asked('max')
  const two = await next(one)
  const newer = await opened(as.mia.post(...requestOf(two, [ids.olivia])))
  // The older version becomes current again: another round on it leaves that of the newer one open.
  const restore = (of: Json) => as.mia.post(`/entries/${one.entry_id}/restore`, { object_id: of.object_id })
  await restore(one)
  const older = await opened(as.mia.post(...requestOf(one, [ids.max])))
  const cancelling = () => mia(`review cancel ${one.name} --dry-run`)
  expect((await olivia(`review approve ${one.name} --dry-run`)).stderr).toContain(`Its review, r${newer.id}, is of v2,`)
  expect((await cancelling()).stdout).toContain(`${one.name} v1 (r${older.id}): would be cancelled.`)
  await restore(two)
  expect((await cancelling()).stdout).toContain(`${one.name} v2 (r${newer.id}): would be cancelled.`)
  expect((await mia(`review decide approved ${one.name} --dry-run`)).stdout).toContain(`r${newer.id}, which was open, is closed.`)
  await next({ ...two, item: { ...one.item, content_hash: two.content_hash } })
  const { code, stderr } = await cancelling()
  expect([code, stderr]).toEqual([1, expect.stringContaining(`open, of earlier versions: r${older.id}, r${newer.id}.`)])
})

test('an answer to a version that is not current any more counts for that version, and says so', async () => {
  const one = await asked('max')
  await next(one)
  const { stdout } = await max(`review approve ${one.r}`)
  expect(stdout).toBe(
    `${one.name} v1 (${one.r}): approved; everyone who was asked has approved; another version is current by now.\n`,
  )
  expect(await stateOf(one)).toBe('draft')
})

test.each(['approve', 'changes'])(
  'a prop whose review is of an older version is not answered by its name: ph review %s asks which one is meant',
  async (verb) => {
    const one = await asked('max')
    await next(one)
    const line = (what: string) => `review ${verb} ${what} --note rims`
    for (const words of [line(one.name), `${line(one.name)} --dry-run`]) {
      const { code, stderr } = await max(words)
      expect([code, stderr.replaceAll(/\s+/g, ' ')]).toEqual([
        5,
        expect.stringContaining(`Its review, ${one.r}, is of v1, and another version is current by now. next: See both with`),
      ])
      expect(stderr.replaceAll(/\s+/g, ' ')).toContain(`\`ph review ${verb} ${one.r}\``)
    }
    const no = await max(line(one.name), { columns: 100, typed: ['n\n'] })
    expect([no.code === 0, no.stderr.replaceAll(/\s+/g, ' ')]).toEqual([
      false,
      expect.stringContaining('another version is current by now.'),
    ])
    expect((await max(line(one.name), { columns: 100, typed: ['y\n'] })).stdout).toContain(
      `${one.name} v1 (${one.r}): ${verb === 'approve' ? 'approved' : 'changes requested'}`,
    )
    // As it is advised where nobody can be asked.
    const two = await asked('max')
    await next(two)
    const [, advised = ''] = /`ph (review \w+ r\d+)`\s*$/.exec((await max(line(two.name))).stderr) ?? []
    expect((await max(`${advised} --note rims`)).code).toBe(0)
  },
)

test('what waits is piped from the list into an answer', async () => {
  const own = await reviewersOf(server)
  const two = [await own.prop(), await own.prop()]
  const { members: people } = (await own.as.mia.get('/members')).body
  const maxId = people.find(({ name }: Json) => name === 'max').id
  for (const one of two) await own.as.mia.post(...requestOf(one, [maxId]))
  const list = await own.max('review list --waiting-on-me --ids')
  expect(list.stdout).toMatch(/^r\d+\nr\d+\n$/)
  expect((await own.max('review approve -', { stdin: list.stdout })).code).toBe(0)
  expect(await Promise.all(two.map(own.stateOf))).toEqual(['approved', 'approved'])
})

test('who asked, or an admin, cancels; an unanswered version is a draft again; others are told who may', async () => {
  const [one, two] = [await asked('max', 'olivia'), await asked('max', 'olivia')]
  const refused = await max(`review cancel ${one.name}`)
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining(`${one.name} v1 (${one.r}): Only mia, who asked for it, or an admin may cancel it.`),
  ])
  const { stdout } = await mia(`review cancel ${one.name}`)
  expect(stdout).toBe(`${one.name} v1 (${one.r}): ${one.r} is cancelled; the version is a draft again.\n`)
  expect(await stateOf(one)).toBe('draft')
  await max(`review approve ${two.r}`)
  expect((await adam(`review cancel ${two.r}`)).stdout).toContain('what was answered stays')
})

test('a dry run answers nothing, and says what would be refused', async () => {
  const one = await asked('max')
  expect((await max(`review approve ${one.r} --dry-run`)).stdout).toContain(`(${one.r}): would be approved.`)
  expect((await olivia(`review approve ${one.r} --dry-run`)).code).toBe(1)
  expect(await stateOf(one)).toBe('in_review')
  expect((await team.reads(`review approve ${one.r}`)).stderr).toContain('This key is read-only.')
})
