/** ph duplicates: what holds the same, what only looks alike, what could be saved, and what to do. */
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { callAs } from '../../support/api.ts'
import { startFront } from '../../support/http-front.ts'
import { lookedAt, lookingServer, pictureOf, putThumbnail } from '../../support/looking-server.ts'
import { ph, type Setting, signedIn } from '../../support/ph.ts'
import { item, pushed } from '../../support/push.ts'

const server = await lookingServer()

const newId = () => randomBytes(20).toString('hex')
const [mesh, picture] = [newId(), newId()]

async function filled() {
  const { url, keys } = await server.addWorkspace()
  const mia = callAs(url, keys.mia)
  const at = (path: string, [payload, bytes]: [id: string, sizeBytes: number], over = {}) =>
    item({
      asset_name: path.split('/').at(-1),
      origin_path: `/Game/${path}`,
      payload_ids: [payload],
      bytes: randomBytes(bytes),
      ...over,
    })
  const texture = { asset_class: 'Texture2D', entry: { entry_type: 'texture' } }
  const results = await pushed(mia, [
    at('Inn/SM_Barrel', [mesh, 3000]),
    at('Yard/SM_Cask', [mesh, 2000]),
    at('Inn/T_Oak', [picture, 500], texture),
    at('Yard/T_Wood', [picture, 400], texture),
    at('Yard/T_Planks', [picture, 400], texture),
    at('Yard/SM_Stone', [newId(), 100]),
  ])
  const ids = results.map(({ entry_id }) => entry_id as number)
  const env: Record<string, string> = { ...signedIn(url, keys.miaReads), NO_COLOR: '1', PH_PICTURES: 'off' }
  return { ids, env, url }
}

const library = await filled()

const run = (line = '', more: Setting = {}) => ph(`duplicates ${line}`, { env: library.env, ...more })
const ofGroups = async (line: string): Promise<string[]> => {
  const { code, stdout, stderr } = await run(`${line} --json`)
  expect(code, stderr).toBe(0)
  return JSON.parse(stdout).groups.map(({ payload_id }: { payload_id: string }) => payload_id)
}

test('programs get the groups as the route answers them, and a line for each entry without --json', async () => {
  const [barrel, cask, oak, wood, planks] = library.ids
  expect((await run('--json')).json()).toEqual({
    groups: [
      {
        payload_id: mesh,
        kind: 'mesh',
        bytes: 2000,
        entries: [
          { id: barrel, name: 'SM_Barrel' },
          { id: cask, name: 'SM_Cask' },
        ],
        total_entries: 2,
      },
      {
        payload_id: picture,
        kind: 'picture',
        bytes: 800,
        entries: [
          { id: oak, name: 'T_Oak' },
          { id: wood, name: 'T_Wood' },
          { id: planks, name: 'T_Planks' },
        ],
        total_entries: 3,
      },
    ],
    next_cursor: null,
  })
  const lines = (await run()).stdout.trimEnd().split('\n')
  expect(lines).toHaveLength(5)
  expect(lines[0]?.split('\t')).toEqual([mesh, 'mesh', '2.0 KiB', String(barrel), 'SM_Barrel'])
})

test('people read what is the same, what could be saved, and what to do next', async () => {
  const { code, stdout } = await run('', { columns: 120 })
  expect(code).toBe(0)
  expect(stdout).toContain('2 props hold the same mesh: 2.0 KiB could be saved')
  expect(stdout).toContain('3 props hold the same picture: 800 B could be saved')
  expect(stdout).toMatch(/SM_Cask +mesh +2\.0 KiB +Yard +\/Game\/Yard\/SM_Cask/)
  const words = stdout.replaceAll(/\s+/g, ' ')
  expect(words).toContain('2 groups; 2.7 KiB could be saved by keeping one of each.')
  expect(words).toContain(`ph show ${library.ids[0]}`)
  expect(words).toContain(`ph deprecate ${library.ids[1]}`)
})

test('groups are narrowed by kind, by a prop and by a pack, and end where a limit says', async () => {
  expect(await ofGroups('--type picture')).toEqual([picture])
  expect(await ofGroups('--type texture')).toEqual([picture])
  expect(await ofGroups('SM_Cask')).toEqual([mesh])
  expect(await ofGroups('SM_Stone')).toEqual([])
  expect(await ofGroups('--pack inn --type mesh')).toEqual([mesh])
  expect(await ofGroups('--limit 1')).toEqual([mesh])
  expect((await run('--limit 1')).stderr).toContain('see them with --all')
  expect(await ofGroups('--all')).toEqual([mesh, picture])
})

test('where nothing is the same, that is said with what is not known', async () => {
  const { code, stdout, stderr } = await run('SM_Stone')
  expect([code, stdout]).toEqual([0, ''])
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain('No two props are known to hold the same mesh, picture or sound.')
})

test.each([
  ['--type level', 'mesh, picture, sound'],
  ['--all --limit 3', 'exclude each other'],
  ['--min-score 0.9', 'Add --look-alikes'],
  ['--look-alikes --min-score 2', 'above 0 and up to 1'],
])('%s is wrong usage', async (line, words) => {
  const { code, stderr } = await run(line)
  expect(code).toBe(2)
  expect(stderr).toContain(words)
})

test('a prop or a pack that is nowhere is named', async () => {
  expect((await run('SM_Nowhere')).stderr).toContain('SM_Nowhere')
  expect((await run('--pack Nowhere')).stderr).toContain('Nowhere')
})

test('look-alikes are told apart from what holds the same, each pair once, with how alike they are', async () => {
  const shared = newId()
  const { ids, url, keys } = await lookedAt(server, [0, 0, 1, 30], (number) => ({
    payload_ids: number === 0 ? [shared] : [newId()],
  }))
  const env = { ...signedIn(url, keys.miaReads), NO_COLOR: '1', PH_PICTURES: 'off' }
  const { code, stdout } = await ph('duplicates --look-alikes --min-score 0.9 --json', { env })
  expect(code).toBe(0)
  const answer = JSON.parse(stdout)
  expect(answer.groups.map((group: { entries: { id: number }[] }) => group.entries.map(({ id }) => id))).toEqual([
    ids.slice(0, 2),
  ])
  const { look_alikes } = answer
  expect(look_alikes).toMatchObject({ compared: 4, without_looks: 0, more: false, unavailable: false })
  const pairs = look_alikes.groups.flatMap((group: { entry: { id: number }; entries: { id: number }[] }) =>
    group.entries.map(({ id }) => [group.entry.id, id].sort((a, b) => a - b)),
  )
  expect(pairs.sort()).toEqual([
    [ids[0], ids[2]],
    [ids[1], ids[2]],
  ])
  const shown = await ph(`duplicates ${ids[2]} --look-alikes --min-score 0.9`, { env, columns: 120 })
  expect(shown.stdout).toMatch(/looks like 2 other props that are not known to hold the same/)
  expect(shown.stdout).toMatch(/(very similar|looks the same) \(\d\.\d\d\)/)
  expect(shown.stderr).toContain('Compared the looks of 1 prop.')
})

test('what all looks alike is one group, without source files beside packages; scripts read a line for each', async () => {
  const { ids, url, keys } = await lookedAt(server, [0, 0, 0, 0, 50], (number) => ({
    entry: { entry_type: number === 50 ? 'source_mesh' : 'mesh' },
  }))
  const mia = callAs(url, keys.mia)
  const [source] = await pushed(mia, [item({ entry: { entry_type: 'source_mesh' } })])
  await putThumbnail(mia, source ?? {}, await pictureOf(0))
  await server.work.look()
  const env = { ...signedIn(url, keys.miaReads), NO_COLOR: '1', PH_PICTURES: 'off' }
  const { look_alikes } = JSON.parse((await ph('duplicates --look-alikes --json', { env })).stdout)
  const groups = look_alikes.groups.map(({ entry, entries }: { entry: { id: number }; entries: { id: number }[] }) =>
    [entry, ...entries].map(({ id }) => id).sort((a, b) => a - b),
  )
  expect(groups).toEqual([ids.slice(0, 4)])
  const lines = (await ph('duplicates --look-alikes', { env })).stdout.trimEnd().split('\n')
  const head = look_alikes.groups[0].entry.id
  expect(lines.map((line) => line.split('\t')).map(([group, kind]) => [group, kind])).toEqual(
    Array.from({ length: 4 }, () => [`looks-like-${head}`, 'mesh']),
  )
  const narrow = await ph('duplicates --look-alikes', { env, columns: 40 })
  expect(narrow.stdout).toContain('other props')
  for (const line of narrow.stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(40)
})

test('a prop without a picture is said to have been compared with nothing', async () => {
  const { code, stderr } = await run('SM_Stone --look-alikes')
  const words = stderr.replaceAll(/\s+/g, ' ')
  expect(code).toBe(0)
  expect(words).toContain('1 prop could not be compared: there is no picture, or the library has not looked at it yet.')
  expect(words).not.toContain('0 props')
})

test('a library that cannot compare pictures still says what holds the same, and ends with exit code 6', async () => {
  const off = await lookingServer('off')
  const { url, keys } = await off.addWorkspace()
  const shared = newId()
  const results = await pushed(callAs(url, keys.mia), [item({ payload_ids: [shared] }), item({ payload_ids: [shared] })])
  const env = signedIn(url, keys.mia)
  const { code, stdout, stderr } = await ph(`duplicates ${results[0]?.entry_id} --look-alikes`, { env })
  expect(code).toBe(6)
  expect(stdout.trimEnd().split('\n')).toHaveLength(2)
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain('Look-alikes are left out')
})

test('a server without that list is named as the one to update', async () => {
  const front = await startFront({ to: () => library.url, plain: true })
  const { code, stderr } = await run('', { env: { ...library.env, PH_URL: front.url } })
  expect(code).toBe(1)
  expect(stderr).toContain('This server does not know which props hold the same.')
})
