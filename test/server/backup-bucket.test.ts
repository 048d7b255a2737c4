/** Check, backup and restore of a library whose files lie in a bucket of a real S3 store. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { restoreBackup } from '../../server/administration/backup/restore.ts'
import type { FilesTold } from '../../server/administration/backup/take-backup.ts'
import { checkLibrary } from '../../server/administration/files/check.ts'
import { openAdministration } from '../../server/administration/open.ts'
import type { OperatorApi } from '../../server/administration/operator-api.ts'
import type { Settings } from '../../server/config.ts'
import { startServer } from '../../server/main.ts'
import { blobKey } from '../../server/storage/storage.ts'
import { administered } from '../support/administered.ts'
import type { Json } from '../support/api.ts'
import { GrowingProject } from '../support/growing-project.ts'
import { hasObjectStorage, startObjectStorage } from '../support/object-storage.ts'
import { byHand, startTestServer, type TestServer } from '../support/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { requireWholeLibrary } from '../support/whole-library.ts'

async function run(words: string[], of: Pick<TestServer, 'dataDir' | 'settings'>) {
  const { storageUrl, storageKey } = of.settings
  const env: Record<string, string> = {}
  if (storageUrl !== undefined) env.PH_STORAGE_URL = storageUrl
  if (storageKey) Object.assign(env, { PH_STORAGE_KEY: storageKey.id, PH_STORAGE_SECRET: storageKey.secret })
  const { code, stdout, stderr } = await administered(of).administer([...words, '--json'], { env })
  return { code, stderr, answer: stdout === '' ? undefined : (JSON.parse(stdout) as Json) }
}

/** Ended when so many files are there. */
async function interruptedRestore(settings: Settings, folder: string, files: number): Promise<void> {
  const ending = new AbortController()
  const tell = (told: FilesTold) => told.kind === 'files' && told.files >= files && ending.abort()
  await expect(restoreBackup({ settings, folder, backup: undefined, tell, signal: ending.signal })).rejects.toThrow(/abort/)
}

test.runIf(hasObjectStorage && !process.env.PH_TEST_DATABASE_URL)(
  'an object that the bucket lost is named and comes back with a push; a backup goes to a folder, and from there to a disk or into the bucket, where a restore that was interrupted goes on',
  async () => {
    const store = await startObjectStorage()
    const server = await startTestServer(store.settings, byHand)
    const { url, slug, keys, workspaceId } = await server.addWorkspace()
    const project = await GrowingProject.begin({ url, key: keys.mia }, 'bucket')
    await project.grow()
    await project.push()
    expect((await run(['check'], server)).answer).toMatchObject({ damaged: [] })
    const [lost] = (await requireWholeLibrary(project.library)).objects as [Json]
    await store.bucket.remove([blobKey(workspaceId, lost.content_hash)])
    const damaged = [expect.objectContaining({ sha256: lost.content_hash, damage: 'missing' })]
    expect(await run(['check'], server)).toMatchObject({ code: 1, answer: { damaged } })
    expect((await project.push()).summary).toMatchObject({ new: 0, failed: 0 })
    expect(await run(['check'], server)).toMatchObject({ code: 0, answer: { damaged: [] } })

    const folder = join(temporaryFolder(), 'backups')
    const made = await run(['backup', folder], server)
    expect(made).toMatchObject({ code: 0, answer: { lacks: [] } })
    await server.stop()
    const storedKeys = async () => {
      const found: string[] = []
      for await (const page of store.bucket.list(`${workspaceId}/`)) found.push(...page.map(({ key }) => key))
      return found
    }
    const keptKeys = await storedKeys()
    expect(keptKeys).toHaveLength(made.answer.files)
    const full = join(temporaryFolder(), 'data')
    const refused = await run(['restore', folder], { dataDir: full, settings: { ...server.settings, dataDir: full } })
    expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining('Name an empty folder of it')])
    expect(existsSync(full)).toBe(false)
    await store.bucket.remove(keptKeys)
    for (const over of [{ storageUrl: undefined, storageKey: undefined }, {}]) {
      const dataDir = join(temporaryFolder(), 'data')
      const settings: Settings = { ...server.settings, ...over, dataDir }
      if (settings.storageUrl !== undefined) {
        await interruptedRestore(settings, folder, 2)
        const there = (await storedKeys()).length
        expect([there > 0, there < keptKeys.length]).toEqual([true, true])
        const another = join(temporaryFolder(), 'data')
        const taken = await run(['restore', folder], { dataDir: another, settings: { ...settings, dataDir: another } })
        expect([taken.code, taken.stderr]).toEqual([5, expect.stringContaining('is not empty')])
      }
      expect(await run(['restore', folder], { dataDir, settings })).toMatchObject({
        code: 0,
        answer: { files: made.answer.files },
      })
      const restored = await startServer({ settings, log: 'none', lookMs: 3_600_000 })
      onTestFinished(() => restored.stop())
      const lists = await requireWholeLibrary({ url: `${restored.url}/w/${slug}`, key: keys.mia })
      project.requireComplete(lists)
      await restored.stop()
    }
  },
)

test.runIf(hasObjectStorage && !process.env.PH_TEST_DATABASE_URL)(
  'addresses that run out before their turn comes are asked for again: a slow check of a bucket finds every file whole',
  async () => {
    const store = await startObjectStorage()
    const server = await startTestServer(store.settings, byHand)
    const { url, keys } = await server.addWorkspace()
    const project = await GrowingProject.begin({ url, key: keys.mia }, 'bucket')
    await project.grow()
    await project.push()

    const reaching = {
      settings: server.settings,
      ifNone: 'refuse',
      tell: () => {},
      signal: AbortSignal.timeout(200_000),
    } as const
    const { api, close } = await openAdministration(reaching)
    onTestFinished(close)
    const asked: (readonly string[])[] = []
    const addresses: OperatorApi['file']['addresses'] = async (wanted) => {
      const isFirst = asked.push(wanted.keys) === 1
      // The store goes by the real time: for it these ran out three quarters of an hour ago.
      if (isFirst) server.clock.advance(-3_600_000)
      const signed = await api.file.addresses(wanted)
      if (isFirst) {
        server.clock.advance(3_600_000)
        expect((await fetch(signed.urls[0] ?? '')).status).toBe(403)
      }
      return signed
    }
    const slowly: OperatorApi = { ...api, file: { ...api.file, addresses } }
    const report = await checkLibrary({ api: slowly, dataDir: server.dataDir, tell: () => {}, signal: reaching.signal })
    expect(report).toMatchObject({ damaged: [], references: { broken: [] } })
    const [ranOut = [], ...later] = asked
    expect(ranOut.length).toBeGreaterThan(1)
    expect(later.flat()).toEqual(expect.arrayContaining([...ranOut]))
  },
)
