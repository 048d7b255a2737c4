// A full disk: what the mirror held stays as it was, that is said, and it goes on when there is room again.
import { execFile } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { callAs } from '../../support/api.ts'
import { callsOf, expectSame, held, mirrorOf } from '../../support/mirror.ts'
import { item, pushed } from '../../support/push.ts'
import { changeLibrary, seeded, writeLibrary } from '../../support/random-library.ts'
import { startTestServer } from '../../support/server.ts'
import { mountSmallDisk } from '../../support/small-disk.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const processFile = fileURLToPath(new URL('../../support/mirror-process.ts', import.meta.url))
const server = await startTestServer()

test('on a full disk it stays as it was, whether it is followed or loaded, and goes on when there is room', async () => {
  const { url, keys, workspaceId } = await server.addWorkspace()
  const library = await writeLibrary(server.database.sql, { workspaceId, random: seeded(3), most: 0 })
  library.groupIds = []
  await changeLibrary(library, 300)
  const [folder, api] = [temporaryFolder(), callsOf(url, keys.adam)]
  const disk = await mountSmallDisk(folder, 8 * 1024 * 1024)
  const [command = '', ...words] = [...disk.within, process.execPath, processFile]
  const run = () => promisify(execFile)(command, [...words, JSON.stringify({ state: folder, url, key: keys.adam })])
  /** A copy: SQLite opens nothing by way of another process. */
  const mirror = () => {
    const state = temporaryFolder()
    cpSync(join(disk.seen(folder), 'mirrors'), join(state, 'mirrors'), { recursive: true })
    return mirrorOf(url, { config: '', cache: '', state })
  }

  disk.fill(100 * 1024)
  await expect(run()).rejects.toThrow(/MIRROR_UNUSABLE|full|cannot be written/)
  expect(mirror().files.newest()).toBeUndefined()
  disk.free()
  await run()
  const before = held(mirror())
  expect(before).toHaveLength(300)

  await pushed(callAs(url, keys.adam), [item()])
  await changeLibrary(library, 100)
  disk.fill(80 * 1024)
  await expect(run()).rejects.toThrow(/cannot be written: .*full.* What it held is kept/)
  expect(held(mirror())).toEqual(before)
  disk.free()
  await run()
  await expectSame(mirror(), api)
})
