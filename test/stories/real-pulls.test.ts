/** Props of real editors, pulled into empty projects: byte for byte where they were, known from then on, edited and pushed on. */
import { appendFileSync, cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findFolders } from '../../client/folders.ts'
import { push } from '../../client/push/push.ts'
import { status } from '../../client/status/status.ts'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { emptyProject, filesBelow, onlyJob } from '../support/pull.ts'
import { sha256 } from '../support/push.ts'
import { fixtureFolder } from '../support/real-packages.ts'
import { startTestServer } from '../support/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const server = fixtureFolder ? await startTestServer() : undefined
const projects = fixtureFolder ? readdirSync(join(fixtureFolder, 'content')) : ['PH_FIXTURES names no folder']
const newestEngine = '5.9'

/** A library that holds one project, and where that lies. */
async function pushed(name: string) {
  const { url, keys } = (await server?.addWorkspace()) ?? expect.fail('there is no server')
  const library = { url, key: keys.mia, api: callAs(url, keys.mia) }
  const root = join(temporaryFolder(), name)
  cpSync(join(fixtureFolder ?? '', 'content', name), root, { recursive: true })
  const folders = findFolders({ PH_STATE_DIR: temporaryFolder() })
  await push({ paths: [root], url, key: keys.mia, folders })
  return { library, root, folders }
}

async function entriesOf(api: Caller): Promise<Json[]> {
  const entries: Json[] = []
  for (let cursor = ''; ; ) {
    const { body } = await api.get(`/entries?limit=200${cursor}`)
    entries.push(...body.entries)
    if (!body.next_cursor) return entries
    cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`
  }
}

/** Where the members of an entry's closure belong, with their hashes; and how many have no place under /Game. */
async function placesOf(api: Caller, id: number): Promise<{ places: Record<string, string>; elsewhere: number }> {
  const { members } = (await api.get(`/entries/${id}/closure`)).body
  const inGame = members.filter(({ origin_path }: Json) => origin_path !== null)
  const file = ({ origin_path, source_ext, asset_class }: Json) =>
    `${origin_path.slice('/Game/'.length)}.${source_ext ?? (asset_class === 'World' ? 'umap' : 'uasset')}`
  const places = Object.fromEntries(inGame.map((member: Json) => [file(member), member.content_hash]))
  return { places, elsewhere: members.length - inGame.length }
}

const hashesOf = (files: Record<string, Buffer>) =>
  Object.fromEntries(Object.entries(files).map(([path, bytes]) => [path, sha256(bytes)]))

test.runIf(fixtureFolder).each(projects)('every prop of %s comes as it was, and is known when it comes again', async (name) => {
  const { library } = await pushed(name)
  const cache = temporaryFolder()
  for (const { id, name: title } of await entriesOf(library.api)) {
    const { places, elsewhere } = await placesOf(library.api, id)
    const project = emptyProject('Target', { engine: newestEngine, cache })
    const pull = () => project.pull(library, undefined, { order: async () => [{ entry_id: id }] })
    const count = Object.keys(places).length
    const job = onlyJob(await pull())
    expect(job.summary, title).toMatchObject({ added: count, left_out: elsewhere, failed: 0 })
    // Content of plugins stays out of a project that has none of them, and each file says so.
    const leftOut = job.files.filter(({ outcome }) => outcome === 'left_out')
    for (const { error } of leftOut) expect(error, title).toMatch(/plugin/)
    expect(hashesOf(project.files()), title).toEqual(places)
    expect(onlyJob(await pull()).summary, title).toMatchObject({ added: 0, identical: count })
  }
})

test.runIf(fixtureFolder)(
  'an edit of what was pulled is lost by no pull, and pushed it is the next version everywhere',
  async () => {
    const { library, root, folders } = await pushed('KawaiiPhysicsSample')
    const [entry] = (await entriesOf(library.api)).filter(({ asset_class }) => asset_class === 'SkeletalMesh')
    const project = emptyProject('Target', { engine: newestEngine })
    const order = async () => [{ entry_id: entry.id }]
    // What the mesh needs was pushed with its first version, and needs that one again.
    const pull = () => project.pull(library, undefined, { order })
    const first = onlyJob(await pull())
    const item = first.files.find(({ content_hash }) => content_hash === entry.content_hash) ?? expect.fail('it did not come')
    const file = join(project.root, item.file)
    appendFileSync(file, 'edited')
    const edited = readFileSync(file)
    expect(onlyJob(await pull()).summary).toMatchObject({ kept: 1, identical: first.files.length - 1 })
    expect(readFileSync(file).equals(edited)).toBe(true)

    const targetFolders = findFolders({ PH_STATE_DIR: project.state })
    const again = await push({ paths: [project.root], ...library, folders: targetFolders })
    expect(again.items.filter((one) => one.status === 'new')).toMatchObject([
      {
        file: item.file,
        lineage_id: item.lineage_id,
        parent_object_id: item.object_id,
        entry_id: entry.id,
        entry_created: false,
      },
    ])
    expect(onlyJob(await pull()).summary).toMatchObject({ identical: first.files.length })

    const seen = await status({ paths: [root], cwd: root, ...library, folders })
    expect(seen.files.filter(({ state }) => state === 'outdated').map(({ file: path }) => path)).toEqual([
      expect.stringContaining(item.file.split('/').at(-1) ?? ''),
    ])
    expect(Object.keys(filesBelow(join(project.root, 'Saved')))).toEqual([])
  },
)
