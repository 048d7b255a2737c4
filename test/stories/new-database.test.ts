/**
 * A new embedded database is on the disk with every file before the first answer, and whole or not there at all: PGlite writes its
 * files and syncs none of them, and a folder with half of them would never open again.
 */
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ClientDeath } from '../support/client-death.ts'
import { phProcess } from '../support/ph-process.ts'
import { startServerProcess } from '../support/server-process.ts'
import { type SystemCall, traceCalls } from '../support/syscall-trace.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const syncing = ['fsync', 'fdatasync']
const naming = ['rename', 'renameat', 'renameat2']
const answering = ['write', 'writev', 'sendto', 'sendmsg']
const isEmbedded = process.platform === 'linux' && !process.env.PH_TEST_DATABASE_URL

function dataFolder() {
  const data = join(temporaryFolder(), 'data')
  mkdirSync(data, { mode: 0o700 })
  const database = join(data, 'database')
  return { data, database, whole: join(database, 'pglite'), coming: join(database, 'pglite.new') }
}

async function startAndStop(data: string, within: readonly string[] = []): Promise<void> {
  const server = await startServerProcess(['--data', data], { within })
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
  expect((await server.stop()).code).toBe(0)
}

test.runIf(isEmbedded)(
  'every file of a new database is synced before it has its name, and the name before the first answer',
  async () => {
    const { data, database, whole, coming } = dataFolder()
    const trace = traceCalls([...syncing, ...naming, ...answering])
    await startAndStop(data, trace.within)
    const calls = await trace.calls()
    const named = calls.find((call) => naming.includes(call.name) && call.args.includes(`"${coming}", "${whole}"`))
    const answered = calls.find(({ name, args }) => answering.includes(name) && args.includes('"HTTP/1.1 200'))
    if (!named || !answered) return expect.fail('the database got no name, or nothing was answered')
    const syncs = calls.filter(({ name, isDone }) => syncing.includes(name) && isDone)
    const synced = new Set(syncs.filter((call) => call.endedAt <= named.beganAt).map(pathOf))
    // The database from which others are made: nothing comes to it later.
    const template = readdirSync(join(whole, 'base', '1')).map((name) => join(coming, 'base', '1', name))
    expect(template.length).toBeGreaterThan(100)
    expect([...template, join(coming, 'base', '1'), coming].filter((path) => !synced.has(path))).toEqual([])
    const after = syncs.filter((call) => call.beganAt >= named.endedAt && call.endedAt <= answered.beganAt).map(pathOf)
    expect(after).toContain(database)
  },
)

const pathOf = ({ args }: SystemCall): string => /<(.*)>$/.exec(args)?.[1] ?? ''

const deathPoint = new URL('../support/client-death.ts', import.meta.url).href
const moments: Record<string, ClientDeath> = {
  'while its files are synced': { kind: 'disk', step: 100, at: '^fsyncSync' },
  'before it has its name': { kind: 'disk', step: 1, at: '^renameSync .*pglite\\.new' },
}

test.runIf(isEmbedded).each(Object.entries(moments))(
  'a first start that is killed while it makes the database, %s, leaves none, and the next one makes it',
  async (_when, death) => {
    const { data, whole, coming } = dataFolder()
    const first = await phProcess(['server', 'start', '--port', '0', '--data', data], {
      env: { NODE_OPTIONS: `--import ${deathPoint}`, PH_TEST_DEATH: JSON.stringify(death) },
    })
    expect(first.code, first.stderr).toBe(null)
    expect([existsSync(whole), existsSync(join(coming, 'base'))]).toEqual([false, true])
    await startAndStop(data)
    expect([existsSync(whole), existsSync(coming)]).toEqual([true, false])
  },
)
