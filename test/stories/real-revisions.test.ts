// The same package saved again and again by real editors: what continues a lineage, and what is another asset.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { findFolders } from '../../client/folders.ts'
import { push } from '../../client/push.ts'
import { fixtureFolder } from '../support/real-packages.ts'
import { startTestServer } from '../support/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

interface Identity {
  stable_guid: string | null
  stable_guid_source: string | null
}

const folder = fixtureFolder ?? '/nowhere'
const server = fixtureFolder ? await startTestServer() : undefined
const expected: Record<string, Identity> = fixtureFolder
  ? JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')).files
  : {}

/** Revisions of one package in the order of their saves. */
const histories = fixtureFolder
  ? readdirSync(join(folder, 'revisions')).flatMap((project) =>
      readdirSync(join(folder, 'revisions', project)).map((asset) => join('revisions', project, asset)),
    )
  : []

/** The package in a folder that holds one save of it. */
function packageIn(dir: string): string {
  const [entry] = readdirSync(dir).sort()
  const path = join(dir, entry ?? '')
  return statSync(path).isDirectory() ? packageIn(path) : path
}

for (const history of histories) {
  test(`${history}: saves that keep their identity are versions of one lineage`, { timeout: 120_000 }, async () => {
    if (!server) throw new Error('no server')
    const { url, keys } = await server.addWorkspace()
    const saves = readdirSync(join(folder, history)).sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
    const lineages = new Map<string, string | null>()
    for (const save of saves) {
      const file = packageIn(join(folder, history, save))
      const guid = expected[relative(folder, file)]?.stable_guid
      const folders = findFolders({ PH_STATE_DIR: temporaryFolder() })
      const report = await push({ url, key: keys.mia, folders, paths: [file] })
      const item = report.items.find((one) => basename(one.file) === basename(file))
      if (!guid) continue
      if (lineages.has(guid)) expect(item).toMatchObject({ status: 'new', lineage_id: lineages.get(guid), entry_created: false })
      else if (item?.status === 'new') lineages.set(guid, item.lineage_id)
    }
  })

  test(`${history}: saved again and again in one project, every save is the next version of its prop`, {
    timeout: 120_000,
  }, async () => {
    if (!server) throw new Error('no server')
    const { url, keys } = await server.addWorkspace()
    const root = temporaryFolder()
    // The Cesium packages belong to a plugin and say so from 5.1 on.
    writeFileSync(join(root, history.includes('Cesium') ? 'CesiumForUnreal.uplugin' : 'Project.uproject'), '{}')
    const saves = readdirSync(join(folder, history)).sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
    const folders = findFolders({ PH_STATE_DIR: join(root, 'state') })
    let [lineage, lasting]: (string | null)[] = [null, null]
    for (const save of saves) {
      const file = packageIn(join(folder, history, save))
      const facts = expected[relative(folder, file)]
      const place = join(root, 'Content', relative(folder, file).split('/Content/')[1] ?? '')
      mkdirSync(dirname(place), { recursive: true })
      copyFileSync(file, place)
      const { items } = await push({ url, key: keys.mia, folders, paths: [join(root, 'Content')] })
      const guid = facts?.stable_guid_source === 'persistent_guid' ? facts.stable_guid : null
      // Another lasting GUID is another asset that took the place of the old one: made anew under its name.
      const anew = lineage === null || (guid !== null && lasting !== null && guid !== lasting)
      if (!anew) expect(items).toMatchObject([{ status: 'new', entry_created: false, lineage_id: lineage }])
      lineage = items[0]?.lineage_id ?? null
      lasting = guid
    }
  })
}
