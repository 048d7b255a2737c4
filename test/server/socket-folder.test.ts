// The embedded database's socket lies outside the data folder; what killed servers leave there does not pile up.
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startServerProcess } from '../support/server-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const notInPostgres = !process.env.PH_TEST_DATABASE_URL && process.platform !== 'win32'

const foldersIn = (tmp: string) => readdirSync(tmp).filter((name) => name.startsWith('ph-db-'))

async function start(data: string, tmp: string) {
  const server = await startServerProcess(['--data', data], { env: { TMPDIR: tmp } })
  onTestFinished(async () => {
    if (server.isAlive()) await server.kill()
  })
  return server
}

test.runIf(notInPostgres)(
  'servers that are killed leave one socket folder at most, and one that is stopped leaves none',
  async () => {
    const [data, tmp] = [temporaryFolder(), temporaryFolder()]
    for (let life = 0; life < 2; life++) {
      await (await start(data, tmp)).kill()
      expect(foldersIn(tmp)).toHaveLength(1)
    }
    await (await start(data, tmp)).stop()
    expect(foldersIn(tmp)).toEqual([])
  },
)

test.runIf(notInPostgres)('a server on a copy of a data folder leaves the socket of the original alone', async () => {
  const [data, copy, tmp] = [temporaryFolder(), temporaryFolder(), temporaryFolder()]
  await start(data, tmp)
  mkdirSync(join(copy, 'database'))
  copyFileSync(join(data, 'database', 'socket-folder.json'), join(copy, 'database', 'socket-folder.json'))
  const [original] = foldersIn(tmp)
  await start(copy, tmp)
  expect(foldersIn(tmp)).toHaveLength(2)
  expect(readdirSync(join(tmp, String(original)))).toEqual(['s'])
})
