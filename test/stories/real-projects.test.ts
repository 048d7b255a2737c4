/** Projects of real editors, pushed: what stands in the library is what their files imply, and is found by word, filter and tag. */
import { createHash } from 'node:crypto'
import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findFolders } from '../../client/folders.ts'
import { push } from '../../client/push/push.ts'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { ph, signedIn } from '../support/ph.ts'
import { fixtureFolder, type RealPackage, realPackages } from '../support/real-packages.ts'
import { startTestServer } from '../support/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const server = fixtureFolder ? await startTestServer() : undefined
const projects = fixtureFolder ? readdirSync(join(fixtureFolder, 'content')) : ['PH_FIXTURES names no folder']
const packages = realPackages()

/** What expected.json says beside what the header tests use of it. */
interface InProject {
  origin_path: string | null
  hard_dependencies_in_project: string[]
  soft_dependencies_in_project: string[]
}
const expectedOf = (one: RealPackage) => one.expected as RealPackage['expected'] & InProject

const hashes = new Map(packages.map(({ path, bytes }) => [path, createHash('sha256').update(bytes).digest('hex')]))
const propsOf = (name: string) =>
  packages.filter(({ path, expected }) => path.startsWith(`content/${name}/`) && expected.asset_class !== 'ObjectRedirector')

async function workspace() {
  const { url, keys } = (await server?.addWorkspace()) ?? expect.fail('there is no server')
  return { url, key: keys.mia, api: callAs(url, keys.mia) }
}

async function entriesOf(api: Caller): Promise<Map<string, Json>> {
  const entries: Json[] = []
  for (let cursor = ''; ; ) {
    const { body } = await api.get(`/entries?limit=200${cursor}`)
    entries.push(...body.entries)
    if (!body.next_cursor) return new Map(entries.map((entry) => [entry.content_hash, entry]))
    cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`
  }
}

/** Needs that a file says itself, of plugins too. */
function impliedNeeds(one: RealPackage): { hard: string[]; soft: string[] } {
  const byPath = new Map(packages.map((other) => [other.path, other]))
  const { hard_dependencies_in_project, soft_dependencies_in_project } = expectedOf(one)
  const told = (paths: string[]) => paths.flatMap((path) => (byPath.has(path) ? (hashes.get(path) ?? []) : []))
  const hard = told(hard_dependencies_in_project)
  return {
    hard: hard.sort(),
    soft: told(soft_dependencies_in_project)
      .filter((hash) => !hard.includes(hash))
      .sort(),
  }
}

async function needsInLibrary(api: Caller, entry: Json): Promise<{ hard: string[]; soft: string[] }> {
  const { body } = await api.get(`/entries/${entry.id}/closure`)
  const direct = (edge: string) =>
    body.members.flatMap((member: Json) => (member.depth === 1 && member.edge === edge ? member.content_hash : [])).sort()
  return { hard: direct('hard'), soft: direct('soft') }
}

const groupOf = ({ entry_type, pack, category }: Json): string[] => [
  ...['--type', entry_type, '--pack', pack.name],
  ...(category === null ? ['--uncategorized'] : ['--category', category]),
]
const sortedIds = (list: readonly Json[]): number[] => list.map(({ id }) => id).toSorted((a, b) => a - b)

/** By its name, among those of its type, pack and category, and by a tag that was put on what a search found. */
async function findEach({ url, key, api }: Awaited<ReturnType<typeof workspace>>, entries: readonly Json[]): Promise<void> {
  const run = (line: readonly string[], stdin?: string) => ph(line, { env: signedIn(url, key), stdin })
  for (const { id, name } of entries) {
    const { body } = await api.get(`/entries?q=${encodeURIComponent(name)}&limit=200`)
    expect(sortedIds(body.entries), name).toContain(id)
  }
  for (const [filters, group] of Map.groupBy(entries, (entry) => JSON.stringify(groupOf(entry)))) {
    const { stdout } = await run(['search', ...JSON.parse(filters), '--ids'])
    expect(
      stdout
        .split('\n')
        .flatMap((line) => (line === '' ? [] : Number(line)))
        .toSorted((a, b) => a - b),
      filters,
    ).toEqual(sortedIds(group))
    expect((await run(['tag', 'add', `a ${group[0]?.entry_type}`, '-', '--create'], stdout)).code, filters).toBe(0)
  }
  for (const [type, group] of Map.groupBy(entries, ({ entry_type }) => entry_type as string)) {
    const found = (await run(['search', '--tag', `A ${type}`, '--all', '--json'])).json() as Json
    expect(sortedIds(found.entries), type).toEqual(sortedIds(group))
  }
}

test.runIf(fixtureFolder).each(projects)('%s', async (name) => {
  const library = await workspace()
  const root = join(temporaryFolder(), name)
  cpSync(join(fixtureFolder ?? '', 'content', name), root, { recursive: true })
  const pushAll = (state: string) => push({ paths: [root], ...library, folders: findFolders({ PH_STATE_DIR: state }) })
  const remembered = temporaryFolder()
  const first = await pushAll(remembered)
  expect(first.problems.filter(({ weight }) => weight === 'failed')).toEqual([])
  const entries = await entriesOf(library.api)
  const props = propsOf(name)
  const engine = name === 'UXTools-2020' ? null : undefined
  for (const one of props) {
    const { asset_class, asset_name, origin_path, engine_version_known, engine_version, thumbnail } = expectedOf(one)
    const entry = entries.get(hashes.get(one.path) ?? '') ?? expect.fail(`${one.path} is no entry`)
    expect(entry, one.path).toMatchObject({ name: asset_name, asset_class, origin_path, has_thumbnail: thumbnail !== null })
    if (engine_version_known) expect(entry.engine_version, one.path).toBe(engine_version)
    else if (engine !== undefined) expect(entry.engine_version, one.path).toBe(engine)
    expect(await needsInLibrary(library.api, entry), one.path).toEqual(impliedNeeds(one))
  }
  const sources = [...entries.values()].filter(({ source_ext }) => source_ext !== null)
  expect(entries.size).toBe(props.length + sources.length)
  await findEach(library, [...entries.values()])

  const { new: added, dedup, ...others } = (await pushAll(temporaryFolder())).summary
  expect({ added, dedup }).toEqual({ added: 0, dedup: first.summary.new + first.summary.dedup })
  expect(others).toMatchObject({ held: 0, denied: 0, failed: 0, entries_created: 0, thumbnails: 0 })
  expect(await pushAll(remembered)).toMatchObject({ items: [], summary: { new: 0, dedup } })
})
