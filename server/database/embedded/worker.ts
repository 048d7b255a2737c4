/** The thread in which PGlite runs: opens it durably and answers the PostgreSQL protocol on a private socket. */
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'
import { planning } from '../planning.ts'
import { openFiles } from './files.ts'
import type { ThreadSetting, WorkerAnswer } from './thread.ts'

/** The part of Emscripten's module through which messages are worked on. */
interface WithLoop {
  _PostgresMainLoopOnce: () => void
}

/** How PostgreSQL leaves a statement that failed: it goes on with the next one. */
const statementFailed = 100

const { dir, socketPath, cacheMiB } = workerData as ThreadSetting
const answer = (message: WorkerAnswer) => parentPort?.postMessage(message)

try {
  const db = await openDurably()
  const server = new PGLiteSocketServer({ db, path: socketPath, maxConnections: 4 })
  await server.start()
  parentPort?.once('message', async () => {
    await server.stop()
    await db.close()
    process.exit(0)
  })
  answer({ ready: true })
} catch (error) {
  answer({ failed: error instanceof Error ? error.message : String(error) })
}

/** PGlite starts with fsync off (`-F`): here it is on, so that a commit is on the disk. */
async function openDurably(): Promise<PGlite> {
  const kept = PGlite.defaultStartParams.filter((param) => param !== '-F')
  const own = ['wal_sync_method=fsync', `plan_cache_mode=${planning}`, `shared_buffers=${cacheMiB}MB`]
  const startParams = [...kept, ...own.flatMap((setting) => ['-c', setting])]
  const db = await openFiles(dir, (fs) => PGlite.create({ fs, startParams }))
  endWhenItCannotGoOn((db as unknown as { Module: WithLoop }).Module)
  return db
}

/**
 * PGlite calls this function until a message is worked off, whatever it throws: after an abort (PANIC: the journal cannot be
 * written) that is for ever. The thread ends instead, which is for embedded.ts to see.
 */
function endWhenItCannotGoOn(module: WithLoop): void {
  const work = module._PostgresMainLoopOnce
  module._PostgresMainLoopOnce = () => {
    try {
      work()
    } catch (error) {
      if ((error as { status?: unknown }).status !== statementFailed) process.exit(1)
      throw error
    }
  }
}
