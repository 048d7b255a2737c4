/** The commands that keep a library in order, as a person and as a script run them, against a real library. */
import { beforeEach, expect, test } from 'vitest'
import { type Caller, callAs, type Json } from '../../support/api.ts'
import { startFront } from '../../support/http-front.ts'
import { type Outcome, ph, type Setting, signedIn } from '../../support/ph.ts'
import { item, pushed, uniqueName } from '../../support/push.ts'
import { startTestServer } from '../../support/server.ts'

const server = await startTestServer()
let env: Record<string, string>
let asAdmin: Record<string, string>
let mia: Caller
/** Names and ids of three entries. */
let names: [string, string, string]
let ids: number[]

beforeEach(async () => {
  const { url, keys } = await server.addWorkspace()
  env = { ...signedIn(url, keys.mia), NO_COLOR: '1' }
  asAdmin = { ...signedIn(url, keys.adam), NO_COLOR: '1' }
  mia = callAs(url, keys.mia)
  names = [uniqueName('SM_A'), uniqueName('SM_B'), uniqueName('SM_C')]
  ids = (
    await pushed(
      mia,
      names.map((asset_name) => item({ asset_name })),
    )
  ).map(({ entry_id }) => entry_id)
})

const run = (line: string | string[], more: Setting = {}): Promise<Outcome> => ph(line, { env, ...more })
const shown = async (id = ids[0]): Promise<Json> => (await mia.get(`/entries/${id}`)).body
const errorOf = ({ stderr }: Outcome): Json => JSON.parse(stderr).error
const tagsOf = async (id?: number) => (await shown(id)).tags.map(({ name }: Json) => name)

test('tags are put on what is named and what is piped, and taken off again', async () => {
  expect((await run(['tag', 'create', 'dark oak', '--color', '#8b5a2b'])).stdout).toMatch(/^Made the tag dark oak \(\d+\)\.\n$/)
  const added = await run(['tag', 'add', 'Dark Oak', names[0], '-', '--json'], { stdin: `${names[1]}\n\n${ids[0]}\n` })
  expect([added.code, added.json()]).toMatchObject([0, { dry_run: false, affected: 2, action: 'add' }])
  expect([await tagsOf(ids[0]), await tagsOf(ids[1]), await tagsOf(ids[2])]).toEqual([['dark oak'], ['dark oak'], []])
  const removed = await run(['tag', 'remove', 'dark oak', names[0]])
  expect(removed.stdout).toBe('Took the tag dark oak off 1 prop.\n')
  expect((await run('tag list')).stdout).toMatch(/^\d+\tdark oak\t#8b5a2b\t1\n$/)
  await run(['tag', 'edit', 'dark oak', '--name', 'oak', '--color', 'none'])
  expect((await shown(ids[1])).tags).toMatchObject([{ name: 'oak', color: null }])
  expect((await run('tag delete oak --yes')).stdout).toBe('The tag oak is deleted; it was on 1 entry.\n')
})

test('a dry run says of each entry what would change, and changes nothing', async () => {
  await run('tag create oak')
  await run(`tag add oak ${names[0]}`)
  const dry = await run(`tag add oak ${names[0]} ${names[1]} --dry-run --json`)
  expect(dry.json()).toEqual({
    dry_run: true,
    affected: 1,
    entries: [
      { entry_id: ids[0], name: names[0], change: null },
      { entry_id: ids[1], name: names[1], change: 'gets the tag oak' },
    ],
  })
  expect((await run(`tag add pine ${names[0]} --create --dry-run`)).stdout).toContain('gets the tag pine')
  for (const line of ['tag delete oak', `category set Walls ${names[0]}`, `variant group ${names[0]} ${names[1]}`])
    expect((await run(`${line} --dry-run`)).code, line).toBe(0)
  expect(await shown()).toMatchObject({ tags: [{ name: 'oak' }], category: 'Props', variant_group: null })
  expect(await tagsOf(ids[1])).toEqual([])
  expect((await run('tag list --json')).json()).toMatchObject({ tags: [{ name: 'oak' }] })
})

test('a tag that is not there is named with how to list them; --create makes it', async () => {
  const missing = await run(`tag add oak ${names[0]} --json`)
  expect([missing.code, missing.stdout, errorOf(missing)]).toMatchObject([
    1,
    '',
    { code: 'TAG_NOT_FOUND', hint: 'List them with `ph tag list`, or make it with --create.', next: ['ph tag list'] },
  ])
  expect(errorOf(await run(`tag remove oak ${names[0]} --json`)).hint).toBe('List them with `ph tag list`.')
  expect((await run(`tag add oak ${names[0]} --create`)).code).toBe(0)
  expect(await tagsOf()).toEqual(['oak'])
  const taken = await run('tag create OAK --json')
  expect([taken.code, errorOf(taken).code]).toEqual([5, 'CONFLICT'])
  expect((await run('tag create pine --color red')).code).toBe(2)
  expect((await run('tag edit oak')).code).toBe(2)
})

test('one unknown entry among many and none of them is changed', async () => {
  await run('tag create oak')
  for (const line of [
    `tag add oak ${ids[0]} 987654`,
    `category set Walls ${ids[0]} 987654 --yes`,
    `variant group ${ids[0]} 987654`,
  ]) {
    const refused = await run(`${line} --json`)
    expect([refused.code, errorOf(refused).details], line).toEqual([1, { missing: [987_654] }])
  }
  expect(await shown()).toMatchObject({ tags: [], category: 'Props', variant_group: null })
  expect((await run('category set Walls - --yes', { stdin: '\n' })).code).toBe(2)
})

test('a dry run looks at many entries with a handful of requests, and at each alone where the server has no better', async () => {
  await run('tag create oak')
  const many = [
    ...ids,
    ...(
      await pushed(
        mia,
        Array.from({ length: 30 }, () => item()),
      )
    ).map(({ entry_id }) => entry_id),
  ]
  const stdin = many.join('\n')
  for (const line of ['tag add oak -', 'category set Walls -', 'variant ungroup -', 'delete -', 'deprecate -']) {
    const outcomes: unknown[] = []
    for (const plain of [false, true]) {
      const front = await startFront({ to: () => String(asAdmin.PH_URL), plain })
      const dry = await run(`${line} --dry-run --json`, { stdin, env: { ...asAdmin, PH_URL: front.url } })
      expect(dry.code, dry.stderr).toBe(0)
      outcomes.push(dry.json())
      if (plain) expect(front.asked.length, line).toBeGreaterThan(many.length)
      else expect(front.asked.length, line).toBeLessThan(4)
    }
    expect(outcomes[0]).toMatchObject({ dry_run: true, entries: many.map((entry_id) => ({ entry_id })) })
    expect(outcomes[1]).toEqual(outcomes[0])
  }
  const unknown = await run('tag add oak - --dry-run --json', { stdin: `${stdin}\n987654\n987655` })
  expect([unknown.code, errorOf(unknown)]).toMatchObject([
    1,
    { code: 'ENTRY_NOT_FOUND', details: { missing: [987_654, 987_655] } },
  ])
})

test('many pairs of names are looked up together, and each entry gets its own', async () => {
  const front = await startFront({ to: () => String(env.PH_URL) })
  const stdin = names.map((name, at) => `${name}\tBarrel ${at}\n`).join('')
  const renamed = await run('rename - --json', { stdin, env: { ...env, PH_URL: front.url } })
  expect(renamed.json()).toMatchObject({ changed: 3, failed: 0 })
  expect(front.asked.map((line) => line.split(' ')[0]).toSorted()).toEqual(['GET', 'PATCH', 'PATCH', 'PATCH', 'POST'])
  for (const [at, id] of ids.entries()) expect((await shown(id)).name).toBe(`Barrel ${at}`)
})

test('collections are made, filled, shown, renamed and deleted, and their entries stay', async () => {
  await run(['collection', 'create', 'Tavern', '--description', 'All of the inn'])
  expect((await run('collection create Tavern')).stderr).toContain('Choose another name, or use the one that is there.')
  expect((await run(`collection add tavern ${names.join(' ')}`)).stdout).toBe('Added 3 props to the collection Tavern.\n')
  await run(`collection remove Tavern ${names[2]}`)
  const lines = (await run('collection show Tavern')).stdout.split('\n')
  expect(lines.slice(0, 2)).toEqual(['Tavern, 2 entries', 'All of the inn'])
  expect(lines[2]).toContain(names[0])
  await run(['collection', 'edit', 'Tavern', '--name', 'Inn', '--description', ''])
  expect((await run('collection list --json')).json()).toMatchObject({
    collections: [{ name: 'Inn', description: null, entry_count: 2 }],
  })
  expect((await run('collection delete Inn --yes')).stdout).toBe('The collection Inn is deleted; its 2 entries stay.\n')
  const gone = await run('collection show Inn --json')
  expect([gone.code, errorOf(gone).code]).toEqual([1, 'COLLECTION_NOT_FOUND'])
  expect(await shown()).toMatchObject({ id: ids[0], collections: [] })
})

test('categories are set and cleared, and counted', async () => {
  expect((await run(`category set Walls ${names[0]} ${names[1]} --yes`)).stdout).toBe('Put 2 props into the category Walls.\n')
  expect(await shown()).toMatchObject({ category: 'Walls', category_locked: true })
  expect((await run('category list')).stdout).toBe('Props\t1\t1\nWalls\t2\t1\n')
  await run(`category clear ${names[0]}`)
  expect(await shown()).toMatchObject({ category: null, category_locked: false })
})

test('entries become variants of one prop and stop being so; two groups are not joined', async () => {
  const grouped = (await run(`variant group ${names[0]} ${names[1]} --label Stools --json`)).json() as Json
  expect((await shown()).variant_group).toEqual({ id: grouped.variant_group_id, label: 'Stools', count: 2 })
  await run(`variant group ${names[2]}`)
  const refused = await run(`variant group ${names.join(' ')} --json`)
  expect([refused.code, errorOf(refused).code]).toEqual([5, 'CONFLICT'])
  expect((await run(`variant ungroup ${names.join(' ')}`)).stdout).toBe('Took 3 props out of their variant groups.\n')
  expect((await shown()).variant_group).toBeNull()
})

test('one entry is renamed by hand, many by pairs on standard input, and a wrong line changes none', async () => {
  expect((await run(['rename', names[0], 'Oak barrel'])).stdout).toBe(`${ids[0]}\t${names[0]}\trenamed to Oak barrel\n`)
  const wrong = await run('rename -', { stdin: `${ids[1]}\tPine barrel\n${ids[2]} Ash barrel\n` })
  expect([wrong.code, wrong.stderr.includes('Line 2')]).toEqual([2, true])
  expect((await shown(ids[1])).name).toBe(names[1])
  const dry = await run('rename - --dry-run', { stdin: `${ids[1]}\tPine barrel\n` })
  expect(dry.stdout).toBe(`${ids[1]}\t${names[1]}\twould be renamed to Pine barrel\n\nNothing was changed.\n`)
  const many = await run('rename - --json', { stdin: `${ids[1]}\tPine barrel\r\n${ids[0]}\tOak barrel\n987654\tNone\n` })
  expect([many.code, many.json()]).toMatchObject([6, { changed: 1, unchanged: 1, failed: 1 }])
  expect((await shown(ids[1])).name).toBe('Pine barrel')
  const unnamed = await run(['rename', 'Oak barrel'])
  expect([unnamed.code, unnamed.stderr]).toEqual([2, expect.stringContaining(`ph rename 'Oak barrel' "<new name>"`)])
})

test('admins deprecate and bring back; a member is told that only they may, and nothing changes', async () => {
  const refused = await run(`deprecate ${names.join(' ')} --json`)
  expect([refused.code, refused.stdout, errorOf(refused).code]).toEqual([1, '', 'FORBIDDEN'])
  expect((await run(`deprecate ${names[0]}`, { env: asAdmin })).stdout).toBe(`${ids[0]}\t${names[0]}\tdeprecated\n`)
  expect((await run(`deprecate ${names[0]} --json`, { env: asAdmin })).json()).toMatchObject({ changed: 0, unchanged: 1 })
  expect((await shown()).status).toBe('deprecated')
  expect((await run(`deprecate ${names[0]} --undo`, { env: asAdmin })).stdout).toContain('brought back')
  expect((await shown()).status).toBe('active')
})

test('what was pulled is not deleted, the rest is: 6 when some went, 5 when none could', async () => {
  await mia.post('/pull-jobs', { target_project: 'Tavern', entries: [{ entry_id: ids[0] }] })
  const dry = await run(`delete ${names.join(' ')} --dry-run`, { env: asAdmin })
  expect(dry.code).toBe(6)
  expect(dry.stdout).toContain(`${ids[1]}\t${names[1]}\twould be deleted`)
  expect((await shown(ids[1])).id).toBe(ids[1])
  const some = await run(`delete ${names[0]} ${names[1]} --yes --json`, { env: asAdmin })
  expect([some.code, some.json()]).toMatchObject([
    6,
    { changed: 1, failed: 1, entries: [{ status: 'failed', error: { code: 'CONFLICT' } }, { status: 'done' }] },
  ])
  expect((await mia.get(`/entries/${ids[1]}`)).status).toBe(404)
  expect((await run(`delete ${names[0]}`, { env: asAdmin })).code).toBe(5)
  const { pack } = await shown(ids[0])
  const whole = await run(['pack', 'delete', pack.name, '--yes'], { env: asAdmin })
  expect([whole.code, whole.stderr]).toEqual([5, expect.stringContaining(`\`ph deprecate ${ids[0]}\``)])
  const { stdout } = await run(`delete ${names[0]}`, { env: asAdmin, columns: 60 })
  expect(stdout).toContain(`${names[0]}  not possible\n\n- `)
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain('cannot be deleted. Deprecate it instead.')
  expect(Math.max(...stdout.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(60)
})

test('what cannot be undone is asked about with its plan; without a terminal --yes is needed, and named', async () => {
  await run('tag create oak')
  await run(`tag add oak ${names[0]}`)
  await run('collection create Tavern')
  const asked = [
    ['tag delete oak', 'The tag oak would be deleted, and taken off 1 entry.'],
    ['collection delete Tavern', 'The collection Tavern would be deleted; its 0 entries stay.'],
    ['pack delete Pack', '3 entries, 3 versions'],
    [`delete ${names[0]} ${names[1]}`, 'would be deleted'],
    [
      `category set Prop ${names[0]}`,
      'There is no category Prop yet. Similar names: Props. A new one would be made, with 1 entry in it.',
    ],
  ] as const
  const state = async () => [await shown(), (await run('tag list')).stdout, (await run('collection list')).stdout]
  const before = await state()
  for (const [line, plan] of asked) {
    const refused = await run(line, { env: asAdmin })
    expect([refused.code, refused.stdout, refused.stderr], line).toEqual([2, '', expect.stringContaining(plan)])
    expect(refused.stderr, line).toContain('Add --yes')
    const told = errorOf(await run(`${line} --json`, { env: asAdmin }))
    expect([told.code, Object.keys(told.details).length > 0], line).toEqual(['NOT_CONFIRMED', true])
    const no = await run(line, { env: asAdmin, columns: 120, typed: ['\n'] })
    expect([no.code, no.stdout, no.stderr], line).toEqual([1, '', expect.stringContaining(plan)])
    expect(no.stderr, line).toMatch(/\[y\/N\] > (\S|\s)*Nothing was changed\./)
  }
  expect(await state()).toEqual(before)
  for (const [line] of asked.toReversed()) {
    if (line.startsWith('pack')) continue
    expect((await run(line, { env: asAdmin, columns: 120, typed: ['y\n'] })).code, line).toBe(0)
  }
  expect((await mia.get(`/entries/${ids[1]}`)).status).toBe(404)
  expect((await run('pack delete Pack', { env: asAdmin, columns: 120, typed: ['yes\n'] })).code).toBe(0)
  expect((await run('tag list --json')).json()).toEqual({ tags: [] })
  expect((await run('collection list --json')).json()).toEqual({ collections: [] })
})

test('a key that may not delete is told so before anything is asked', async () => {
  for (const line of [`delete ${names[0]}`, 'pack delete Pack']) {
    const { code, stderr } = await run(line, { columns: 120, typed: ['y\n'] })
    expect([code, stderr], line).toEqual([1, expect.stringContaining('Only an admin of the workspace may delete')])
    expect(stderr, line).not.toContain('[y/N]')
    expect(stderr, line).toMatch(/next: Ask an admin of the workspace to do it\.\n$/)
  }
  expect((await shown()).id).toBe(ids[0])
})

test('a category that is there, and entries of which none could be deleted, need no question', async () => {
  expect((await run(`category set Props ${names[0]}`)).stdout).toBe('Put 1 prop into the category Props.\n')
  await mia.post('/pull-jobs', { target_project: 'Tavern', entries: [{ entry_id: ids[0] }] })
  const refused = await run(`delete ${names[0]} --json`, { env: asAdmin })
  expect([refused.code, refused.json()]).toMatchObject([5, { dry_run: false, changed: 0, failed: 1 }])
})

test('an entry goes back a version, or to the one that is named, and a version of another is refused', async () => {
  const { lineage_id, content_hash, object_id } = await shown()
  const stamp = { asset_name: names[0], stamped_lineage_id: lineage_id, stamped_base_hash: content_hash }
  const [next = {}] = await pushed(mia, [item(stamp)])
  expect((await run(`restore ${names[0]} --dry-run`)).stdout).toContain('would be restored to v1')
  expect((await shown()).object_id).toBe(next.object_id)
  expect((await run(`restore ${names[0]} ${names[1]} --json`)).json()).toMatchObject({ changed: 1, unchanged: 1, failed: 0 })
  expect((await shown()).object_id).toBe(object_id)
  await run(`restore ${names[0]} --version v2`)
  expect((await shown()).object_id).toBe(next.object_id)
  expect((await run(`restore ${names[0]} --version v2`)).stdout).toContain('is at v2 already')
  await run(`restore ${names[0]} --version v1`)
  await run(`restore ${names[0]} --version ${next.object_id}`)
  expect((await shown()).object_id).toBe(next.object_id)
  const other = await run(`restore ${names[1]} --version ${object_id} --json`)
  expect([other.code, other.json()]).toMatchObject([1, { failed: 1 }])
  expect((await run(`restore ${names[0]} ${names[1]} --version ${object_id}`)).code).toBe(2)
})

test('packs are made, described and deleted with what they hold', async () => {
  await run(['pack', 'create', 'Bought', '--product-url', 'https://a.test/p', '--notes', 'in spring'])
  expect((await run(['pack', 'edit', 'bought', '--name', 'Bought set', '--notes', ''])).stdout).toMatch(
    /^Bought set \(\d+\): 0 entries/,
  )
  expect((await run(['pack', 'show', 'Bought set', '--json'])).json()).toMatchObject({
    product_url: 'https://a.test/p',
    notes: null,
  })
  expect((await run('pack edit Pack')).code).toBe(2)
  for (const [option, wrong, form] of [
    ['--engine-version', 'five', '5.4.2'],
    ['--product-url', 'nix', 'https://'],
  ] as const)
    for (const line of ['pack edit Pack', 'pack create Other']) {
      const { code, stderr } = await run(`${line} ${option} ${wrong}`)
      expect([code, stderr]).toEqual([2, expect.stringContaining(`"${wrong}"`)])
      expect(stderr).toContain(form)
    }
  expect((await run('pack delete Pack --dry-run', { env: asAdmin })).stdout).toContain('3 entries, 3 versions')
  expect((await run('pack delete Pack --yes --json')).code).toBe(1)
  expect((await run('pack delete Pack --yes --json', { env: asAdmin })).json()).toMatchObject({
    deleted_entries: 3,
    kept_shared_objects: 0,
  })
  expect((await run('pack list --json')).json()).toMatchObject({ packs: [{ name: 'Bought set' }] })
})

test('projects say where pulls land, and are forgotten without their jobs', async () => {
  await run('project create Tavern --root /Game/Kit')
  expect((await run('project edit tavern --root /Game/Inn')).stdout).toBe('Pulls into Tavern land below /Game/Inn.\n')
  const job = (await mia.post('/pull-jobs', { target_project: 'Tavern', entries: [{ entry_id: ids[0] }] })).body
  expect(job.target_root).toBe('/Game/Inn')
  expect((await run('project list --json')).json()).toMatchObject({ projects: [{ name: 'Tavern', job_count: 1 }] })
  expect((await run('project create TAVERN')).code).toBe(5)
  expect((await run('project create Inn --root Content')).code).toBe(2)
  expect((await run('project delete Tavern')).code).toBe(2)
  expect((await run('project delete Tavern --yes')).stdout).toBe('The project Tavern is forgotten; its 1 pull job stays.\n')
  expect((await mia.get(`/pull-jobs/${job.id}`)).status).toBe(200)
})
