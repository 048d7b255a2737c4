/** One entry of the library: ph show and history, by id, name and path. */
import { stripVTControlCharacters } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { type Caller, callAs, type Json } from '../../support/api.ts'
import { ph, signedIn } from '../../support/ph.ts'
import { item, plainFile, pushed } from '../../support/push.ts'
import { startTestServer } from '../../support/server.ts'

let env: Record<string, string>
let caller: Caller
let barrel: Json
let table: Json
/** When everything had been pushed. */
let now: Date

/** A barrel of two versions, which needs a material that needs a texture; a table that needs the barrel softly. */
beforeAll(async () => {
  const server = await startTestServer()
  const { url, keys } = await server.addWorkspace()
  env = { ...signedIn(url, keys.olivia), NO_COLOR: '1' }
  caller = callAs(url, keys.olivia)
  const place = (name: string, kind = 'Props') => ({ asset_name: name, origin_path: `/Game/Tavern/${kind}/${name}` })
  const texture = plainFile(place('T_Oak', 'Textures'))
  const material = item({
    ...place('M_Oak', 'Materials'),
    asset_class: 'Material',
    entry: { entry_type: 'material', name: 'M_Oak' },
    dependencies: [{ content_hash: texture.content_hash }],
  })
  const needsMaterial = { dependencies: [{ content_hash: material.content_hash }] }
  const first = item({ ...place('SM_Barrel'), ...needsMaterial, entry: { metadata: { tri_count: 1204 } } })
  const soft = item({ ...place('SM_Table'), dependencies: [{ content_hash: first.content_hash, hard: false }] })
  const results = await pushed(caller, [texture, material, first, soft])
  const stamp = { stamped_lineage_id: results[2]?.lineage_id, stamped_base_hash: first.content_hash }
  const second = item({ ...place('SM_Barrel'), ...needsMaterial, ...stamp, entry: { metadata: { tri_count: 900 } } })
  await pushed(caller, [second], { note: 'Rounder\n  hoops', project: 'Tavern' })
  const twins = ['A', 'B'].map((pack) => item({ asset_name: 'SM_Twin', origin_path: `/Game/${pack}/SM_Twin` }))
  await pushed(caller, twins)
  barrel = { entry_id: results[2]?.entry_id, first: results[2]?.object_id }
  table = { entry_id: results[3]?.entry_id }
  now = new Date()
})

test('show finds an entry by id, by name, by path and by the path as the editor copies it', async () => {
  for (const reference of [
    barrel.entry_id,
    'SM_Barrel',
    '/Game/Tavern/Props/SM_Barrel',
    '/game/tavern/props/sm_barrel',
    '/Game/Tavern/Props/SM_Barrel.SM_Barrel',
  ]) {
    const { code, stdout } = await ph(`show ${reference} --json`, { env })
    expect(code, String(reference)).toBe(0)
    expect(JSON.parse(stdout).entry.id).toBe(barrel.entry_id)
  }
})

test('show tells facts, versions, what the prop needs as a tree, and who needs it', async () => {
  const { stdout } = await ph('show SM_Barrel', { env, now, columns: 80 })
  expect(stdout).toContain('/Game/Tavern/Props/SM_Barrel')
  expect(stdout).toMatch(/triangles +900/)
  expect(stdout).toMatch(/version +v2, pushed by olivia from Tavern just now\nnote +Rounder hoops\n/)
  expect(stdout).toContain('2 versions')
  expect(stdout).toMatch(/Dependencies: 2 files/)
  expect(stdout).toMatch(/└─ M_Oak {2}Material, \d+ B, needed by 2\n {3}└─ T_Oak {2}Texture2D, \d+ B\n/)
  // It was saved with the barrel's first version.
  expect(stdout).toMatch(/Referencers: 1 entry\n└─ SM_Table {2}StaticMesh/)
  const material = await ph('show M_Oak', { env, columns: 80 })
  expect(material.stdout).toMatch(/Referencers: \d entr/)
  expect(material.stdout).toContain('SM_Table  StaticMesh')
})

test('referencers are current files, whichever version they were saved with: parts of a level are named as that', async () => {
  const crate = item()
  const dependencies = [{ content_hash: crate.content_hash }]
  const actor = plainFile({ dependencies, origin_path: '/Game/__ExternalActors__/Maps/L_Town/0/1A/AAAA', asset_class: 'Actor' })
  const first = item({ dependencies, asset_name: 'SM_Pile' })
  const [ofCrate, , pile] = (await pushed(caller, [crate, actor, first])) as Json[]
  const next = (of: Json, { content_hash: stamped_base_hash, origin_path, asset_name }: Json) =>
    item({ stamped_lineage_id: of.lineage_id, stamped_base_hash, origin_path, asset_name })
  const shown = async () => (await ph(['show', crate.origin_path as string, '--dependents'], { env, columns: 80 })).stdout
  await pushed(caller, [next(ofCrate as Json, crate)])
  expect(await shown()).toMatch(/Referencers: 1 entry[\s\S]* {2}Actor, part of L_Town\n[\s\S]*SM_Pile {2}StaticMesh\n/)
  // Its next version needs the crate no more.
  await pushed(caller, [next(pile as Json, first)])
  expect(await shown()).not.toContain('SM_Pile')
})

test('show says softly where a dependency is soft', async () => {
  const { stdout } = await ph(`show ${table.entry_id}`, { env, columns: 80 })
  expect(stdout).toContain('SM_Barrel  StaticMesh (soft), ')
})

test('one part alone is shown, and asked for, when it is named', async () => {
  const parts = async (options: string) => Object.keys((await ph(`show SM_Barrel ${options} --json`, { env })).json() as Json)
  expect(await parts('')).toEqual(['entry', 'lineage', 'closure', 'dependents'])
  expect(await parts('--closure')).toEqual(['entry', 'closure'])
  expect(await parts('--versions --dependents')).toEqual(['entry', 'lineage', 'dependents'])
  const { stdout } = await ph('show SM_Barrel --closure --depth 1', { env, columns: 80 })
  expect(stdout).toMatch(
    /^SM_Barrel {2}StaticMesh\n\nDependencies: 2 files, .* with this one\n└─ M_Oak .*\n {3}└─ … 1 more\nall of it: ph show \d+ --closure --all\n$/,
  )
  expect((await ph('show SM_Barrel --depth 0', { env })).code).toBe(2)
})

test('show tells measures with their units, and leaves out what nobody knows', async () => {
  const metadata = {
    ...{ tri_count: 12_500, bounds_x: 120.25, bounds_y: 80, bounds_z: 1000, has_collision: false, nanite_enabled: true },
    ...{ texture_count: 4, max_texture_res: 2048, pbr_channels: 'base_color,normal', audio_duration: 2.5, sample_rate: 44_100 },
    ...{ channel_count: 2, texture_width: 1024, texture_height: 512, texture_format: 'BC7', source_app: 'Blender 4.1' },
  }
  const [{ entry_id } = {}] = (await pushed(caller, [item({ entry: { metadata } })])) as Json[]
  const { stdout } = await ph(`show ${entry_id}`, { env, columns: 80 })
  const facts = Object.fromEntries(stdout.split('\n').map((line) => [line.slice(0, 13).trim(), line.slice(13)]))
  expect(facts).toMatchObject({
    ...{ triangles: '12,500', bounds: '120.3 x 80 x 1,000 cm', collision: 'no', Nanite: 'yes', textures: '4, up to 2,048 px' },
    ...{ channels: 'base color, normal', texture: '1,024 x 512 px, BC7', length: '2.5 s', sound: '44,100 Hz, stereo' },
    ...{ 'made with': 'Blender 4.1', pulled: 'never' },
  })
  expect(facts).not.toHaveProperty('bones')
})

test('a name that several entries have is refused with the ids to choose from', async () => {
  const { code, stderr } = await ph('show SM_Twin --json', { env })
  expect(code).toBe(1)
  const { error } = JSON.parse(stderr)
  expect(error.code).toBe('ENTRY_AMBIGUOUS')
  expect(error.details.entry_ids).toHaveLength(2)
  expect(error.message).toContain('/Game/A/SM_Twin')
})

test('what is not there is named', async () => {
  const nobody = await ph('show Nobody', { env, columns: 200 })
  expect(nobody.stderr).toContain('No entry is named "Nobody".\n next: Names must be given whole; look for it with')
  expect((await ph('show /Game/No/Where', { env })).stderr).toContain('/Game/No/Where')
  expect((await ph('show 999999', { env })).code).toBe(1)
  expect((await ph('show /Engine/Basic', { env })).code).toBe(2)
})

test('part of a name is answered with the names that search finds by it', async () => {
  const { code, stderr } = await ph('show twin', { env, columns: 200 })
  expect([code, stderr]).toEqual([1, expect.stringContaining('next: Did you mean SM_Twin? Names must be given whole;')])
  const barrel = await ph('download barrel', { env, columns: 200 })
  expect(barrel.stderr).toContain('Did you mean SM_Barrel')
})

test('history lists versions newest first and marks the current one by a sign', async () => {
  const { stdout } = await ph('history SM_Barrel', { env, columns: 80 })
  const rows = stdout.split('\n').filter((line) => /^[* ] +v\d/.test(line))
  expect(rows).toHaveLength(2)
  expect(rows[0]).toMatch(/^\* +v2 .*olivia +Rounder hoops +Tavern/)
  expect(rows[1]).toMatch(/^ +v1 .*olivia +- +-/)
  const { objects } = (await ph('history SM_Barrel --json', { env })).json() as Json
  expect(objects.map(({ is_face }: Json) => is_face)).toEqual([true, false])
})

test.each([60, 80, 120])('at %i columns no line is wider than the terminal, with colour or without', async (columns) => {
  for (const line of ['search', 'show SM_Barrel', 'show M_Oak', 'show M_Oak --dependents', 'history SM_Barrel', 'whoami']) {
    const plain = await ph(line, { env, now, columns })
    const colored = await ph(line, { env: { ...env, NO_COLOR: '', FORCE_COLOR: '1', PH_PICTURES: 'off' }, now, columns })
    expect(stripVTControlCharacters(colored.stdout)).toBe(plain.stdout)
    expect(colored.stdout).not.toBe(plain.stdout)
    for (const text of plain.stdout.split('\n')) expect(text.length, text).toBeLessThanOrEqual(columns)
  }
})
