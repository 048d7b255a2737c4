// Taking the database of a data folder that another process has open: it is waited for, but not without end, and a server is named at once.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { type Taking, takeDatabase, takeDatabaseForStart } from '../../server/administration/take-database.ts'
import { readSettings } from '../../server/config.ts'
import { FolderInUse } from '../../server/database/embedded/hold-folder.ts'
import { type Database, openDatabase } from '../../server/database/open.ts'
import { startTestServer } from '../support/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const onEmbedded = !process.env.PH_TEST_DATABASE_URL

/** A data folder whose database is open already. */
async function heldFolder() {
  const data = temporaryFolder()
  const settings = readSettings({ data }, {}, data)
  const holder = await openDatabase({ databaseUrl: undefined, embeddedDir: join(data, 'database'), networkDisk: false })
  const closed = { by: false }
  const close = async () => {
    if (closed.by) return
    closed.by = true
    await holder.close()
  }
  onTestFinished(close)
  return { settings, close }
}

function waiting(patienceMs: number, signal?: AbortSignal) {
  const told: string[] = []
  const taking: Taking = { patienceMs, onWait: () => told.push('waits'), ...(signal && { signal }) }
  return { told, taking }
}

test.runIf(onEmbedded)('what another process is about to let go is waited for, which is said once, and then taken', async () => {
  const { settings, close } = await heldFolder()
  const { told, taking } = waiting(60_000)
  const taken = takeDatabase(settings, taking)
  await expect.poll(() => told).toEqual(['waits'])
  // Long enough for it to look several times.
  await sleep(700)
  await close()
  const database = (await taken) as Database
  onTestFinished(() => database.close())
  expect((await database.sql`select 1 as one`)[0]).toEqual({ one: 1 })
  expect(told).toEqual(['waits'])
})

test.runIf(onEmbedded)(
  'a process that does not let go is waited for as long as was said, or until nobody wants it any more',
  async () => {
    const { settings } = await heldFolder()
    await expect(takeDatabase(settings, waiting(300).taking)).rejects.toThrow(FolderInUse)
    const abort = new AbortController()
    const { told, taking } = waiting(60_000, abort.signal)
    const taken = takeDatabase(settings, taking)
    const refused = expect(taken).rejects.toMatchObject({ name: 'AbortError' })
    await expect.poll(() => told).toEqual(['waits'])
    abort.abort()
    await refused
  },
)

test.runIf(onEmbedded)('a server that has it is given to who can speak to it, and named to another one that starts', async () => {
  const { settings, url } = await startTestServer()
  const { told, taking } = waiting(60_000)
  expect(await takeDatabase(settings, taking)).toMatchObject({ presence: { url, pid: process.pid } })
  await expect(takeDatabaseForStart(settings, (sentence) => told.push(sentence))).rejects.toThrow(`at ${url})`)
  expect(told).toEqual([])
})
