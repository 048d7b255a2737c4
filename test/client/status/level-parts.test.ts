// The states of a level's actors: held against the newest set of the level, never against what is current of their own files.
import { renameSync } from 'node:fs'
import { expect, test } from 'vitest'
import { findLatest } from '../../../client/latest/latest.ts'
import { planPull } from '../../../client/pull/plan.ts'
import { findTarget } from '../../../client/pull/target-project.ts'
import { actor, type LevelPerson, labelOf, level, levelPeople } from '../../support/level-people.ts'
import { startTestServer } from '../../support/server.ts'

const server = await startTestServer()
const { two } = levelPeople(server)

/** What is said of each actor that is not as the library has it, by its label. */
const statesOf = async (person: LevelPerson, options: Parameters<LevelPerson['status']>[0] = {}) => {
  const { files } = await person.status(options)
  return Object.fromEntries(files.map(({ state, part }) => [part?.label, part?.left_level ? `${state}, left` : state]))
}
const said = (states: Record<string, string>) =>
  Object.fromEntries(Object.entries(states).map(([name, state]) => [labelOf(name), state]))

test('an actor is outdated, edited, both or left by the newest set of its level, and so after a look without the library', async () => {
  const { ada, bob } = await two('AAA', 'BBB', 'CCC', 'DDD', 'EEE')
  await ada.save({ [actor('AAA')]: 'by ada', [actor('BBB')]: 'by ada', [actor('FFF')]: 'new' })
  ada.remove(actor('CCC'), actor('DDD'))
  await ada.push()
  expect(await statesOf(ada)).toEqual({})
  await bob.save({ [actor('BBB')]: 'by bob', [actor('DDD')]: 'by bob', [actor('EEE')]: 'by bob' })
  const states = said({ AAA: 'outdated', BBB: 'diverged', CCC: 'deleted, left', DDD: 'deleted, left', EEE: 'modified' })
  expect(await statesOf(bob)).toEqual(states)
  expect(await statesOf(bob, { remembered: true })).toEqual(states)
  expect((await bob.status()).levels).toMatchObject([{ file: level, changes: { added: 1, changed: 2, removed: 2 } }])
  await bob.get('L_Town', { onConflict: 'keep' })
  // What was edited here stays, as what it is.
  expect(await statesOf(bob)).toEqual(said({ BBB: 'diverged', DDD: 'deleted, left', EEE: 'modified' }))
  await ada.save({ [actor('DDD')]: 'back again' })
  await ada.push()
  expect(await statesOf(bob)).toMatchObject(said({ DDD: 'diverged' }))
})

test('what is current of an actor’s own file means nothing: an earlier one that its level has again is the newest', async () => {
  const { ada, bob, api } = await two('AAA', 'BBB')
  const { levels } = await ada.status()
  expect(levels).toEqual([])
  await ada.save({ [actor('AAA')]: 'moved' })
  await ada.push()
  await bob.get()
  const entry = (await api.get('/entries?limit=10')).body.entries[0]
  const { body } = await api.get(`/lineages/${entry.lineage_id}/parts`)
  expect((await api.post(`/entries/${entry.id}/restore`, { set: body.sets[1].id })).status).toBe(200)
  expect(await statesOf(bob)).toEqual(said({ AAA: 'outdated' }))
  await bob.get()
  expect(await statesOf(bob)).toEqual({})
  expect((await bob.status({ all: true })).summary).toMatchObject({ current: 3 })
})

test('an actor that is missing here is called by its label; a level that only gained actors is outdated', async () => {
  const { ada, bob, bobs } = await two('AAA', 'BBB')
  renameSync(bob.path(actor('AAA')), bob.path('AAA.saved'))
  expect(await statesOf(bob)).toEqual(said({ AAA: 'missing' }))
  renameSync(bob.path('AAA.saved'), bob.path(actor('AAA')))
  await ada.save({ [actor('CCC')]: 'new' })
  await ada.push()
  const target = findTarget({ project: 'Town', cwd: bob.root })
  const latest = await findLatest({ ...bobs, folders: bob.folders, target })
  expect(latest).toMatchObject({ outdated: [level], deleted: [] })
  expect(latest.entry_ids).toHaveLength(1)
})

test('a level that had no actors when it was pulled is outdated with its first, also where some were pushed from here', async () => {
  const { ada, bob, bobs } = await two()
  await ada.save({ [actor('AAA')]: 'by ada', [actor('BBB')]: 'by ada' })
  await ada.push()
  const latest = async () => findLatest({ ...bobs, folders: bob.folders, target: findTarget({ project: 'Town', cwd: bob.root }) })
  const news = async () => (await bob.status()).levels.map(({ file, set, changes }) => ({ file, set, changes }))
  expect(await latest()).toMatchObject({ outdated: [level] })
  expect(await news()).toEqual([{ file: level, set: null, changes: { added: 2, changed: 0, removed: 0 } }])
  await bob.save({ [actor('CCC')]: 'by bob' })
  await bob.push()
  expect(await news()).toEqual([{ file: level, set: null, changes: { added: 2, changed: 0, removed: 0 } }])
  await bob.get()
  expect(await latest()).toMatchObject({ outdated: [] })
  expect(await news()).toEqual([])
  await ada.get()
  expect(bob.files()).toEqual(ada.files())
})

test('a pull into a project that has the level brings what changed, and every file where an actor is missing here', async () => {
  const { ada, bob } = await two('AAA', 'BBB', 'CCC')
  await ada.save({ [actor('AAA')]: 'moved' })
  ada.remove(actor('BBB'))
  await ada.push()
  const { files, taken_away } = await bob.get()
  expect(files.map(({ file, outcome }) => [file, outcome]).sort()).toEqual(
    [
      [level, 'identical'],
      [actor('AAA'), 'updated'],
    ].sort(),
  )
  expect(taken_away.map(({ file }) => file)).toEqual([actor('BBB')])
  expect(bob.files()).toEqual(ada.files())
  bob.remove(actor('CCC'))
  const again = await bob.get()
  expect(again.summary).toMatchObject({ added: 1 })
  expect(bob.files()).toEqual(ada.files())
  // What was brought so is known: an edit goes on from it.
  await bob.save({ [actor('AAA')]: 'by bob' })
  expect((await bob.push()).items.find(({ parts }) => parts)?.parts).toMatchObject({ added: 0, changed: 1, removed: 0, kept: [] })
})

test('the plan of a pull names the actors that it will take away, and that pull takes away just these', async () => {
  const { ada, bob, bobs } = await two('AAA', 'BBB', 'CCC')
  ada.remove(actor('AAA'), actor('BBB'))
  await ada.push()
  const target = findTarget({ project: 'Town', cwd: bob.root })
  const [entry_id] = (await findLatest({ ...bobs, folders: bob.folders, target })).entry_ids
  const plan = await planPull({ ...bobs, folders: bob.folders, target, order: async () => [{ entry_id: Number(entry_id) }] })
  const leaving = plan.plans.flatMap((one) => one.leaving)
  expect(leaving).toMatchObject(
    ['AAA', 'BBB'].map((name) => ({ file: actor(name), why: 'removed', part: { label: labelOf(name) } })),
  )
  const { taken_away } = await bob.get()
  expect(taken_away.map(({ file }) => file)).toEqual(leaving.map(({ file }) => file))
})
