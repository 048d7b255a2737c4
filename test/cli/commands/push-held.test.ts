/** Held edits, earlier versions and other names, as a person at a terminal meets them and as a script does. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { writePackage } from '../../../sample/package.ts'
import { type Caller, callAs } from '../../support/api.ts'
import { type Outcome, ph, type Setting, signedIn } from '../../support/ph.ts'
import { startTestServer } from '../../support/server.ts'
import { temporaryFolder, writeFiles } from '../../support/temporary-folder.ts'
import { picture } from '../../support/unreal-project.ts'

const server = await startTestServer()
const file = 'Content/Tavern/SM_Barrel.uasset'

interface Machine {
  folder: string
  save(text: string): Promise<void>
  run(line: string, more?: Setting): Promise<Outcome>
}

let mia: Machine
let adam: Machine
let api: Caller
let slug: string

/** A person with a machine of their own: the same project, another home. */
function machineOf(env: Record<string, string>): Machine {
  const folder = temporaryFolder({ 'Inn.uproject': '{"EngineAssociation": "5.3"}' })
  const own = { ...env, PH_STATE_DIR: temporaryFolder(), PH_CACHE_DIR: temporaryFolder(), NO_COLOR: '1' }
  return {
    folder,
    async save(text) {
      const spec = { packageName: '/Game/Tavern/SM_Barrel', assetClass: 'StaticMesh', thumbnail: picture }
      writeFiles(folder, { [file]: await writePackage({ ...spec, payload: Buffer.from(text) }) })
    },
    run: (line, more = {}) => ph(line, { cwd: folder, ...more, env: { ...own, ...more.env } }),
  }
}

beforeEach(async () => {
  const workspace = await server.addWorkspace()
  const { url, keys } = workspace
  slug = workspace.slug
  mia = machineOf(signedIn(url, keys.mia))
  adam = machineOf(signedIn(url, keys.adam))
  api = callAs(url, keys.mia)
})

/** Mia pushed `versions`; Adam has an edit of the project, and nothing on his machine tells what it was made from. */
async function withUnknownBase(versions: readonly string[]): Promise<void> {
  for (const text of versions) {
    await mia.save(text)
    expect((await mia.run('push')).code).toBe(0)
  }
  await adam.save('by adam')
}
const words = (text: string): string => text.replaceAll(/\s+/g, ' ')
const versions = async (): Promise<number> => {
  const { entries } = (await api.get('/entries?name=SM_Barrel')).body
  return (await api.get(`/lineages/${entries[0].lineage_id}`)).body.objects.length
}

test('without a terminal a held edit says who pushed the current version and when, and what to type, with exit code 6', async () => {
  await withUnknownBase(['one', 'two', 'three'])
  const now = new Date(Date.now() + 3_600_000 * 2.5)
  const { code, stdout } = await adam.run('push', { now })
  expect(code).toBe(6)
  expect(stdout).toMatch(/v3 of entry \d+ of Inn was pushed by mia 2 hours ago; is yours made from it\?/)
  expect(stdout).toContain(`--attach ${file} `)
  expect(stdout).toContain(`--new ${file} `)
  expect(stdout).toMatch(/ph pull \d+ --project Inn --on-conflict overwrite/)
  expect(stdout).not.toContain('lin_')
  expect(await versions()).toBe(3)
})

test('a held edit says who has the prop checked out, and who can end that where they have left', async () => {
  await withUnknownBase(['one'])
  expect((await mia.run(`checkout ${file} --note rims`)).code).toBe(0)
  expect(words((await adam.run('push')).stdout)).toMatch(/Checked out by mia, just now, until .* left: rims\. --attach/)
  const left = {
    email: `mia@${slug}.test`,
    name: 'mia',
    display_name: 'mia',
    role: 'member' as const,
    status: 'disabled' as const,
  }
  await server.changeWorkspace(slug, { members: [left], keys: [] })
  const { code, stdout } = await adam.run('push')
  expect([code, words(stdout)]).toEqual([
    6,
    expect.stringMatching(/Checked out by mia, who has left, .*\. An owner or admin of the workspace can release it\./),
  ])
  expect(words((await adam.run(`push --attach ${file}`)).stdout)).toMatch(
    /Locked:.*Checked out by mia, who has left, .* can release it\./,
  )
})

test('what is printed decides: --attach makes the next version', async () => {
  await withUnknownBase(['one'])
  await adam.run('push')
  expect((await adam.run(`push --attach ${file}`)).stdout).toMatch(/1 new version/)
  expect(await versions()).toBe(2)
})

test('what is printed takes theirs first: the file is theirs then, mine is a backup, and there is nothing to push', async () => {
  await withUnknownBase(['one', 'two'])
  const [, pull = ''] = /ph (pull \d+ --project Inn --on-conflict overwrite)/.exec((await adam.run('push')).stdout) ?? []
  expect((await adam.run(pull)).code).toBe(0)
  const read = ({ folder }: Machine, path = file) => readFileSync(join(folder, path))
  expect(read(adam)).toEqual(read(mia))
  expect(readdirSync(join(adam.folder, 'Saved/PropHouse/Backups'))).toHaveLength(1)
  expect(await adam.run('push')).toMatchObject({ code: 0, stdout: expect.stringContaining('1 there already') })
})

test('on a terminal the question has both pictures, and yes makes the next version', async () => {
  await withUnknownBase(['one'])
  const env = { PH_PICTURES: 'blocks', COLORTERM: 'truecolor', NO_COLOR: '' }
  const { code, stdout, stderr } = await adam.run('push', { columns: 100, typed: ['v\n'], env })
  expect(words(stderr)).toMatch(/v1 of entry \d+ of Inn was pushed by mia just now; is yours made from it\?/)
  expect(words(stderr)).toContain('To take theirs first, skip it and run `ph pull')
  expect(stdout).toMatch(/yours: SM_Barrel +v1: SM_Barrel/)
  expect(code).toBe(0)
  expect(await versions()).toBe(2)
})

test('an answer that was typed about another version is not taken: the file is held again and names the newer one', async () => {
  await withUnknownBase(['one'])
  expect((await adam.run('push')).stdout).toMatch(/v1 of entry \d+ of Inn was pushed by mia/)
  await mia.save('two')
  await mia.run('push')
  const overtaken = await adam.run(`push --attach ${file}`)
  expect(overtaken.code).toBe(6)
  expect(overtaken.stdout).toMatch(/v2 of entry \d+ of Inn was pushed by mia/)
  expect((await adam.run(`push --attach ${file}`)).code).toBe(0)
  expect(await versions()).toBe(3)
})

test('a file taken back to its first version: status and push name the restore, and the restore brings them together', async () => {
  for (const text of ['one', 'two']) {
    await mia.save(text)
    await mia.run('push')
  }
  await mia.save('one')
  const status = await mia.run('status')
  expect(status.stdout).toMatch(/M Content\/Tavern\/SM_Barrel\.uasset {2}v1 again/)
  const [, restore = ''] = /`ph (restore \d+ --version v\d+)`/.exec(status.stdout) ?? []
  const pushed = await mia.run('push')
  expect(pushed.stdout).toContain('is v1 again; v2 is current.')
  expect(words(pushed.stdout)).toContain(`\`ph ${restore}\``)
  expect((await mia.run('status')).stdout).toContain('v1 again')
  expect((await mia.run(restore)).code).toBe(0)
  expect((await mia.run('status')).stdout).toMatch(/1 current/)
  expect((await mia.run('push')).stdout).not.toContain('again')
})

test('bytes that the library has under another name are found by both names after what is offered', async () => {
  const folder = temporaryFolder({ 'cliff.png': picture })
  await mia.run(`push ${folder} --yes`)
  const other = temporaryFolder({ 'wall.png': picture })
  const { stdout } = await adam.run(`push ${other} --yes`)
  expect(words(stdout)).toContain('wall.png has the same bytes as the prop cliff')
  const [, entry = ''] = /ph tag add "wall" (\d+) --create/.exec(words(stdout)) ?? []
  expect((await adam.run(`tag add wall ${entry} --create`)).code).toBe(0)
  expect((await adam.run('search wall --ids')).stdout).toBe(`${entry}\n`)
})
