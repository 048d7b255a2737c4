/** ph undo of what is no push: every family of changes, as the person who made them takes them back, with a colleague around. */
import { expect, test } from 'vitest'
import { callAs, type Json } from '../../support/api.ts'
import { type Outcome, ph, type Setting, signedIn } from '../../support/ph.ts'
import { item, pushed } from '../../support/push.ts'
import { startTestServer } from '../../support/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const server = await startTestServer()

/** Mia and Adam, an admin, at machines of their own, in a library of three props, of which A has two versions. */
async function library() {
  const { url, keys } = await server.addWorkspace()
  const api = callAs(url, keys.mia)
  const [a, b, c] = await pushed(
    api,
    ['A', 'B', 'C'].map((asset_name) => item({ asset_name })),
  )
  const { lineage_id: stamped_lineage_id, content_hash: stamped_base_hash } = a as Json
  const next = (who = api) => pushed(who, [item({ asset_name: 'A', stamped_lineage_id, stamped_base_hash })])
  await next()
  const at = (key: string) => {
    const env = { ...signedIn(url, key), PH_STATE_DIR: temporaryFolder(), PH_CONFIG_DIR: temporaryFolder(), NO_COLOR: '1' }
    const run = (line: string | string[], more: Setting = {}): Promise<Outcome> =>
      ph(line, { cwd: temporaryFolder(), env, ...more })
    const ok = async (line: string): Promise<Json> => {
      const outcome = await run(`${line} --json`)
      expect(outcome.code, `${line}: ${outcome.stdout}${outcome.stderr}`).toBe(0)
      return outcome.json() as Json
    }
    return { run, ok, env }
  }
  const [idA, idB, idC] = [a, b, c].map((one) => (one as Json).entry_id) as [number, number, number]
  return { api, adamApi: callAs(url, keys.adam), mia: at(keys.mia), adam: at(keys.adam), idA, idB, idC, next }
}

type Library = Awaited<ReturnType<typeof library>>
const errorOf = ({ stderr }: Outcome): Json => JSON.parse(stderr).error

/** All that the families change, without what every change moves: ids of groups, times, counts. */
async function stateOf({ api, idA, idB, idC }: Library): Promise<unknown> {
  const read = async (path: string): Promise<Json> => (await api.get(path)).body
  const entries = [idA, idB, idC].map(async (id) => {
    const { name, category, category_locked, status, tags, collections, variant_group, review_status, object_id } = await read(
      `/entries/${id}`,
    )
    const { comments } = await read(`/entries/${id}/comments`)
    const said = comments.map(({ body, resolved_at, reactions }: Json) => [body, resolved_at !== null, reactions])
    const { state } = await read(`/entries/${id}/watch`)
    const group = variant_group && [variant_group.label, variant_group.count]
    return { name, category, category_locked, status, tags, collections, group, review_status, object_id, said, state }
  })
  const pick = (list: Json[], ...fields: string[]) => list.map((one) => fields.map((field) => one[field]))
  return {
    entries: await Promise.all(entries),
    tags: pick((await read('/tags')).tags, 'name', 'color'),
    collections: pick((await read('/collections')).collections, 'name', 'description'),
    packs: pick((await read('/packs')).packs, 'name', 'notes'),
    projects: pick((await read('/projects')).projects, 'name', 'notes'),
    locks: pick((await read('/locks?active=true')).locks, 'lineage_id', 'note'),
    jobs: (await read('/pull-jobs?status=queued')).jobs.length,
    rounds: (await read('/review-requests?view=all&status=open')).requests.length,
    prefs: (await read('/notifications/prefs')).prefs,
  }
}

/** Does it, sees that the library has changed, takes it back, and sees that it is as it was. */
async function thereAndBack(all: Library, person: 'mia' | 'adam', line: string | string[]): Promise<void> {
  const before = await stateOf(all)
  const done = await all[person].run(line)
  const told = `${line}: ${done.stdout}${done.stderr}`
  expect(done.code, told).toBe(0)
  expect(await stateOf(all), told).not.toEqual(before)
  const undone = await all[person].ok('undo --yes')
  expect(undone, `${told}\n${JSON.stringify(undone)}`).toMatchObject({ failed: 0 })
  expect(await stateOf(all), `${told}\n${JSON.stringify(undone)}`).toEqual(before)
  const again = await all[person].run(`undo ${undone.number} --yes --json`)
  expect(errorOf(again)).toMatchObject({ code: 'NOTHING_TO_UNDO', message: expect.stringContaining('was taken back') })
}

test('tags, collections, categories, names, groups, packs and projects are as they were, and only what changed is changed back', async () => {
  const all = await library()
  const { api, idA, idB, idC } = all
  await thereAndBack(all, 'mia', 'tag create oak --color #8b5a2b')
  const { body: pine } = await api.post('/tags', { name: 'pine' })
  await api.put(`/entries/${idA}/tags/${pine.id}`, undefined)
  await thereAndBack(all, 'mia', 'tag add pine A B')
  await thereAndBack(all, 'mia', 'tag add new A C --create')
  await thereAndBack(all, 'mia', 'tag remove pine A B')
  await thereAndBack(all, 'mia', 'tag edit pine --name fir --color #112233')
  await api.patch(`/entries/${idB}`, { category: 'Walls' })
  await thereAndBack(all, 'mia', 'category set Floors A B C --yes')
  await thereAndBack(all, 'mia', 'category clear A B C')
  await thereAndBack(all, 'mia', 'rename A Other')
  await thereAndBack(all, 'adam', 'deprecate A B')
  await thereAndBack(all, 'mia', 'restore A --version v1')
  await thereAndBack(all, 'mia', 'variant group A B --label Looks')
  await api.post('/entries/variant-group/bulk', { entry_ids: [idA, idB, idC], action: 'group', label: 'Looks' })
  await thereAndBack(all, 'mia', 'variant ungroup A')
  await thereAndBack(all, 'mia', 'variant ungroup A B C')
  await thereAndBack(all, 'mia', 'collection create Inn')
  await api.post('/collections', { name: 'Barn' })
  await thereAndBack(all, 'mia', 'collection add Barn A B')
  await thereAndBack(all, 'mia', 'collection edit Barn --name Stable --description Horses')
  await thereAndBack(all, 'adam', 'pack create Bought')
  await api.post('/packs', { name: 'Made' })
  await thereAndBack(all, 'mia', 'pack edit Made --notes Here')
  await thereAndBack(all, 'mia', 'project create Tavern')
  await api.post('/projects', { name: 'Harbour' })
  await thereAndBack(all, 'mia', 'project edit Harbour --name Port --notes Boats')
})

test('what people say, watch, check out, send and ask for is taken back', async () => {
  const all = await library()
  const { api, idA } = all
  await api.post('/projects', { name: 'Tavern' })
  await thereAndBack(all, 'mia', ['comment', 'A', 'Hello'])
  const { body: said } = await api.post(`/entries/${idA}/comments`, { body: 'First' })
  await thereAndBack(all, 'mia', ['comment', 'edit', String(said.id), 'Second'])
  await thereAndBack(all, 'mia', `resolve ${said.id}`)
  await api.post(`/comments/${said.id}/resolve`, {})
  await thereAndBack(all, 'mia', `resolve ${said.id} --undo`)
  await thereAndBack(all, 'mia', `react ${said.id} 👍`)
  await thereAndBack(all, 'mia', 'mute A')
  await thereAndBack(all, 'adam', 'deprecate C')
  await thereAndBack(all, 'mia', 'notifications prefs comment.new off')
  await thereAndBack(all, 'mia', ['checkout', 'A', 'B', '--note', 'Rings'])
  expect((await all.mia.run(['checkout', 'A', '--note', 'Hoops', '--ttl', '5h'])).code).toBe(0)
  await thereAndBack(all, 'mia', 'release A')
  await thereAndBack(all, 'mia', ['checkout', 'A', '--note', 'Other', '--ttl', '9h'])
  await thereAndBack(all, 'mia', 'send A --project Tavern')
  await thereAndBack(all, 'mia', 'review request B --reviewer max')
  await thereAndBack(all, 'mia', 'review decide approved C')
})

test('what someone has changed since stays, and who did it is named; the rest is taken back', async () => {
  const { mia, api, adamApi, idA, idB, next } = await library()
  await mia.ok('category set Floors A B --yes')
  await adamApi.patch(`/entries/${idA}`, { category: 'Walls' })
  const partly = await mia.run('undo --yes')
  expect(partly.code).toBe(6)
  expect(partly.stdout).toContain('Someone has changed the category of A since: Walls.')
  const category = async (id: number) => (await api.get(`/entries/${id}`)).body.category
  expect([await category(idA), await category(idB)]).toEqual(['Walls', 'Props'])

  await mia.run(['comment', 'A', 'Mine'])
  const { comments } = (await api.get(`/entries/${idA}/comments`)).body
  await adamApi.post(`/entries/${idA}/comments`, { body: 'Yes', parent_id: comments[0].id })
  const refused = await mia.run('undo --yes --json')
  expect([refused.code, (refused.json() as Json).parts[0]]).toMatchObject([
    5,
    { status: 'failed', why: expect.stringMatching(/^Adam.* has replied to it/i) },
  ])
  await mia.ok('checkout B')
  await mia.ok('release B')
  const { lineage_id } = (await api.get(`/entries/${idB}`)).body
  await adamApi.post('/locks', { lineage_id })
  const held = await mia.run('undo --yes')
  expect([held.code, held.stdout]).toEqual([5, expect.stringMatching(/Adam.* has B checked out by now\./i)])
  await mia.ok('restore A --version v1')
  await next(adamApi)
  const overtaken = await mia.run('undo --yes')
  expect([overtaken.code, overtaken.stdout]).toEqual([
    5,
    expect.stringMatching(/adam has made another version of A current since/i),
  ])
  await mia.ok('tag create oak')
  const { tags } = (await api.get('/tags')).body
  await adamApi.put(`/entries/${idB}/tags/${tags[0].id}`, undefined)
  expect((await mia.run('undo --yes')).stdout).toContain('the tag oak is in use by now: 1 prop has it. It stays.')
})

test('a number that the library gave to something else, after it was set back, is left alone', async () => {
  const { mia, api, adamApi, idA, idC } = await library()
  // As after a restore that began no epoch: another one made the same, or something else, under the number of what was lost.
  const later = new Date(Date.now() + 3_600_000).toISOString()
  const { sql } = server.database
  const requireLeft = async (id: number, table: 'comments' | 'collections' | 'entries' | 'locks') => {
    await sql`update ${sql(table)} set ${sql(table === 'entries' ? 'date_indexed' : 'created_at')} = ${later} where id = ${id}`
    const left = await mia.run('undo --yes --json')
    expect([left.code, (left.json() as Json).parts[0]], table).toMatchObject([
      5,
      {
        status: 'failed',
        why: `Number ${id} is something else now: the library was set back to an earlier state, and gave it out again.`,
      },
    ])
  }
  await mia.run(['comment', 'A', 'Mine'])
  const { comments } = (await api.get(`/entries/${idA}/comments`)).body
  await requireLeft(comments[0].id, 'comments')
  expect((await api.get(`/entries/${idA}/comments`)).body.comments).toHaveLength(1)
  await mia.ok('collection create Inn')
  const { collections } = (await api.get('/collections')).body
  await requireLeft(collections[0].id, 'collections')
  expect((await api.get('/collections')).body.collections).toHaveLength(1)
  await mia.ok('checkout C')
  const { locks } = (await api.get('/locks?active=true')).body
  await requireLeft(locks[0].id, 'locks')
  expect((await adamApi.get('/locks?active=true')).body.locks).toHaveLength(1)
  await mia.ok('category set Floors C --yes')
  await requireLeft(idC, 'entries')
  expect((await api.get(`/entries/${idC}`)).body.category).toBe('Floors')
})

test('what cannot be taken back says why, the list shows it, and others are taken back by number', async () => {
  const { mia, api, adam } = await library()
  await mia.ok('tag create oak')
  await mia.ok('tag add oak A')
  await mia.ok('tag delete oak --yes')
  await mia.ok('rename B Barrel')
  const { changes } = await mia.ok('undo --list')
  expect(changes).toMatchObject([
    { number: 4, what: 'B: named Barrel', can_be_taken_back: true, why: null },
    { number: 3, can_be_taken_back: false, why: expect.stringContaining('gone from the library') },
    { number: 2, what: 'A: got the tag oak', can_be_taken_back: true },
    { number: 1, what: 'Made the tag oak' },
  ])
  const stays = await mia.run('undo 3 --yes --json')
  expect([stays.code, errorOf(stays)]).toMatchObject([1, { code: 'NOT_UNDOABLE', next: ['ph undo --list'] }])
  expect(await mia.ok('undo 4 --dry-run')).toMatchObject({ dry_run: true, changed: 1, parts: [{ status: 'would' }] })
  const unasked = await mia.run('undo 4 --json')
  expect([unasked.code, errorOf(unasked).code]).toEqual([2, 'NOT_CONFIRMED'])
  expect((await api.get('/entries?name=Barrel')).body.entries).toHaveLength(1)
  await mia.ok('undo 4 --yes')
  expect((await api.get('/entries?name=Barrel')).body.entries).toEqual([])
  const missing = await mia.run('undo 99 --yes --json')
  expect(errorOf(missing).code).toBe('NOTHING_TO_UNDO')
  expect((await adam.ok('undo --list')).changes).toEqual([])
})

test('people are told once how to take it back, programs and scripts are not, and a list that cannot be written fails nothing', async () => {
  const { mia } = await library()
  const seen = await mia.run('rename A Tree', { columns: 80 })
  expect(seen.stderr.match(/Take back: ph undo/g)).toHaveLength(1)
  expect((await mia.run('rename B Bush')).stderr).toBe('')
  expect((await mia.run('rename B Bush', { columns: 80 })).stderr).not.toContain('Take back')
  const lost = await mia.run('rename C Twig', { columns: 200, env: { ...mia.env, PH_STATE_DIR: '/dev/null/state' } })
  expect([lost.code, lost.stderr]).toEqual([0, expect.stringMatching(/^ph undo cannot take this back: .* cannot be written/m)])
  const asked = await mia.run('undo', { columns: 80, typed: ['y\n'] })
  expect(asked.stderr).toContain('B: named Bush')
  expect(asked.stdout).toContain('Taken back.')
})
