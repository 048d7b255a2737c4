/** The embedded database when its journal finds no room on the disk. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { migratedDatabase } from '../support/fresh-postgres.ts'
import { startTestServer } from '../support/server.ts'
import { mountSmallDisk } from '../support/small-disk.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const MiB = 1024 * 1024
const program = fileURLToPath(new URL('../support/embedded-in-limits.ts', import.meta.url))

type Said = Record<string, unknown>

/** Reads what the program says until a line has this key. */
function listenTo(child: ChildProcess) {
  const said: Said[] = []
  if (!child.stdout) throw new Error('the program has no stdout')
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  return async (key: string, pattern = /./): Promise<Said> => {
    for (let line = await lines.next(); !line.done; line = await lines.next()) {
      const one = JSON.parse(line.value) as Said
      said.push(one)
      if (pattern.test(String(one[key] ?? ''))) return one
    }
    throw new Error(`it ended without ${key}: ${JSON.stringify(said)}`)
  }
}

test.runIf(!process.env.PH_TEST_DATABASE_URL)(
  'a journal that finds no room ends the embedded database with a word, and it opens again with everything acknowledged when there is some',
  async () => {
    const folder = temporaryFolder()
    const disk = await mountSmallDisk(folder, 180 * MiB)
    await migratedDatabase(disk.seen(folder))
    const [command = '', ...words] = [...disk.within, process.execPath, program, folder]
    const child = spawn(command, words, { stdio: ['pipe', 'pipe', 'inherit'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    const heard = listenTo(child)
    await heard('ready')
    disk.fill()
    child.stdin?.write('full\n')
    expect((await heard('told')).told).toMatch(
      `The embedded database in ${folder} could not go on, and is opened again. Its disk is full: it needs 64 MiB free.`,
    )
    await heard('told', /does not open/)
    disk.free()
    await heard('told', /is open again/)
    const { acknowledged, found } = (await heard('found')) as { acknowledged: number; found: number[] }
    expect(acknowledged).toBeGreaterThan(1)
    // Of the one that was not acknowledged nobody knows.
    expect(found.slice(0, acknowledged)).toEqual(Array.from({ length: acknowledged }, (_, number) => number))
    expect(found.length).toBeLessThanOrEqual(acknowledged + 1)
    expect(await once(child, 'close')).toEqual([0, null])
  },
)

test.runIf(!process.env.PH_TEST_DATABASE_URL)(
  'the memory that a setting gives it is what the embedded database takes',
  async () => {
    const small = await startTestServer({ databaseCacheMiB: 24 })
    expect([...(await small.database.sql`show shared_buffers`)]).toEqual([{ shared_buffers: '24MB' }])
  },
)
