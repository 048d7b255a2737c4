// Levels with external actors between two people: renamed in the editor, and pulled into a project whose actors were put back to an earlier state.
import { cpSync, rmSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ph, signedIn } from '../support/ph.ts'
import { filesBelow } from '../support/pull.ts'
import { startTestServer } from '../support/server.ts'
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts'
import { type Packages, packageAt } from '../support/unreal-project.ts'

const server = await startTestServer()
const guid = 'A'.repeat(32)
const mesh = 'Content/SM_A.uasset'
const actors = ['AAA', 'BBB', 'CCC']
const actor = (level: string, name: string) => `Content/__ExternalActors__/Maps/${level}/0/1A/${name}.uasset`
const actorsOf = (level: string, text: string, names = actors): Packages =>
  Object.fromEntries(
    names.map((name) => {
      const payload = Buffer.from(`${name} ${text}`)
      return [actor(level, name), { assetClass: 'StaticMeshActor', imports: [`/Game/Maps/${level}`, '/Game/SM_A'], payload }]
    }),
  )
const inn: Packages = {
  [mesh]: {},
  'Content/Maps/L_Inn.umap': { guid, imports: ['/Game/SM_A'] },
  ...actorsOf('L_Inn', 'one'),
}

/** Somebody's machine with the game. */
function machine(to: { url: string; key: string }) {
  const root = temporaryFolder({ 'Inn.uproject': '{"EngineAssociation": "5.3"}' })
  const folders = { PH_CONFIG_DIR: temporaryFolder(), PH_STATE_DIR: temporaryFolder(), PH_CACHE_DIR: temporaryFolder() }
  const env = { ...signedIn(to.url, to.key), ...folders, NO_COLOR: '1' }
  return {
    root,
    run: (line: string) => ph(line, { cwd: root, env, columns: 200 }),
    async save(packages: Packages) {
      for (const [file, spec] of Object.entries(packages)) writeFiles(root, { [file]: await packageAt(file, spec) })
    },
    files: () => filesBelow(join(root, 'Content')),
  }
}

async function two() {
  const { url, keys } = await server.addWorkspace()
  const [ada, bob] = [machine({ url, key: keys.mia }), machine({ url, key: keys.max })]
  await ada.save(inn)
  expect((await ada.run('push')).code).toBe(0)
  expect((await bob.run('pull L_Inn')).code).toBe(0)
  return { ada, bob }
}

/** As the editor does it. The level has a new GUID, and the redirector keeps the old one. */
async function rename({ root, save }: ReturnType<typeof machine>): Promise<void> {
  for (const name of actors) unlinkSync(join(root, actor('L_Inn', name)))
  unlinkSync(join(root, 'Content/Maps/L_Inn.umap'))
  await save({
    'Content/Maps/L_City.umap': { guid: 'B'.repeat(32), imports: ['/Game/SM_A'] },
    'Content/Maps/L_Inn.uasset': { assetClass: 'ObjectRedirector', guid, imports: ['/Game/Maps/L_City'] },
    ...actorsOf('L_City', 'two'),
  })
}

test('a renamed level comes with its actors, and those of its old path go, for who has it and for who gets it anew', async () => {
  const { ada, bob } = await two()
  await rename(ada)
  const pushed = await ada.run('push')
  expect([pushed.code, pushed.stdout]).toEqual([0, expect.stringMatching(/L_City {2}World, new version, renamed from L_Inn/)])
  expect(pushed.stdout).toMatch(/L_City: 3 added \(.*\), 3 removed/)
  expect((await ada.run('status')).stdout).toMatch(/^ +5 current\n +1 left by renames: redirectors\n$/m)
  const pulled = await bob.run('pull')
  expect([pulled.code, pulled.stdout]).toEqual([0, expect.stringContaining('4 taken away, with a backup')])
  const { 'Maps/L_Inn.uasset': _redirector, ...level } = ada.files()
  expect(bob.files()).toEqual(level)
  expect((await bob.run('status')).stdout).toMatch(/5 current\n$/)
  expect((await bob.run('undo --yes')).code).toBe(0)
  expect(Object.keys(bob.files())).toContain('__ExternalActors__/Maps/L_Inn/0/1A/AAA.uasset')
})

test('an edit of an actor at the old path is held, and is in nobody else’s level', async () => {
  const { ada, bob } = await two()
  await bob.save(actorsOf('L_Inn', 'by bob', ['BBB']))
  await rename(ada)
  expect((await ada.run('push')).code).toBe(0)
  const { code, stdout } = await bob.run('push')
  expect([code, stdout]).toEqual([6, expect.stringContaining('Held: others changed these actors too')])
  expect((await ada.run('pull')).stdout).toContain('is current')
  await bob.run('pull')
  for (const name of actors) expect(bob.files()).toHaveProperty([actor('L_City', name).slice('Content/'.length)])
  expect(bob.files()).toHaveProperty([actor('L_Inn', 'BBB').slice('Content/'.length)])
})

test('actors that a change of branch put back are brought up to date, although the level did not change in the library since', async () => {
  const { ada, bob } = await two()
  const before = temporaryFolder()
  cpSync(join(bob.root, 'Content'), before, { recursive: true })
  await ada.save(actorsOf('L_Inn', 'two', ['AAA']))
  expect((await ada.run('push')).code).toBe(0)
  expect((await bob.run('pull L_Inn')).code).toBe(0)
  expect(bob.files()).toEqual(ada.files())
  rmSync(join(bob.root, 'Content'), { recursive: true })
  cpSync(before, join(bob.root, 'Content'), { recursive: true })
  const { code, stdout } = await bob.run('pull L_Inn')
  expect([code, stdout]).toEqual([0, expect.stringContaining('1 replaced by another version')])
  expect(bob.files()).toEqual(ada.files())
})
