/** A server that dies and is started again and again on the same data, at an address that stays. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { migratedDatabase } from './fresh-postgres.ts'
import { workspaceOf } from './server.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'
import type { SmallDisk } from './small-disk.ts'
import { type OnWay, startProxy } from './tcp-proxy.ts'
import type { Target } from './unreal-project.ts'

export interface ServerLives {
  dataDir: string
  /** Workspaces with the key of a person who may write; their address leads to whichever server lives. */
  libraries: Target[]
  /** The one that lives, or the last one that did. */
  current(): ServerProcess
  /** Sees, and may hold up, what goes to the server. */
  onWay(look: OnWay): void
  /** Starts the next one. */
  start(): Promise<void>
}

/** Where its data lies: a folder, with a small disk somewhere below it. */
export interface DataPlace {
  dataDir: string
  disk: SmallDisk
}

/** Budgets that no test uses up without meaning to. */
const lifted = { PH_RATE_LIMIT_REQUESTS: '1000000', PH_RATE_LIMIT_PUSH: '1000000' }

/** Its data, and whichever server lives, are gone after the test. */
export async function startServerLives(workspaces: number, place?: DataPlace): Promise<ServerLives> {
  const dataDir = place?.dataDir ?? mkdtempSync(join(tmpdir(), 'ph-lives-'))
  const seen = place?.disk.seen ?? String
  const database = await migratedDatabase(seen(join(dataDir, 'database')))
  const made = Array.from({ length: workspaces }, (_, n) => workspaceOf(`library-${n}`))
  const provision = join(dataDir, 'provision.json')
  writeFileSync(provision, JSON.stringify({ workspaces: made.map(({ workspace }) => workspace) }))
  const begin = () =>
    startServerProcess(['--data', dataDir, '--provision', provision], {
      env: {
        ...lifted,
        ...(database && { PH_DATABASE_URL: database.url }),
        ...(place && { PH_TEST_BALLAST: place.disk.ballast }),
      },
      within: place?.disk.within,
    })
  let server = await begin()
  onTestFinished(async () => {
    await server.kill()
    rmSync(dataDir, { recursive: true, force: true })
    await database?.drop()
  })
  let look: OnWay = () => undefined
  const wire = await startProxy(server.url, (sent) => look(sent))
  return {
    dataDir,
    libraries: made.map(({ workspace, keys }) => ({ url: wire.url(`${server.url}/w/${workspace.slug}`), key: keys.mia })),
    current: () => server,
    onWay(onWay) {
      look = onWay
    },
    async start() {
      server = await begin()
      wire.leadTo(server.url)
    },
  }
}
