/** ph review request: people are asked about current versions, with a note and pictures, or chosen among those whom the library suggests. */
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { startFront } from '../../support/http-front.ts'
import { pngOf } from '../../support/media.ts'
import { reviewersOf } from '../../support/reviewing.ts'
import { startTestServer } from '../../support/server.ts'
import { propOf } from '../../support/team.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const server = await startTestServer()
const team = await reviewersOf(server)
const { olivia, mia, ok, prop, next, stateOf, as } = team

const openOf = async ({ entry_id }: { entry_id: number }) =>
  (await as.mia.get(`/entries/${entry_id}/review-requests?status=open`)).body.requests

test('people are asked by login name, in one option with commas or in several, with a note and a picture; the version is in review', async () => {
  const one = await prop()
  const cwd = temporaryFolder({ 'shot.png': await pngOf(3, 2) })
  const line = ['review', 'request', one.name, '--reviewer', 'max,Olivia', '--reviewer', '@max']
  const { code, stdout } = await mia([...line, '--note', 'New rings, @adam', '--image', 'shot.png'], { cwd })
  expect(code).toBe(0)
  expect(stdout).toMatch(
    /^SM_\w+ v1 \(r\d+\): max and olivia are asked to review it; mentioned: adam; 1 picture\.\n→ `ph review show r\d+` says who has answered\.\n$/,
  )
  const [round] = await openOf(one)
  expect(round).toMatchObject({ note: 'New rings, @adam', attachments: [{ width: 3, height: 2 }] })
  expect(round.reviewers.map(({ user }: { user: { name: string } }) => user.name)).toEqual(['max', 'olivia'])
  expect(await stateOf(one)).toBe('in_review')
})

test('several props are asked about at once, each with pictures of its own; the JSON says each round', async () => {
  const [one, two] = [await prop(), await prop()]
  const cwd = temporaryFolder({ 'shot.png': await pngOf(3, 2) })
  const answer = await ok(
    'mia',
    `review request ${one.name} ${two.entry_id} --reviewer max,max --image shot.png --image shot.png`,
    {
      cwd,
    },
  )
  expect(answer).toMatchObject({
    ...{ dry_run: false, reviewers: [{ name: 'max' }], suggestions: [], done: 2, failed: 0 },
    reviews: [
      { name: one.name, version: 'v1', status: 'done', request: { status: 'open', attachments: [{ width: 3 }] } },
      { entry_id: two.entry_id, status: 'done', request: { attachments: [{ width: 3 }] } },
    ],
  })
})

test('a version that is under review is not asked about again: who did it, in which round, and what to do is said', async () => {
  const [one, two] = [await prop(), await prop()]
  const { reviews } = await ok('olivia', `review request ${one.name} --reviewer max`)
  const round = `r${reviews[0].request_id}`
  const alone = await mia(`review request ${one.name} --reviewer max`)
  expect(alone.code).toBe(5)
  expect(alone.stderr).toContain(`error: ${one.name} v1: olivia has asked for a review of this version already: ${round}.`)
  expect(alone.stderr).toContain(`\`ph review assign ${round} --add <who>\``)
  const both = await mia(`review request ${one.name} ${two.name} --reviewer max`)
  expect(both.code).toBe(6)
  expect(both.stdout).toContain(`${one.name} v1: not possible. olivia has asked`)
  expect(both.stdout).toContain(`${two.name} v1 (r`)
})

test('without reviewers people are suggested with the reason: a script is told to name them, and a dry run lists them', async () => {
  const one = await prop()
  const { code, stderr } = await olivia(`review request ${one.name}`)
  expect(code).toBe(2)
  expect(stderr).toContain(`Nobody was named to review ${one.name} v1. These could: mia (pushed it).`)
  expect(stderr).toContain('--reviewer mia')
  const { error } = JSON.parse((await olivia(`review request ${one.name} --json`)).stderr)
  expect(error).toMatchObject({ code: 'NO_REVIEWER', details: { suggestions: [{ user: { name: 'mia' }, reasons: ['pushed'] }] } })
  expect((await olivia(`review request ${one.name} --dry-run`)).stdout).toContain('  1  mia  pushed it\n')
  const alone = await mia(`review request ${one.name}`)
  expect(alone.stderr).toContain('There are olivia, adam and max.')
  expect(await openOf(one)).toEqual([])
})

test('of several props those who know most of them are suggested first', async () => {
  const three = [{ ...(await propOf(as.adam)), name: '' }, await prop(), await prop()]
  for (const { entry_id } of three) await as.max.post(`/entries/${entry_id}/comments`, { body: 'hello' })
  const line = ['review', 'request', ...three.map(({ entry_id }) => String(entry_id)), '--dry-run']
  const { suggestions } = await ok('olivia', line)
  const names = suggestions.map(({ user }: { user: { name: string } }) => user.name)
  // Each prop names who pushed it before Max, but no two of them the same people.
  expect(names).toEqual(['mia', 'max', 'adam'])
  const two = await ok('olivia', ['review', 'request', String(three[0]?.entry_id), String(three[2]?.entry_id), '--dry-run'])
  expect(two.suggestions).toHaveLength(3)
})

test('a server that suggests nobody is asked all the same: people are named by who asks', async () => {
  const one = await prop()
  const { url } = await startFront({ to: () => team.url, plain: true })
  const { code, stderr } = await olivia(`review request ${one.name}`, { env: { PH_URL: url } })
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining(`Nobody was named to review ${one.name} v1. There are adam, mia and max.`),
  ])
  expect((await olivia(`review request ${one.name} --reviewer me`, { env: { PH_URL: url } })).stdout).toContain('olivia is asked')
})

test('who has left, an API identity, a display name of two people, and more people than a review takes are refused by name', async () => {
  const own = await reviewersOf(server)
  const email = (name: string) => `${name}@${own.slug}.test`
  const member = (name: string, display_name: string, more: object = {}) => ({
    ...{ email: email(name), name, display_name, role: 'member' as const },
    ...more,
  })
  await server.changeWorkspace(own.slug, {
    members: [
      member('ina', 'Ina', { status: 'disabled' }),
      member('bot', 'Bot', { kind: 'api' }),
      ...[member('sam', 'Sam K'), member('sam-k', 'Sam K'), member('old', 'Ann', { status: 'disabled' }), member('ann', 'Ann B')],
      ...Array.from({ length: 21 }, (_, at) => member(`extra${at}`, `Extra ${at}`)),
    ],
    keys: [],
  })
  const one = await own.prop()
  const asking = (who: string) => own.mia(['review', 'request', one.name, '--reviewer', who])
  expect((await asking('ina')).stderr).toContain('Ina has left the workspace.')
  expect((await asking('Bot')).stderr).toContain('Bot is an API identity, and those review nothing.')
  expect((await asking('sam k')).stderr).toContain('sam and sam-k are all called "sam k".')
  const many = await asking(Array.from({ length: 21 }, (_, at) => `extra${at}`).join(','))
  expect([many.code, many.stderr]).toEqual([2, expect.stringContaining('up to 20 people, and these are 21')])
  expect((await asking('Ann,Sam')).stdout).toContain('Ann B and Sam K are asked')
})

test('on a terminal the suggested are offered: Enter takes the first, numbers and names choose, a wrong one is asked again', async () => {
  const one = await prop()
  await as.max.post(`/entries/${one.entry_id}/comments`, { body: 'hello' })
  const first = await olivia(`review request ${one.name}`, { columns: 80, typed: ['\n'] })
  expect(first.stderr).toContain(`Who should review ${one.name} v1?\n  1  mia  pushed it\n  2  max  commented on it\n`)
  expect(first.stdout).toContain('mia is asked to review it')
  const two = await next(one)
  const second = await olivia(`review request ${two.name}`, { columns: 40, typed: ['9\n', '2, adam\n'] })
  expect(second.stderr).toContain('Nobody here is called "9".')
  expect(second.stdout.replaceAll(/\s+/g, ' ')).toContain('max and adam are asked to review it')
  expect(Math.max(...second.stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(40)
})

test('on a terminal - asks nobody, and so does Enter where nobody is suggested', async () => {
  const one = await prop()
  const declined = await olivia(`review request ${one.name}`, { columns: 80, typed: ['-\n'] })
  expect([declined.code, declined.stderr]).toEqual([1, expect.stringContaining('Nobody was asked.')])
  const alone = await mia(`review request ${one.name}`, { columns: 120, typed: ['\n'] })
  expect(alone.stderr).toContain('Type names, with commas between several: olivia, adam and max.')
  expect(alone.code).toBe(1)
  expect(await openOf(one)).toEqual([])
})

test('--version holds the request to the version that was looked at', async () => {
  const one = await prop()
  await next(one)
  const { code, stderr } = await mia(`review request ${one.name} --version v1 --reviewer max`)
  expect([code, stderr]).toEqual([5, expect.stringContaining(`${one.name} v1 is not the current version, v2 is`)])
  expect(stderr).toContain(`\`ph restore ${one.name} --version v1\``)
  expect((await mia(`review request ${one.name} --version v2 --reviewer max`)).code).toBe(0)
  expect((await mia(`review request ${one.name} ${(await prop()).name} --version v1 --reviewer max`)).code).toBe(2)
})

test('a person who is not there, or who cannot review, is named with those who are meant perhaps; nothing is uploaded', async () => {
  const one = await prop()
  const asking = (who: string) => mia(['review', 'request', one.name, '--reviewer', who])
  expect((await asking('olivai')).stderr).toContain('Did you mean olivia?')
  expect((await asking('zzzzzz')).stderr).toContain('There are olivia, adam, mia and max.')
  expect((await asking(',')).code).toBe(2)
  expect(await openOf(one)).toEqual([])
})

test('a photograph is sent as the PNG that the library takes', async () => {
  const one = await prop()
  const photo = await sharp(await pngOf(4, 3))
    .jpeg()
    .toBuffer()
  const cwd = temporaryFolder({ 'photo.jpg': photo })
  const { reviews } = await ok('mia', `review request ${one.name} --reviewer max --image photo.jpg`, { cwd })
  expect(reviews[0].request.attachments).toMatchObject([{ width: 4, height: 3 }])
})

test.each([
  ['sketch.txt', 'sketch.txt is no picture that ph knows.', 2],
  ['gone.png', 'There is no ', 1],
])('a picture %s is refused before anyone is asked', async (file, sentence, exit) => {
  const one = await prop()
  const cwd = temporaryFolder({ 'sketch.txt': 'none' })
  const { code, stderr } = await mia(['review', 'request', one.name, '--reviewer', 'max', '--image', join(cwd, file)])
  expect([code, stderr]).toEqual([exit, expect.stringContaining(sentence)])
  expect(await openOf(one)).toEqual([])
})

test('a dry run asks nobody, and a key that only reads may see it', async () => {
  const one = await prop()
  const { code, stdout } = await team.reads(`review request ${one.name} --reviewer max --dry-run`)
  expect([code, stdout]).toEqual([0, `${one.name} v1: max would be asked to review it.\n\nNothing was changed.\n`])
  expect(await openOf(one)).toEqual([])
  const { stderr } = await team.reads(`review request ${one.name} --reviewer max`)
  expect(stderr).toContain('This key is read-only.')
})
