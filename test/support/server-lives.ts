/** A server that dies and is started again and again on the same data, at an address that stays. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject, onTestFinished } from 'vitest'
import { freshPostgres } from './fresh-postgres.ts'
import { workspaceOf } from './server.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'
import { startProxy } from './tcp-proxy.ts'
import type { Target } from './unreal-project.ts'

export interface ServerLives {
  dataDir: string
  /** Workspaces with the key of a person who may write; their address leads to whichever server lives. */
  libraries: Target[]
  /** The one that lives, or the last one that did. */
  current(): ServerProcess
  /** Starts the next one. */
  start(): Promise<void>
}

/** Its data, and whichever server lives, are gone after the test. */
export async function startServerLives(workspaces: number): Promise<ServerLives> {
  const dataDir = mkdtempSync(join(tmpdir(), 'ph-lives-'))
  const template = inject('embeddedTemplate')
  if (template) cpSync(template, join(dataDir, 'database'), { recursive: true })
  const database = await freshPostgres()
  const made = Array.from({ length: workspaces }, (_, n) => workspaceOf(`library-${n}`))
  const provision = join(dataDir, 'provision.json')
  writeFileSync(provision, JSON.stringify({ workspaces: made.map(({ workspace }) => workspace) }))
  const begin = () =>
    startServerProcess(['--data', dataDir, '--provision', provision], database ? { PH_DATABASE_URL: database.url } : {})
  let server = await begin()
  onTestFinished(async () => {
    await server.kill()
    rmSync(dataDir, { recursive: true, force: true })
    await database?.drop()
  })
  const wire = await startProxy(server.url)
  return {
    dataDir,
    libraries: made.map(({ workspace, keys }) => ({ url: wire.url(`${server.url}/w/${workspace.slug}`), key: keys.mia })),
    current: () => server,
    async start() {
      server = await begin()
      wire.leadTo(server.url)
    },
  }
}
