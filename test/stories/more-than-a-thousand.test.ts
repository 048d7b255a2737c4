/** A pack of 1,100 props with one texture, by `ph` as people type it: pulled, sent, downloaded and checked out whole, however little a job holds. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Json } from '../support/api.ts'
import { signedIn } from '../support/ph.ts'
import { phProcess } from '../support/ph-process.ts'
import { startTestServer } from '../support/server.ts'
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts'
import { packageAt } from '../support/unreal-project.ts'

const server = await startTestServer()
const { url, keys } = await server.addWorkspace()
const count = 1100

function machine(key: string, project: string) {
  const cwd = temporaryFolder({ [`${project}.uproject`]: '{"EngineAssociation": "5.3"}' })
  const folders = { PH_CONFIG_DIR: temporaryFolder(), PH_STATE_DIR: temporaryFolder(), PH_CACHE_DIR: temporaryFolder() }
  const env = { ...signedIn(url, key), ...folders, PH_PREVIEWS: 'off' }
  const ph = async (line: string, stdin = '') => {
    const ending = await phProcess(line.split(' '), { cwd, env, stdin })
    expect(ending.code, `ph ${line}\n${ending.stdout}${ending.stderr}`).toBe(0)
    return ending.stdout
  }
  const ask = async (line: string, stdin = ''): Promise<Json> => JSON.parse(await ph(`${line} --json`, stdin))
  return { cwd, ph, ask }
}
const propsIn = (cwd: string): number =>
  existsSync(join(cwd, 'Content/Pack'))
    ? readdirSync(join(cwd, 'Content/Pack')).filter((name) => name.startsWith('SM_')).length
    : 0

test('a pack of 1,100 props is pulled, sent, downloaded and checked out by one command each', { timeout: 900_000 }, async () => {
  const olivia = machine(keys.olivia, 'Source')
  for (let at = 0; at < count; at++) {
    const place = `Content/Pack/SM_M${at}.uasset`
    const imports = at % 1000 === 0 ? ['/Game/Pack/T_Shared'] : []
    writeFiles(olivia.cwd, { [place]: await packageAt(place, { payload: Buffer.from(`${at}`), imports }) })
  }
  const texture = 'Content/Pack/T_Shared.uasset'
  writeFiles(olivia.cwd, { [texture]: await packageAt(texture, {}) })
  await olivia.ph('push')

  const mia = machine(keys.mia, 'Inn')
  const ids = (await mia.ph('search --pack Pack --ids --all')).trim()
  expect(await mia.ph('pull - --plan', ids)).toMatch(/^A pull of 1,101 entries, 1,101 files, .* would do this/m)
  expect(propsIn(mia.cwd)).toBe(0)
  expect(await mia.ph('pull -', ids)).toMatch(/^Pulled 1,101 entries of jobs \d+ and \d+ into Inn [\s\S]*1,101 added/m)
  expect(propsIn(mia.cwd)).toBe(count)
  const again = await mia.ask('pull -', ids)
  expect(again.jobs).toMatchObject([
    { status: 'done', job_ids: [expect.any(Number), expect.any(Number)], summary: { identical: 1101 } },
  ])
  expect(again.waiting).toEqual([])

  const max = machine(keys.max, 'Tavern')
  expect(await mia.ph('send - --project Tavern --create', ids)).toMatch(
    /^Pull jobs \d+ and \d+ for Tavern: 1,101 entries, 1,101 files,/m,
  )
  await max.ph('pull')
  expect(propsIn(max.cwd)).toBe(count)

  const { files } = await max.ask(`download - --with-deps --to ${temporaryFolder()}`, ids)
  expect(files.filter(({ outcome }: Json) => outcome === 'downloaded')).toHaveLength(1101)

  const taken = await mia.ask('checkout Content/Pack')
  expect(taken.props.filter(({ lock }: Json) => lock !== null)).toHaveLength(1101)
  expect(await mia.ask('release --mine')).toMatchObject({ released: 1101 })
})
