/** Between the look at what is to be checked out and the taking, and files of which this machine knows nothing. */
import { copyFileSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { planCheckOut } from '../../../client/check-out/plan.ts'
import { takeProps } from '../../../client/check-out/take.ts'
import { findFolders } from '../../../client/folders.ts'
import { createApi } from '../../../client/http/api.ts'
import { openWire } from '../../../client/http/open-http.ts'
import type { ApiError } from '../../../contract/errors.ts'
import { callAs, type Json } from '../../support/api.ts'
import { type Person, personAt } from '../../support/person.ts'
import { item, pushed } from '../../support/push.ts'
import { startTestServer } from '../../support/server.ts'

const server = await startTestServer()

async function inn() {
  const { url, keys } = await server.addWorkspace()
  const people = { olivia: personAt(url, keys.olivia), mia: personAt(url, keys.mia) }
  for (const name of ['SM_Barrel', 'SM_Stool']) await people.olivia.save(name)
  await people.olivia.ok('push')
  await people.mia.ok('pull SM_Barrel SM_Stool --project Inn')
  return people
}

/** The parts of a check-out as `ph checkout` uses them. */
function partsOf({ env, root }: Person) {
  const wire = { url: env.PH_URL ?? '', key: env.PH_API_KEY, folders: findFolders(env) }
  const http = openWire(wire, () => {})
  onTestFinished(() => http.close('destroy'))
  return { wire, api: createApi(http), cwd: root, closure: false }
}

test('who is faster between the look and the taking is named, and none of the others is taken', async () => {
  const { mia, olivia } = await inn()
  const parts = partsOf(mia)
  const plan = await planCheckOut(['SM_Barrel', 'SM_Stool'], parts)
  await olivia.ok('checkout SM_Stool')
  const refused: ApiError = await takeProps(parts.api, plan, {}).then(
    () => expect.fail('it was taken'),
    (error) => error,
  )
  expect(refused).toMatchObject({ code: 'LOCKED', details: { locked: [{ holder: { name: 'olivia' } }] } })
  expect((await olivia.ok('locks')).locks).toHaveLength(1)
})

test('of 1,002 props the last is taken by someone else meanwhile: what was taken before is given back, but what was checked out already', async () => {
  const { mia, olivia } = await inn()
  const api = callAs(mia.env.PH_URL ?? '', mia.env.PH_API_KEY ?? '')
  const items = Array.from({ length: 1002 }, () => item())
  const made = await pushed(api, items)
  const ids = made.map(({ entry_id }) => String(entry_id))
  const parts = partsOf(mia)
  await mia.ok(`checkout ${ids[0]}`)
  const plan = await planCheckOut(ids, parts)
  await olivia.ok(`checkout ${ids[1001]}`)
  const left: number[] = []
  const taking = takeProps(parts.api, plan, { onLeft: (count) => left.push(count) })
  await expect(taking).rejects.toMatchObject({ code: 'LOCKED', details: { locked: [{ holder: { name: 'olivia' } }] } })
  expect(left).toEqual([])
  const { locks } = await mia.ok('locks')
  const lineages = locks.map(({ lock }: Json) => lock.lineage_id).sort()
  expect(lineages).toEqual([made[0]?.lineage_id, made[1001]?.lineage_id].sort())
  await olivia.ok(`release ${ids[1001]}`)
  expect(await takeProps(parts.api, plan, {})).toHaveLength(1002)
})

test('a version that becomes current between the look and the taking makes the file an older one', async () => {
  const { mia, olivia } = await inn()
  const parts = partsOf(mia)
  await mia.save('SM_Barrel', 'mine')
  const plan = await planCheckOut(['SM_Barrel', 'SM_Stool'], parts)
  await olivia.save('SM_Barrel', 'second')
  await olivia.save('SM_Stool', 'second')
  await olivia.ok('push')
  const taken = await takeProps(parts.api, plan, {})
  expect(taken.map(({ name, standing }) => [name, standing])).toEqual([
    ['SM_Barrel', 'diverged'],
    ['SM_Stool', 'outdated'],
  ])
})

test('a file whose origin nothing here tells is checked out as one that someone has to look at', async () => {
  const { mia, olivia } = await inn()
  await olivia.save('SM_Barrel', 'edited elsewhere')
  const elsewhere = personAt(mia.env.PH_URL ?? '', mia.env.PH_API_KEY ?? '')
  mkdirSync(dirname(elsewhere.path('SM_Barrel')), { recursive: true })
  copyFileSync(olivia.path('SM_Barrel'), elsewhere.path('SM_Barrel'))
  const { code, stdout } = await elsewhere.run('checkout Content/Inn/SM_Barrel.uasset')
  expect([code, stdout]).toEqual([6, expect.stringContaining('Made from a version that is not known here:')])
  expect(stdout).not.toContain('ph history')
  const [, mine = ''] = /`ph (pull \S+ --mine)`/.exec(stdout.replaceAll(/\s+/g, ' ')) ?? []
  await elsewhere.ok(mine)
  expect((await elsewhere.ok('push')).summary).toMatchObject({ new: 1, held: 0, outdated: 0 })
})

test('the copies of a prop are one check-out, and the one that needs most attention counts', async () => {
  const { mia } = await inn()
  const copy = mia.path('SM_Barrel').replace('/Inn/SM_Barrel', '/Old/SM_Barrel')
  mkdirSync(dirname(copy), { recursive: true })
  copyFileSync(mia.path('SM_Barrel'), copy)
  const parts = partsOf(mia)
  const plan = await planCheckOut(['Content'], parts)
  expect(plan.props.map(({ name, files }) => [name, files.length])).toEqual([
    ['SM_Barrel', 2],
    ['SM_Stool', 1],
  ])
})
