// Levels whose actors are files of their own, between people: pushed as changes, pulled as they are now, what left goes.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { partNameOf } from '../../../client/entries/part-names.ts'
import type { Json } from '../../support/api.ts'
import { startFront } from '../../support/http-front.ts'
import { actor, type LevelPerson, level, levelPeople } from '../../support/level-people.ts'
import { filesBelow } from '../../support/pull.ts'
import { sha256 } from '../../support/push.ts'
import { fixtureFolder } from '../../support/real-packages.ts'
import { startTestServer } from '../../support/server.ts'
import { writeFiles } from '../../support/temporary-folder.ts'

const server = await startTestServer()
const { library, person, two } = levelPeople(server)

/** Which bytes lie where. */
const hashesOf = (files: Record<string, Buffer>) =>
  Object.fromEntries(Object.entries(files).map(([file, bytes]) => [file, sha256(bytes)]))

const partsOf = ({ items }: Awaited<ReturnType<LevelPerson['push']>>) => items.find(({ parts }) => parts)?.parts

const saves = fixtureFolder && join(fixtureFolder, '..', 'cases', 'level-actors')

test.runIf(saves && existsSync(saves))(
  'a real level, saved four times by two people: each pull shows exactly the last save',
  async () => {
    const { ada: adas, bob: bobs } = await library()
    const people = [person(adas, '5.7'), person(bobs, '5.7')]
    for (const [at, save] of ['1', '2', '3', '4'].entries()) {
      const [author, other] = at % 2 === 0 ? [people[0], people[1]] : [people[1], people[0]]
      if (!author || !other || !saves) throw new Error('nobody is there')
      rmSync(author.path('Content'), { recursive: true, force: true })
      writeFiles(author.path('Content'), filesBelow(join(saves, save, 'Content')))
      await author.push()
      const brought = await other.get('TestMap')
      expect(brought).toMatchObject({ status: 'done' })
      expect(brought.not_taken_away).toEqual([])
      expect(hashesOf(other.files())).toEqual(hashesOf(author.files()))
      const fresh = person(bobs, '5.7')
      await fresh.get('TestMap')
      expect(hashesOf(fresh.files())).toEqual(hashesOf(author.files()))
    }
  },
)

test('what two people change at different actors is merged; an actor that left goes at the other one too, into the backups', async () => {
  const { ada, bob } = await two('AAA', 'BBB', 'CCC')
  await ada.save({ [actor('AAA')]: 'moved' })
  ada.remove(actor('BBB'))
  expect(partsOf(await ada.push())).toMatchObject({ added: 0, changed: 1, removed: 1, kept: [] })
  expect((await ada.status()).summary).toMatchObject({ missing: 0, modified: 0 })
  await bob.save({ [actor('DDD')]: 'new' })
  expect(partsOf(await bob.push())).toMatchObject({ added: 1, changed: 0, removed: 0, kept: [] })
  const placed = readFileSync(bob.path(actor('BBB')))
  const { taken_away: taken } = await bob.get()
  expect(taken.map(({ file, why }) => [file, why])).toEqual([[actor('BBB'), 'removed']])
  expect(readFileSync(bob.path(taken[0]?.backup ?? ''))).toEqual(placed)
  await ada.get()
  expect(ada.files()).toEqual(bob.files())
  // What the first one took away stays away, whatever the other one, who knew of it later, goes on to push.
  await bob.save({ [actor('DDD')]: 'moved' })
  bob.remove(actor('CCC'))
  expect(partsOf(await bob.push())).toMatchObject({ changed: 1, removed: 1 })
  await ada.get()
  expect(ada.files()).toEqual(bob.files())
})

test('status says which levels have other actors by now, until they are pulled', async () => {
  const { ada, bob } = await two('AAA', 'BBB')
  const news = async ({ status }: Pick<typeof bob, 'status'>) =>
    (await status()).levels.map(({ file, newest }) => [file, newest.number, newest.author])
  expect(await news(bob)).toEqual([])
  ada.remove(actor('BBB'))
  await ada.push()
  expect(await news(ada)).toEqual([])
  expect(await news(bob)).toEqual([[level, 2, 'mia']])
  await bob.get()
  expect(await news(bob)).toEqual([])
})

test('an actor that two people changed is held for the second one; the rest goes, and taking the answer ends it', async () => {
  const { ada, bob } = await two('AAA', 'BBB')
  await ada.save({ [actor('AAA')]: 'by ada' })
  await ada.push()
  await bob.save({ [actor('AAA')]: 'by bob', [actor('BBB')]: 'by bob' })
  const pushed = await bob.push()
  expect(pushed.items.map(({ file, status, reason }) => [file, status, reason])).toEqual(
    expect.arrayContaining([
      [level, 'dedup', undefined],
      [actor('AAA'), 'held', 'parts_conflict'],
      [actor('BBB'), 'new', undefined],
    ]),
  )
  const mine = readFileSync(bob.path(actor('AAA')))
  await bob.get('L_Town', { onConflict: 'keep' })
  expect(readFileSync(bob.path(actor('AAA')))).toEqual(mine)
  expect(partsOf(await bob.push())).toMatchObject({ changed: 0, kept: [{ reason: 'parts_conflict' }] })
  await bob.get('L_Town', { onConflict: 'overwrite' })
  await ada.get()
  expect(ada.files()).toEqual(bob.files())
})

test('a file that left stays where it was edited here, is a link, or where nobody allows it', async () => {
  const { ada, bob } = await two('AAA', 'BBB', 'CCC')
  ada.remove(actor('AAA'), actor('BBB'))
  await ada.push()
  await bob.save({ [actor('AAA')]: 'edited by bob' })
  const { not_taken_away: left } = await bob.get('L_Town', { mayTakeAway: () => false })
  expect(left.map(({ reason }) => reason).sort()).toEqual(['modified', 'not_allowed'])
  // Nobody wanted the second one back: it is as it was.
  expect(
    partsOf(await bob.push({ paths: [bob.path(level), bob.path(actor('BBB')), bob.path(actor('CCC'))], noDeps: true })),
  ).toMatchObject({
    added: 0,
  })
  const again = await bob.get()
  expect(again.not_taken_away).toMatchObject([{ file: actor('AAA'), reason: 'modified' }])
  expect(again.taken_away).toMatchObject([{ file: actor('BBB'), why: 'removed' }])
  expect(existsSync(bob.path(actor('AAA')))).toBe(true)
})

test('a push that takes many actors away asks; one that is refused sends nothing', async () => {
  const names = Array.from({ length: 22 }, (_, n) => `A${n}`)
  const { ada, bob } = await two(...names)
  ada.remove(...names.slice(1).map(actor))
  await ada.save({ [actor('A0')]: 'moved' })
  await expect(ada.push()).rejects.toMatchObject({ code: 'PARTS_GONE', details: { parts: 21 } })
  await bob.get()
  expect(Object.keys(bob.files())).toHaveLength(23)
  expect(partsOf(await ada.push({ mayRemove: () => true }))).toMatchObject({ changed: 1, removed: 21 })
})

test('a single actor that is pushed by its name takes nothing away, and a machine that knows no set neither', async () => {
  const { ada, adas } = await two('AAA', 'BBB')
  await ada.save({ [actor('AAA')]: 'moved' })
  for (const file of [actor('AAA'), level]) await ada.push({ paths: [ada.path(file)], noDeps: true })
  expect(partsOf(await ada.push())).toMatchObject({ changed: 1, removed: 0, parts: 2 })
  const clone = person(adas)
  await clone.save({ [level]: 'level', [actor('CCC')]: 'CCC' })
  expect(partsOf(await clone.push())).toMatchObject({ base: null, added: 1, removed: 0 })
})

test('a server that knows no sets is told of actors as what the level needs', async () => {
  const { ada, api, adas } = await two('AAA')
  const front = await startFront({ to: () => adas.url, lacking: { asked: /push/, fields: ['parts'] } })
  const old = person({ ...adas, url: front.url })
  writeFileSync(old.path('Content.txt'), '')
  await old.save({ [level]: 'level', [actor('AAA')]: 'AAA', [actor('BBB')]: 'BBB' })
  const { items } = await old.push({ held: (held) => ({ answers: new Map(held.map(({ file }) => [file, 'continue'])) }) })
  expect(items.map(({ parts }) => parts)).toEqual([undefined, undefined, undefined])
  await ada.get()
  expect(existsSync(ada.path(actor('BBB')))).toBe(true)
  const { body } = await api.get('/activity?collapse=false')
  expect(body.events.some(({ payload }: Json) => payload.parts?.added === 1)).toBe(true)
})

test.runIf(saves && existsSync(saves))('the names of real actors are those that the outliner shows, under their level', () => {
  const names = Object.keys(filesBelow(join(saves ?? '', '4', 'Content'))).flatMap(
    (file) => partNameOf(join(saves ?? '', '4'), `Content/${file}`) ?? [],
  )
  expect(names).toHaveLength(89)
  expect(new Set(names.map(({ level: path }) => path))).toEqual(new Set(['/Game/ImportFrom5_6/Levels/TestMap']))
  expect(names.filter(({ label }) => label.includes('…')).length).toBeLessThan(3)
  expect(names.map(({ label }) => label)).toEqual(expect.arrayContaining(['PlayerStart', 'SkyAtmosphere']))
})
