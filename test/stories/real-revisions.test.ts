/** One package saved again and again by real editors: its saves become versions of one lineage as far as its identity allows. */
import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findFolders } from '../../client/folders.ts'
import { push } from '../../client/push/push.ts'
import type { PushedItem } from '../../client/push/report.ts'
import { callAs } from '../support/api.ts'
import { fixtureFolder, realPackages } from '../support/real-packages.ts'
import { startTestServer } from '../support/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { attachAll } from '../support/unreal-project.ts'

const server = fixtureFolder ? await startTestServer() : undefined
const revisions = join(fixtureFolder ?? '/nonexistent', 'revisions')
const chains = fixtureFolder
  ? readdirSync(revisions).flatMap((project) => readdirSync(join(revisions, project)).map((asset) => join(project, asset)))
  : ['PH_FIXTURES names no folder']
/** The lasting GUID of each save, null where it has none or one that is new with every save (before 4.24). */
const guids = new Map(
  realPackages().map(({ path, expected }) => [
    path,
    expected.stable_guid_source === 'persistent_guid' ? expected.stable_guid : null,
  ]),
)

async function workspace() {
  const { url, keys } = (await server?.addWorkspace()) ?? expect.fail('there is no server')
  return { url, key: keys.mia, api: callAs(url, keys.mia) }
}

const savesOf = (chain: string): string[] =>
  readdirSync(join(revisions, chain)).sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))

const guidOf = (chain: string, save: string): string | null => {
  const path = [...guids.keys()].find((candidate) => candidate.startsWith(join('revisions', chain, save)))
  return guids.get(path ?? '') ?? null
}

test.runIf(fixtureFolder).each(chains)('%s, saved in one place', async (chain) => {
  const library = await workspace()
  const root = temporaryFolder()
  const folders = findFolders({ PH_STATE_DIR: temporaryFolder() })
  const items: PushedItem[] = []
  for (const save of savesOf(chain)) {
    cpSync(join(revisions, chain, save), root, { recursive: true })
    const { items: pushed } = await push({ paths: [root], ...library, folders })
    expect(pushed, save).toHaveLength(1)
    items.push(...pushed)
  }
  let known: string | null = null
  for (const [index, save] of savesOf(chain).entries()) {
    const guid = guidOf(chain, save)
    const before = items[index - 1]
    // Another lasting GUID: an asset that was made anew under the old name. Under /Game someone has to say so.
    const isAnother = known !== null && guid !== null && guid !== known
    if (isAnother) expect(['held', 'new'], save).toContain(items[index]?.status)
    else expect(items[index], save).toMatchObject({ status: 'new', parent_object_id: before?.object_id ?? null })
    if (before) expect(items[index]?.lineage_id === before.lineage_id, save).toBe(!isAnother)
    known = guid ?? known
  }
})

test.runIf(fixtureFolder).each(chains)('%s, saved by people who know nothing of each other', async (chain) => {
  const library = await workspace()
  const lineageOf = new Map<string, string | null>()
  for (const save of savesOf(chain)) {
    const folders = findFolders({ PH_STATE_DIR: temporaryFolder() })
    const paths = [join(revisions, chain, save)]
    const { items } = await push({ paths, ...library, folders })
    const guid = guidOf(chain, save)
    if (guid === null) continue
    if (!lineageOf.has(guid)) lineageOf.set(guid, items[0]?.lineage_id ?? null)
    else {
      const lineage = lineageOf.get(guid)
      expect(items, save).toMatchObject([{ status: 'held', reason: 'base_unknown', candidate_lineage_id: lineage }])
      const answered = await push({ paths, ...library, folders, held: attachAll })
      expect(answered.items, save).toMatchObject([{ status: 'new', lineage_id: lineage }])
    }
  }
})
