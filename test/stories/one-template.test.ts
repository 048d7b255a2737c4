// Two games that begin with the same template: the same bytes, known twice, until one of them is edited (contract-gaps 9).
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { callAs, type Json } from '../support/api.ts'
import { ph, type Setting, signedIn } from '../support/ph.ts'
import { filesBelow } from '../support/pull.ts'
import { startTestServer } from '../support/server.ts'
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts'
import { type Packages, packageAt } from '../support/unreal-project.ts'

const server = await startTestServer()
const [player, wood, grain] = ['Content/Characters/BP_Player.uasset', 'Content/Mat/M_Wood.uasset', 'Content/Tex/T_Grain.uasset']
const level = 'Content/Maps/L_Main.umap'
const actor = (name: string) => `Content/__ExternalActors__/Maps/L_Main/0/1A/${name}.uasset`
const template: Packages = {
  [grain]: {},
  [wood]: { imports: ['/Game/Tex/T_Grain'] },
  [player]: { imports: ['/Game/Tex/T_Grain'] },
  [level]: { imports: ['/Game/Characters/BP_Player', '/Game/Mat/M_Wood'] },
  [actor('AAA')]: { assetClass: 'StaticMeshActor', imports: ['/Game/Maps/L_Main'] },
  [actor('BBB')]: { assetClass: 'StaticMeshActor', imports: ['/Game/Maps/L_Main'] },
}
const packageOf = (file: string): string => file.replace(/^Content(.*)\..*$/, '/Game$1')
const words = (text: string): string => text.replaceAll(/\s+/g, ' ')

/** Somebody's machine with a game. */
function machine(game: string, to: { url: string; key: string }) {
  const root = join(temporaryFolder({ [`${game}/${game}.uproject`]: '{"EngineAssociation": "5.3"}' }), game)
  const folders = { PH_CONFIG_DIR: temporaryFolder(), PH_STATE_DIR: temporaryFolder(), PH_CACHE_DIR: temporaryFolder() }
  const env = { ...signedIn(to.url, to.key), ...folders, NO_COLOR: '1' }
  return {
    root,
    run: (line: string, more: Setting = {}) => ph(line, { cwd: root, env, ...more }),
    async save(file: string, text: string) {
      writeFiles(root, { [file]: await packageAt(file, { ...template[file], payload: Buffer.from(text) }) })
    },
    /** As the editor does it: what others refer to leads to the new place. */
    async rename(file: string, to: string) {
      const guid = { guid: 'ABCDEF0123456789ABCDEF0123456789' }
      writeFiles(root, {
        [to]: await packageAt(to, { ...template[file], ...guid, payload: Buffer.from('renamed') }),
        [file]: await packageAt(file, { assetClass: 'ObjectRedirector', imports: [packageOf(to)] }),
      })
    },
    read: (file: string) => readFileSync(join(root, file)),
    has: (file: string) => existsSync(join(root, file)),
  }
}

/** Harbor and Castle pushed the template. */
async function twoGames() {
  const { url, keys } = await server.addWorkspace()
  const [harbor, castle] = [machine('Harbor', { url, key: keys.mia }), machine('Castle', { url, key: keys.max })]
  for (const file of Object.keys(template)) await harbor.save(file, 'template')
  cpSync(join(harbor.root, 'Content'), join(castle.root, 'Content'), { recursive: true })
  for (const game of [harbor, castle]) expect((await game.run('push')).code).toBe(0)
  return { harbor, castle, api: callAs(url, keys.mia), of: { url, key: keys.adam } }
}

test('what a prop of both games needs is the own prop of the game that gets it, and all else that the level needs comes', async () => {
  const { castle, harbor, api } = await twoGames()
  await harbor.save(grain, 'of Harbor')
  await harbor.save(wood, 'for both')
  expect((await harbor.run(`push --new ${grain} --attach ${wood}`)).code).toBe(0)
  const { stdout } = await castle.run('pull L_Main --json')
  const { files, warnings, summary } = JSON.parse(stdout).jobs[0]
  expect(summary).toMatchObject({ updated: 1, kept: 0, failed: 0 })
  expect(files.map(({ file }: Json) => file).sort()).toEqual([player, level, wood, grain].sort())
  expect(castle.read(wood)).toEqual(harbor.read(wood))
  expect(castle.read(grain)).not.toEqual(harbor.read(grain))
  expect(warnings).toMatchObject([
    { type: 'own_prop_used', message: expect.stringContaining('/Game/Tex/T_Grain is a prop of this project') },
  ])
  // The game that made its own has that one.
  expect((await harbor.run('pull L_Main --json')).stdout).not.toContain('own_prop_used')
  expect((await api.get('/entries?limit=200')).body.entries.filter(({ name }: Json) => name === 'T_Grain')).toHaveLength(2)
})

test('where the game made a prop of its own, the latest and what status advises are that one, whatever became of the other', async () => {
  const { castle, harbor, of } = await twoGames()
  const [mate, tidy] = [machine('Harbor', of), machine('Harbor', of)]
  for (const one of [mate, tidy]) expect((await one.run('pull L_Main')).code).toBe(0)
  rmSync(join(tidy.root, grain))
  await harbor.save(grain, 'of Harbor')
  expect((await harbor.run(`push --new ${grain}`)).code).toBe(0)
  // What was deleted there comes as the prop that the game has in its place.
  expect((await tidy.run('pull --all --yes')).code).toBe(0)
  expect(tidy.read(grain)).toEqual(harbor.read(grain))
  await castle.save(grain, 'of Castle')
  expect((await castle.run('push --held attach')).code).toBe(0)
  const other = machine('Harbor', of)
  expect((await other.run('pull L_Main')).code).toBe(0)
  expect(other.read(grain)).toEqual(harbor.read(grain))
  const { files } = JSON.parse((await mate.run('status --json')).stdout)
  const entryId = files.find(({ file }: Json) => file === grain)?.entry_id
  expect((await mate.run(`pull L_Main ${entryId} --plan`)).code).toBe(0)
  expect((await mate.run('pull --all --yes')).code).toBe(0)
  expect(mate.read(grain)).toEqual(harbor.read(grain))
})

test('where the game renamed its own and left a redirector, the latest and what status advises bring that, whatever the other game did there', async () => {
  const { castle, harbor, of } = await twoGames()
  const mates = [machine('Harbor', of), machine('Harbor', of), machine('Harbor', of)]
  for (const one of mates) expect((await one.run('pull L_Main')).code).toBe(0)
  await harbor.rename(grain, 'Content/Tex/T_Fine.uasset')
  expect((await harbor.run('push --held new')).code).toBe(0)
  await castle.save(grain, 'of Castle')
  expect((await castle.run('push --held attach')).code).toBe(0)
  const said = (await mates[0]?.run('status'))?.stdout ?? ''
  const advised = [/ph (pull .+)/.exec(said)?.[1] ?? '', 'pull --yes', 'pull --all --yes']
  for (const [at, mate] of mates.entries()) {
    const { code, stdout, stderr } = await mate.run(advised[at] ?? '')
    expect([advised[at], code, stderr]).toEqual([advised[at], 0, expect.anything()])
    expect([advised[at], stdout, mate.read(grain).equals(harbor.read(grain))]).toEqual([advised[at], stdout, true])
    expect(mate.has('Content/Tex/T_Fine.uasset')).toBe(true)
    expect((await mate.run('status')).stdout).not.toContain('Outdated')
  }
})

test('the first edit of what two games pushed is held until someone says whose it is, and it names the other game', async () => {
  const { castle, harbor, api, of } = await twoGames()
  await castle.save(player, 'of Castle')
  const asked = await castle.run('push')
  expect(asked.code).toBe(6)
  expect(words(asked.stdout)).toContain('Held: Harbor has them too')
  expect(words(asked.stdout)).toContain('Harbor has it as /Game/Characters/BP_Player (entry ')
  expect(asked.stdout).toContain(`--new ${player} `)
  expect(asked.stdout).toContain(`--attach ${player} `)
  expect(JSON.parse((await castle.run('push --json')).stdout).items).toMatchObject([
    { file: player, status: 'held', reason: 'other_projects', other_projects: ['Harbor'] },
  ])
  expect((await castle.run(`push --new ${player}`)).code).toBe(0)
  const before = harbor.read(player)
  expect((await harbor.run('pull')).code).toBe(0)
  expect(harbor.read(player)).toEqual(before)
  await harbor.save(player, 'of Harbor')
  expect((await harbor.run('push')).code).toBe(0)
  // From a folder of neither game, the name is that of two props, each named with its game.
  const elsewhere = await machine('Inn', of).run('show BP_Player')
  expect(elsewhere.stderr).toMatch(
    /\/Game\/Characters\/BP_Player, from Harbor\), \d+ \(blueprint, \/Game\/Characters\/BP_Player, from Castle\)/,
  )
  for (const game of [harbor, castle]) expect((await game.run('show BP_Player')).code).toBe(0)
  const { entries } = (await api.get('/entries?name=BP_Player')).body
  expect(entries).toHaveLength(2)
})

test('--held new is remembered for the other game: later edits become props of this one without a question, and each level stays whole', async () => {
  const { castle, harbor, of } = await twoGames()
  for (const file of [player, level] as const) await castle.save(file, 'of Castle')
  await castle.save(actor('AAA'), 'moved')
  expect((await castle.run('push --held new')).code).toBe(0)
  await castle.save(wood, 'of Castle')
  const { code, stdout } = await castle.run('push')
  expect([code, stdout]).toEqual([0, expect.stringContaining('M_Wood')])
  expect(words(stdout)).toContain(
    'Answered as before: 1 file went as a prop of Castle alone, as you answered for all that Castle shares with Harbor (--held new).',
  )
  for (const game of [castle, harbor]) {
    const name = game === castle ? 'Castle' : 'Harbor'
    expect((await game.run('pull')).code).toBe(0)
    const copy = machine(name, of)
    const got = await copy.run('pull /Game/Maps/L_Main')
    expect([got.code, got.stdout + got.stderr]).toEqual([0, expect.anything()])
    for (const file of Object.keys(template))
      expect([name, file, copy.read(file).equals(game.read(file))]).toEqual([name, file, true])
  }
})

test('an answer that is given again by itself is said in the report, a dry run remembers none, and the command that it names forgets it', async () => {
  const { castle } = await twoGames()
  const asked = async (line: string) => JSON.parse((await castle.run(`${line} --json`)).stdout)
  await castle.save(player, 'of Castle')
  await castle.run('push --dry-run --held new')
  expect((await asked('push')).items).toMatchObject([{ file: player, status: 'held' }])
  const first = await asked('push --held attach')
  expect(first.summary).toMatchObject({ new: 1, held: 0 })
  expect(first).not.toHaveProperty('answered_before')
  await castle.save(wood, 'of Castle')
  const said = [{ answer: 'attach', other_projects: ['Harbor'], files: [wood] }]
  expect((await asked('push --dry-run')).answered_before).toEqual(said)
  const { stdout } = await castle.run('push')
  expect(words(stdout)).toContain(
    '1 file went as a version for Harbor too, as you answered for all that Castle shares with Harbor',
  )
  const [, again = ''] = /`ph (push [^`]+ --held ask)`/.exec(words(stdout)) ?? []
  expect((await castle.run(again)).code).toBe(0)
  await castle.save(grain, 'of Castle')
  expect((await castle.run('push')).stdout).toContain('Held: Harbor has them too')
  expect((await asked('push --held new')).summary).toMatchObject({ new: 1, held: 0 })
  await castle.save(level, 'of Castle')
  expect((await asked('push --held ask')).items).toMatchObject([{ file: level, status: 'held' }])
})

test('a version for both comes to the other game with its next pull, and nobody is asked again about it', async () => {
  const { castle, harbor } = await twoGames()
  await castle.save(grain, 'finer')
  expect((await castle.run('push --held attach')).code).toBe(0)
  expect((await harbor.run('pull')).code).toBe(0)
  expect(harbor.read(grain)).toEqual(castle.read(grain))
  await harbor.save(grain, 'finest')
  expect((await harbor.run('push')).code).toBe(0)
  expect((await castle.run('pull')).code).toBe(0)
  expect(castle.read(grain)).toEqual(harbor.read(grain))
})

test('on a terminal the question says what a version means, and a capital letter answers for the rest and for later', async () => {
  const { castle } = await twoGames()
  for (const file of [player, wood] as const) await castle.save(file, 'of Castle')
  const { code, stderr } = await castle.run('push', { columns: 100, typed: ['N\n'] })
  expect(words(stderr)).toContain('Harbor has it as /Game/')
  expect(words(stderr)).toContain('[v] a version for all of them [n] a prop of this project alone')
  expect(code).toBe(0)
  await castle.save(grain, 'of Castle')
  expect((await castle.run('push')).code).toBe(0)
})

test('a pull that brings the prop of another game to a place where this one has its own says so, and each way out that it names works', async () => {
  const { castle, harbor, api } = await twoGames()
  await castle.save(player, 'of Castle')
  expect((await castle.run('push --held new')).code).toBe(0)
  const { entries } = (await api.get('/entries?name=BP_Player')).body
  const [theirs, own] = entries.map(({ id }: Json) => id).sort((a: number, b: number) => a - b)
  const { code, stdout } = await castle.run(`pull ${theirs}`, { columns: 200 })
  expect(code).toBe(6)
  expect(stdout).toContain('Castle has other props in these places')
  expect(stdout).toContain(`${player} (entry ${own} of Castle, not the BP_Player that was pulled, entry ${theirs} of Harbor)`)
  expect(stdout).not.toContain('were changed here')
  const [, download = ''] = /`ph (download [^`]+)`/.exec(stdout) ?? []
  const got = await castle.run(download)
  expect([got.code, download, got.stderr]).toEqual([0, download, expect.anything()])
  expect(filesBelow(join(castle.root, `../entry-${theirs}`))).toEqual({
    'Content/Characters/BP_Player.uasset': harbor.read(player),
  })
  const [, pull = ''] = /`ph (pull [^`]+)`/.exec(stdout) ?? []
  expect((await castle.run(pull)).code).toBe(0)
  expect(castle.read(player)).toEqual(harbor.read(player))
})

test('status says whose prop lies at the path of a file; of two props there it means that of its own game, and a question names both sides', async () => {
  const { castle, harbor, api, of } = await twoGames()
  await castle.save(player, 'of Castle')
  expect((await castle.run('push --held new')).code).toBe(0)
  const { entries } = (await api.get('/entries?name=BP_Player')).body
  const [theirs, own] = entries.map(({ id }: Json) => id).sort((a: number, b: number) => a - b)
  for (const [game, entry] of [
    ['Castle', own],
    ['Harbor', theirs],
  ]) {
    const clone = machine(game, of)
    await clone.save(player, 'of a clone')
    const [file] = JSON.parse((await clone.run('status --json')).stdout).files
    expect(file).toMatchObject({ state: 'untracked', known_by: 'path', entry_id: entry, pushed_from: game })
    expect((await clone.run('status')).stdout).toContain(`the library has entry ${entry} of ${game} at this path\n`)
  }
  const inn = machine('Inn', of)
  await inn.save(wood, 'of the inn')
  expect((await inn.run('status', { columns: 200 })).stdout).toMatch(
    /M_Wood\.uasset {2}the library has entry \d+ of Harbor at this path, and Inn has none\n/,
  )
  const asked = await castle.run(`pull ${theirs} --on-conflict ask`, { columns: 200, typed: ['k\n'] })
  expect(words(asked.stderr)).toContain(
    `is entry ${own} of Castle, another prop. This pull brings v1 of entry ${theirs} of Harbor.`,
  )
  expect(castle.read(player)).not.toEqual(harbor.read(player))
})
