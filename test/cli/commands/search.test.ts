/** ph search: by every filter, in every order, for people, scripts and other commands; facets, pictures, and what to do when there is too much. */
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { callAs, type Json } from '../../support/api.ts'
import { startFront } from '../../support/http-front.ts'
import { ph, signedIn } from '../../support/ph.ts'
import { item, pushed } from '../../support/push.ts'
import { startTestServer } from '../../support/server.ts'
import { barrels, everything, mesh } from '../../support/small-library.ts'
import { smallSearch } from '../../support/small-search.ts'

const server = await startTestServer()
const { admin, ids, env, run, found, names } = await smallSearch(server)

test('without words everything is listed by name, one line each, and as the route answers it for programs', async () => {
  const { stdout, stderr } = await run('search')
  expect(stdout.trimEnd().split('\n')).toHaveLength(everything.length)
  expect(stdout.split('\n').map((line) => line.split('\t')[1])).toEqual([...everything, undefined])
  expect(stderr).toBe('')
  expect((await run('search --json')).json()).toEqual((await admin.get('/entries')).body)
})

test.each([
  ['--type material --type texture', ['M_Oak', 'T_Oak_Barrel']],
  ['--category Trees', ['SM_Pine']],
  ['--uncategorized', ['SM_Stone']],
  ['--category Trees --uncategorized', ['SM_Pine', 'SM_Stone']],
  ['--exclude-category Props --exclude-category Trees', ['M_Oak', 'SM_Stone', 'T_Oak_Barrel']],
  ['--categorized --pack Forest', ['SM_Pine']],
  ['--pack forest', ['SM_Pine', 'SM_Stone']],
  ['--name SM_Pine --name m_oak', ['M_Oak', 'SM_Pine']],
  ['--path /Game/Forest/SM_Stone', ['SM_Stone']],
  ['--path /Game/Forest/Trees/ --path /game/forest/sm_st*', ['SM_Pine', 'SM_Stone']],
  ['--pushed-from Nowhere', []],
  ['--variants', barrels],
  ['--no-variants --type mesh', ['SM_Pine', 'SM_Stone']],
  ['--review draft --category Trees', ['SM_Pine']],
  ['--review in-review', []],
  ['--triangles 300..1.2k', barrels],
  ['--triangles 9000', ['SM_Pine']],
  ['--triangles ..60', ['SM_Stone']],
  ['--vertices 200..', ['SM_OakBarrel']],
  ['--materials 2', ['SM_OldBarrel_01']],
  ['--lods ..2', ['SM_OldBarrel_01']],
  ['--bounds 90..120.5', barrels],
  ['--bounds 100..', ['SM_OakBarrel']],
  ['--collision', ['SM_Pine']],
  ['--no-collision', ['SM_Stone']],
  ['--nanite', ['SM_Pine']],
  ['--no-nanite', ['SM_Stone']],
  ['--deprecated --category Trees', ['SM_Gone', 'SM_Pine']],
])('%s leaves %j', async (line, expected) => {
  expect(await names(line)).toEqual(expected)
})

test('a tag is one argument, a variant group is known by its id', async () => {
  expect(await names(['--tag', 'Old Wood'])).toEqual(['SM_OldBarrel_01', 'SM_Pine'])
  const { variant_group } = (await admin.get(`/entries/${ids.SM_OakBarrel}`)).body
  expect(await names(`--variant-group ${variant_group.id}`)).toEqual(barrels)
  expect((await run(`show SM_OakBarrel`)).stdout).toContain(`one of 2 in group ${variant_group.id} (Barrels)`)
})

test('sorts put first what people look for first, and --reverse turns each round', async () => {
  const meshes = ['SM_Pine', 'SM_OakBarrel', 'SM_OldBarrel_01', 'SM_Stone']
  expect(await names('--type mesh --sort triangles')).toEqual(meshes)
  expect(await names('--type mesh --sort triangles --reverse')).toEqual(meshes.toReversed())
  expect(await names('--sort name --reverse')).toEqual(everything.toReversed())
  for (const [sort, field] of [
    ['updated', 'date_updated'],
    ['added', 'date_indexed'],
    ['size', 'blob_size'],
  ] as const) {
    const values = (await found(`--sort ${sort}`)).map((entry) => entry[field])
    expect(values, sort).toEqual(values.toSorted((a, b) => (a < b ? 1 : a > b ? -1 : 0)))
  }
})

test('ids alone are for other commands to read, all of them unless there is a limit', async () => {
  const lines = (await run('search --pack Tavern --exclude-category Materials --ids')).stdout
  expect(lines).toBe(`${ids.SM_OakBarrel}\n${ids.SM_OldBarrel_01}\n${ids.T_Oak_Barrel}\n`)
  const tagged = await run('tag add barrels - --create --json', { stdin: lines })
  expect(tagged.json()).toMatchObject({ affected: 3 })
  expect((await run('search --ids --limit 2')).stdout).toBe(`${ids.M_Oak}\n${ids.SM_OakBarrel}\n`)
  const nothing = await run('search --type audio --ids')
  expect([nothing.code, nothing.stdout]).toEqual([0, ''])
  expect((await run('tag delete barrels --yes')).code).toBe(0)
})

test('facets count by kind, with the options that lead there; each leads to as many as it says', async () => {
  const { stdout } = await run('search --facets')
  const rows = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'))
  expect(rows).toContainEqual(['type', 'mesh', '4', '--type mesh'])
  expect(rows).toContainEqual(['category', '(none)', '1', '--uncategorized'])
  expect(rows).toContainEqual(['tag', 'old wood', '2', "--tag 'old wood'"])
  expect(rows).toContainEqual(['triangles', '60 to 9,000', '', '--triangles 60..9000'])
  expect(rows).toContainEqual(['bounds', '90 to 120.5 cm', '', '--bounds 90..120.5'])
  for (const [, value, count, typed = ''] of rows) {
    if (count === '') continue
    const [option = '', ...rest] = typed.split(' ')
    const args = rest.length > 0 ? [option, rest.join(' ').replaceAll("'", '')] : [option]
    expect(await found(args), `${value} by ${typed}`).toHaveLength(Number(count))
  }
  expect((await run('search --facets --json')).json()).toEqual((await admin.get('/entries/facets')).body)
  const drawn = (await run('search --pack Tavern --type mesh --facets', { columns: 80 })).stdout
  expect(drawn).toMatch(/^2 entries\n/)
  expect(drawn).toMatch(/^type +mesh +2 +--type mesh \*\n +(material|texture) +1 +--type /m)
})

test('long facets are cut on a terminal, and say how much is missing', async () => {
  const { url, keys } = await server.addWorkspace()
  const olivia = callAs(url, keys.olivia)
  await pushed(
    olivia,
    Array.from({ length: 13 }, (_, at) => mesh(`SM_${at}`, `Pack/Category${at}`)),
  )
  const there = { env: { ...env, ...signedIn(url, keys.olivia) }, columns: 80 }
  expect((await ph('search --facets', there)).stdout).toMatch(/… 3 others +3 +see --all/)
  expect((await ph('search --facets --all', there)).stdout.match(/--category Category/g)).toHaveLength(13)
})

test('when nothing matches, it is said which filter is to blame, and what there would be without it', async () => {
  const { code, stdout, stderr } = await run(['search', '--type', 'Audio', '--category', 'Trees', '--uncategorized'])
  expect([code, stdout]).toEqual([0, ''])
  expect(stderr).toBe('Nothing matches --type Audio --category Trees --uncategorized.\n2 entries without --type Audio: mesh 2\n')
  expect((await run('search --category Trees --uncategorized --type material')).stderr).toContain(
    '\n1 entry without --category Trees --uncategorized: Materials 1\n',
  )
  expect((await run('search --triangles 1M..')).stderr).toContain('\n6 entries without --triangles 1000000..: 60 to 9,000\n')
  expect((await run('search --name SM_Gone')).stderr).toContain('\n1 entry with --deprecated\n')
  expect((await run('search --category Props --nanite --triangles 1M..')).stderr).toContain('leave out several')
  expect((await run('search --type audio --json')).stderr).toBe('')
})

test('an empty library says how it is filled', async () => {
  const { url, keys } = await server.addWorkspace()
  for (const line of ['search', 'search --collision --type mesh'])
    expect((await ph(line, { env: signedIn(url, keys.mia) })).stderr).toContain('`ph push`')
})

test('when there are more, it is said how many, how to see them, and what narrows them down', async () => {
  const { stdout, stderr } = await run('search --limit 2')
  expect(stdout.trimEnd().split('\n')).toHaveLength(2)
  expect(stderr).toBe(
    "2 of 6 shown; see them with --all, or fewer with --type mesh (4), --category Props (2), --tag 'old wood' (2).\n",
  )
  const first = (await run('search --json --limit 2')).json() as Json
  const rest = (await run(['search', '--json', '--cursor', first.next_cursor])).json() as Json
  expect([...first.entries, ...rest.entries].map(({ name }) => name)).toEqual(everything)
  expect(rest.next_cursor).toBeNull()
  expect(await names('--all')).toEqual(everything)
})

test.each([
  ['--all --limit 3', '--all and --limit exclude each other.'],
  ['--ids --json', '--ids and --json exclude each other.'],
  ['--facets --limit 3', '--facets lists no entries, so --limit means nothing.'],
  ['--sort relevance', '--sort relevance needs words to search for.'],
  ['barrel --reverse', 'With words, --reverse needs --sort.'],
  ['--sort beauty', '--sort does not take "beauty".'],
  ['--review done', '--review does not take "done".'],
  ['--min-score 0.5', '--min-score needs something to look like.'],
  ['--preview ready', 'no option `--preview`'],
  ['--triangles many', 'takes a range of whole numbers, not "many".'],
  ['--triangles 2k..100', 'The range "2k..100" of --triangles begins with the larger number.'],
  ['--triangles ..', '--triangles takes a range of whole numbers, not "..".'],
  ['--triangles 0.5', '--triangles takes a range of whole numbers, not "0.5".'],
  ['--bounds 1..2..3', '--bounds takes a range of numbers, not "1..2..3".'],
])('wrong usage is told before anything is asked: %s', async (line, message) => {
  const { code, stderr } = await ph(`search ${line}`)
  expect([code, stderr.includes(message)], stderr).toEqual([2, true])
})

test('a pack that is not there is named', async () => {
  expect((await run('search --pack Medieval')).stderr).toContain('There is no pack "Medieval".')
})

test('a type that is not there is an error with those that are, and one as lists show it is found', async () => {
  for (const [line, next] of [
    ['search --type meshes', 'Did you mean mesh? There are mesh, '],
    ['search --type mesh --type Wood --facets', 'There are mesh, '],
  ] as const) {
    const wrong = await run(`${line} --json`)
    const error = (JSON.parse(wrong.stderr) as Json).error
    expect([wrong.code, wrong.stdout, error.hint.startsWith(next)], error.hint).toEqual([2, '', true])
  }
  const { url, keys } = await server.addWorkspace()
  const there = signedIn(url, keys.mia)
  const [plain, source, other] = [
    item(),
    item({ entry: { entry_type: 'source_mesh' } }),
    item({ entry: { entry_type: 'holo_deck' } }),
  ]
  await pushed(callAs(url, keys.mia), [plain, source, other])
  for (const [type, found] of [
    ['source mesh', source],
    ['Source-Mesh', source],
    ['source_mesh', source],
    ['Holo Deck', other],
  ] as const)
    expect((await ph(['search', '--type', type], { env: there })).stdout.split('\t')[1], type).toBe(found.asset_name)
  expect((await ph('search --type source_mesh', { env: there, columns: 100 })).stdout).toContain('source mesh')
  const facets = (await ph('search --facets', { env: there })).stdout
  expect(facets).toContain("type\tsource mesh\t1\t--type 'source mesh'\n")
})

test('on a terminal it is said how many there are in all, and what stands in a card', async () => {
  const shows = { env: { ...env, COLORTERM: 'truecolor', TERM: 'xterm-256color' }, columns: 80 }
  expect((await ph('search --no-pictures', shows)).stderr).toContain('6 entries.')
  expect((await ph('search --name SM_Pine --no-pictures', shows)).stderr).toBe('1 entry.\n')
  expect((await ph('search --limit 2 --no-pictures', shows)).stderr).toContain('2 of 6 shown')
  const card = stripVTControlCharacters(
    (await ph('search --name SM_OakBarrel', { ...shows, env: { ...shows.env, NO_COLOR: '' } })).stdout,
  )
  expect(card).toMatch(/entry \d+ · \d+ B · updated /)
})

test('hits stand beside their pictures on a terminal that shows them; without, or elsewhere, they are rows', async () => {
  const shows = { env: { ...env, NO_COLOR: '', COLORTERM: 'truecolor', TERM: 'xterm-256color' }, columns: 60 }
  const front = await startFront({ to: () => String(env.PH_URL) })
  const watched = { ...shows, env: { ...shows.env, PH_URL: front.url } }
  const drawn = stripVTControlCharacters((await ph('search --type mesh', watched)).stdout)
  expect(drawn).toMatch(/^ █{8} {2}SM_OakBarrel\n █{8} {2}mesh · Tavern · Props\n/)
  expect(drawn).toMatch(/\n\n {11}SM_OldBarrel_01\n/)
  expect(front.asked.filter((line) => line.endsWith('/thumbnail'))).toHaveLength(2)
  for (const line of drawn.split('\n')) expect(line.length).toBeLessThanOrEqual(60)
  const rows = stripVTControlCharacters((await ph('search --type mesh --no-pictures', shows)).stdout)
  expect(rows).toMatch(/^ *ID +NAME/)
  expect((await run('search --type mesh')).stdout).not.toContain('█')
})

test('pictures that are out of reach are left out, and the hits are shown all the same', async () => {
  const front = await startFront({ to: () => String(env.PH_URL), storageAway: true })
  const shows = { env: { ...env, NO_COLOR: '', COLORTERM: 'truecolor', TERM: 'xterm-256color', PH_URL: front.url }, columns: 100 }
  for (const line of ['search --name SM_Pine', 'show SM_Pine']) {
    const { code, stdout } = await ph(line, { ...shows, pause: async () => undefined })
    expect([code, stripVTControlCharacters(stdout).includes('█'), stdout.includes('SM_Pine')], line).toEqual([0, false, true])
  }
})

test('a picture that is none, or gone, leaves its place empty', async () => {
  const { url, keys } = await server.addWorkspace()
  const olivia = callAs(url, keys.olivia)
  const [{ entry_id, object_id } = {}] = (await pushed(olivia, [item()])) as Json[]
  const media = { entry_id, object_id, kind: 'thumbnail' }
  const { targets } = (await olivia.post('/entries/media/presign', { items: [media] })).body
  const [{ upload_url, headers, artifact_id }] = targets
  expect((await fetch(new URL(upload_url, url), { method: 'PUT', headers, body: 'no picture' })).ok).toBe(true)
  await olivia.post('/entries/media/finalize', { items: [{ ...media, artifact_id }] })
  const shows = { env: { ...signedIn(url, keys.olivia), COLORTERM: 'truecolor', TERM: 'xterm-256color' }, columns: 120 }
  for (const line of ['search', `show ${entry_id}`]) {
    const { code, stdout } = await ph(line, shows)
    expect([code, stripVTControlCharacters(stdout).includes('█')], line).toEqual([0, false])
  }
})
