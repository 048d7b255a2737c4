/** What `ph` says of a level whose actors are files of their own: by the labels of the outliner, never by the hashes of their files. */
import { readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { makeSampleLevel, moveSampleActor } from '../../../sample/level.ts'
import { personAt } from '../../support/person.ts'
import { startTestServer } from '../../support/server.ts'

const server = await startTestServer()

/** Ada has pushed a harbor of eleven actors, and then a crate that she moved, one lantern less, and a new crate; Bob has the first. */
async function harbor() {
  const { url, keys } = await server.addWorkspace()
  const [ada, bob] = [personAt(url, keys.mia), personAt(url, keys.max)]
  const { actors } = await makeSampleLevel(ada.root, { actors: 11 })
  await ada.ok('push')
  await bob.ok('pull L_Harbor')
  await moveSampleActor(ada.root, 0, { seed: 'moved' })
  rmSync(join(ada.root, actors[1] ?? ''))
  await makeSampleLevel(temporary(ada.root), { actors: 12 })
  await moveSampleActor(ada.root, 11, { seed: 'new' })
  await ada.run(['push', '--note', 'A longer quay'])
  return { ada, bob, actors }
}
const temporary = (root: string) => join(root, 'Saved', 'elsewhere')

test('show lists the sets of a level, and what the newest one changed', async () => {
  const { ada } = await harbor()
  const { stdout } = await ada.run('show L_Harbor --versions')
  expect(stdout).toContain('11 actors and objects')
  expect(stdout).toMatch(/set 2 of Inn, just now by mia: \+1, 1 changed, −1; 11 then {2}A longer quay\n/)
  expect(stdout).toMatch(/~ Crate 1\n/)
  expect(stdout).toMatch(/- Lantern 1\n/)
  expect(stdout).toMatch(/\+ Lantern 3\n/)
  const { stdout: needs } = await ada.run('show L_Harbor --closure --all')
  expect(needs).toContain('Barrel 1  ')
  expect((await ada.ok('show L_Harbor')).actors).toMatchObject({ sets: [{ number: 2 }, { number: 1 }] })
})

test('diff of a level compares its last two sets, and a file here with the set that it came with', async () => {
  const { ada, bob, actors } = await harbor()
  const { stdout } = await ada.run('diff L_Harbor')
  expect(stdout).toMatch(/^L_Harbor {2}v1, set 1 → v1, set 2\n/)
  expect(stdout).toContain('Actors\n  + Lantern 3\n  - Lantern 1\n  ~ Crate 1\n')
  await moveSampleActor(bob.root, 2, { seed: 'by bob' })
  rmSync(join(bob.root, actors[3] ?? ''))
  const { stdout: here } = await bob.run('diff Content/Maps/L_Harbor.umap')
  expect(here).toContain('Actors\n  - Gull 1\n  ~ Barrel 1\n')
  const { stdout: pulling } = await bob.run('diff Content/Maps/L_Harbor.umap --from file --to current')
  expect(pulling).toContain('Actors\n  + Lantern 3\n  - Lantern 1\n  ~ Crate 1\n')
})

test('status, the plan of a pull, locks and check-outs call actors by their labels, under their level', async () => {
  const { ada, bob, actors } = await harbor()
  const texts = [
    (await bob.run('status')).stdout,
    (await bob.run('pull --plan')).stdout,
    (await bob.run('pull')).stdout,
    (await ada.run(['checkout', actors[2] ?? ''])).stdout.replace(actors[2] ?? '', ''),
    (await bob.run('locks')).stdout,
    (await bob.run('checkout L_Harbor --dry-run')).stdout,
  ]
  const [status, plan, pulled, taken, locks, radar] = texts
  expect(taken).toContain('  Barrel 1 of L_Harbor')
  expect(status).toContain('  < L_Harbor: Crate 1\n')
  expect(status).toContain('  x L_Harbor: Lantern 1 (left the level)\n')
  expect(status).toMatch(/< Content\/Maps\/L_Harbor.umap {2}by mia, just now: \+1, 1 changed, −1\n/)
  expect(plan).toMatch(/Would be taken away:\n[^-]*- L_Harbor: Lantern 1\n/)
  expect(pulled).toMatch(/Taken away:\n[^:]*:\n {4}L_Harbor: Lantern 1\n/)
  expect(locks).toContain('Barrel 1 of L_Harbor')
  expect(radar).toContain('Barrel 1 of L_Harbor, which L_Harbor needs, is checked out by')
  const hash = basename(actors[1] ?? '', '.uasset')
  for (const text of [status, pulled, locks, radar]) expect(text).not.toContain(hash)
})

test('an actor that both changed is kept as mine after a get latest, as that advises, and goes with the next push', async () => {
  const { ada, bob, actors } = await harbor()
  await moveSampleActor(bob.root, 0, { seed: 'by bob' })
  const { stdout, code } = await bob.run('pull')
  expect(code).toBe(6)
  const [, file = ''] = /`ph pull (\S+) --mine`/.exec(stdout.replaceAll(/\n\s*/g, ' ')) ?? []
  expect(file).toBe(actors[0])
  expect((await bob.run(`pull ${file} --mine`)).stdout).toContain(
    `1 file counts as made from the current version now:\n  ${file}\n`,
  )
  expect((await bob.ok(`push ${file}`)).summary).toMatchObject({ new: 1, held: 0 })
  await ada.ok('pull')
  expect(readFileSync(join(ada.root, file))).toEqual(readFileSync(join(bob.root, file)))
})
