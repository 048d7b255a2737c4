/** A real server for tests: `startTestServer()` gives workspaces, keys and typed calls; everything is gone after the test file. */

import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '../../server/clock.ts'
import { readSettings, type Settings } from '../../server/config.ts'
import { type RunningServer, type StartOptions, startServer } from '../../server/main.ts'
import type { ProvisionFile } from '../../server/provision/file.ts'
import { provision } from '../../server/provision/provision.ts'
import { afterFile } from './after-file.ts'
import { migratedDatabase } from './fresh-postgres.ts'

/** A clock that tests move by hand; it starts at the real time. */
export class TestClock implements Clock {
  #offsetMs = 0
  now(): Date {
    return new Date(Date.now() + this.#offsetMs)
  }
  advance(ms: number): void {
    this.#offsetMs += ms
  }
}

export const newKey = (): string => `ph_live_${randomBytes(20).toString('hex')}`

type WorkspaceEntry = ProvisionFile['workspaces'][number]

/** A workspace of its own with an owner, an admin and two members, each with a write key; Mia has a read key too. */
export function workspaceOf(slug: string) {
  const keys = { olivia: newKey(), adam: newKey(), mia: newKey(), max: newKey(), miaReads: newKey() }
  const email = (name: string) => `${name}@${slug}.test`
  const person = (name: string, role: 'owner' | 'admin' | 'member') => ({ email: email(name), name, display_name: name, role })
  const people = ['olivia', 'adam', 'mia', 'max'] as const
  const workspace: WorkspaceEntry = {
    slug,
    name: slug,
    members: [person('olivia', 'owner'), person('adam', 'admin'), person('mia', 'member'), person('max', 'member')],
    keys: [
      ...people.map((name) => ({ name, member: email(name), scope: 'write' as const, key: keys[name] })),
      { name: 'mia-reads', member: email('mia'), scope: 'read' as const, key: keys.miaReads },
    ],
  }
  return { workspace, keys }
}

export type Keys = ReturnType<typeof workspaceOf>['keys']

export interface TestServer extends RunningServer {
  dataDir: string
  settings: Settings
  clock: TestClock
  /** The log lines so far. */
  logLines: string[]
  /** Provisions a fresh workspace; gives its base address and keys, and its id in the database. */
  addWorkspace(over?: Partial<WorkspaceEntry>): Promise<{ slug: string; url: string; keys: Keys; workspaceId: number }>
  /** Provisions it anew, as a provisioning file that was edited would. */
  changeWorkspace(slug: string, over: Partial<WorkspaceEntry>): Promise<void>
  /** Ends the server and starts it again on the same data. */
  restart(): Promise<void>
}

/** Budgets that no test uses up without meaning to. */
const lifted = { rateLimitRequests: 1_000_000, rateLimitPush: 1_000_000 }
/** Libraries of tests are small, and memory that is touched first takes most of a start. */
const small = { databaseCacheMiB: 16 }

export type TestLimits = Pick<StartOptions, 'pace' | 'connections' | 'waits' | 'lookMs' | 'embedderModule' | 'nameServers'>
/** Of a server whose background work is done when a test says so. */
export const byHand: TestLimits = { lookMs: 3_600_000 }

/** Stopped and removed after the test file. */
export async function startTestServer(overrides: Partial<Settings> = {}, limits: TestLimits = {}): Promise<TestServer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'ph-test-'))
  const database = await migratedDatabase(join(dataDir, 'database'))
  const clock = new TestClock()
  const logLines: string[] = []
  const settings = {
    ...readSettings({ port: '0', data: dataDir }, {}, dataDir),
    databaseUrl: database?.url,
    ...lifted,
    ...small,
    ...overrides,
  }
  const start = () =>
    startServer({
      settings,
      clock,
      log: { write: (line) => logLines.push(line) },
      ...limits,
    })
  let running = await start()
  await provision(running.database, { workspaces: [workspaceOf('first').workspace] }, clock.now())
  afterFile(async () => {
    await running.stop()
    rmSync(dataDir, { recursive: true, force: true })
    await database?.drop()
  })
  return {
    get url() {
      return running.url
    },
    get database() {
      return running.database
    },
    get storage() {
      return running.storage
    },
    get ledger() {
      return running.ledger
    },
    get work() {
      return running.work
    },
    get lookForPreviews() {
      return running.lookForPreviews
    },
    get app() {
      return running.app
    },
    get setupAddress() {
      return running.setupAddress
    },
    get failed() {
      return running.failed
    },
    stop: () => running.stop(),
    dataDir,
    settings,
    clock,
    logLines,
    async addWorkspace(over = {}) {
      const slug = `w${randomBytes(5).toString('hex')}`
      const { workspace, keys } = workspaceOf(slug)
      await provision(running.database, { workspaces: [{ ...workspace, ...over }] }, clock.now())
      const [row] = await running.database.sql<{ id: number }[]>`select id from workspaces where slug = ${slug}`
      return { slug, url: `${running.url}/w/${slug}`, keys, workspaceId: row?.id ?? 0 }
    },
    async changeWorkspace(slug, over) {
      await provision(running.database, { workspaces: [{ slug, name: slug, ...over }] }, clock.now())
    },
    async restart() {
      await running.stop()
      running = await start()
    },
  }
}
