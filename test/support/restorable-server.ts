/** A library that is backed up, and set back to that backup at the same address: what clients remember of it since is lost there. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { restoreBackup } from '../../server/administration/backup/restore.ts'
import { readSettings, type Settings } from '../../server/config.ts'
import { type RunningServer, startServer } from '../../server/main.ts'
import { administered } from './administered.ts'
import { type Caller, callAs } from './api.ts'
import { type FreshPostgres, freshPostgres } from './fresh-postgres.ts'
import { workspaceOf } from './server.ts'
import { startProxy } from './tcp-proxy.ts'
import { temporaryFolder } from './temporary-folder.ts'
import type { Target } from './unreal-project.ts'

type Name = 'olivia' | 'adam' | 'mia' | 'max'

export interface RestorableServer {
  /** The workspace as this person reaches it, at an address that stays. */
  of(name: Name): Target
  as(name: Name): Caller
  running(): RunningServer
  logLines: string[]
  /** What it holds now is what `restore` brings back. */
  backUp(): Promise<void>
  /** By `ph server restore` into an empty place, as often as is wanted. */
  restore(): Promise<void>
  stop(): Promise<void>
  start(): Promise<void>
  /** As if more had been noted of the feeds than the database now knows: it was brought back by other means. */
  noteMore(changes: number): void
}

const hourMs = 3_600_000

/** Its background work is done when a test says so. Gone after the test. */
export async function startRestorable(over: Partial<Settings> = {}): Promise<RestorableServer> {
  const folder = temporaryFolder()
  const logLines: string[] = []
  const { workspace, keys } = workspaceOf('library')
  const databases: (FreshPostgres | undefined)[] = []
  const newPlace = async (): Promise<Settings> => {
    const dataDir = join(folder, `data-${databases.length}`)
    const database = await freshPostgres()
    databases.push(database)
    const lifted = { rateLimitRequests: 1_000_000, rateLimitPush: 1_000_000, databaseCacheMiB: 16 }
    return { ...readSettings({ port: '0', data: dataDir }, {}, dataDir), databaseUrl: database?.url, ...lifted, ...over }
  }
  let settings = await newPlace()
  const begin = () =>
    startServer({
      ...{ settings, lookMs: hourMs, provisioning: { workspaces: [workspace] } },
      log: { write: (line) => logLines.push(line) },
    })
  let running = await begin()
  const wire = await startProxy(running.url)
  const url = wire.url(`${running.url}/w/library`)
  onTestFinished(async () => {
    await running.stop()
    for (const database of databases) await database?.drop()
  })
  const start = async () => {
    running = await begin()
    wire.leadTo(running.url)
  }
  const of = (name: Name): Target => ({ url, key: keys[name] })
  const backups = join(folder, 'backups')
  return {
    of,
    as: (name) => callAs(url, keys[name]),
    running: () => running,
    logLines,
    async backUp() {
      const { code, stderr } = await administered({ dataDir: settings.dataDir, settings }).administer(['backup', backups])
      expect([code, stderr]).toEqual([0, ''])
    },
    async restore() {
      await running.stop()
      settings = await newPlace()
      const { signal } = new AbortController()
      await restoreBackup({ settings, folder: backups, backup: undefined, tell: () => {}, signal })
      await start()
    },
    stop: () => running.stop(),
    start,
    noteMore(changes) {
      const path = join(settings.dataDir, 'storage', 'head')
      const noted = JSON.parse(readFileSync(path, 'utf8'))
      writeFileSync(path, JSON.stringify({ ...noted, changes: String(Number(noted.changes) + changes) }))
    },
  }
}
