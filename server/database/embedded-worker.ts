/** The thread in which PGlite runs: opens it durably and answers the PostgreSQL protocol on a private socket. */
import { fsyncSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'
import type { WorkerAnswer } from './embedded-thread.ts'
import { planning } from './planning.ts'

/** The parts of Emscripten's module through which files are synced, and messages are worked on. */
interface WithFiles {
  FS: { filesystems: { NODEFS: { stream_ops: { fsync?: (stream: { nfd: number }) => void } } } }
  _PostgresMainLoopOnce: () => void
}

/** How PostgreSQL leaves a statement that failed: it goes on with the next one. */
const statementFailed = 100

const { dir, socketPath } = workerData as { dir: string; socketPath: string }
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

/** PGlite starts with fsync off (`-F`), and its file layer cannot sync at all: both are mended here, so that a commit is on the disk. */
async function openDurably(): Promise<PGlite> {
  const kept = PGlite.defaultStartParams.filter((param) => param !== '-F')
  const startParams = [...kept, '-c', 'wal_sync_method=fsync', '-c', `plan_cache_mode=${planning}`]
  const db = await PGlite.create({ dataDir: dir, startParams })
  const module = (db as unknown as { Module: WithFiles }).Module
  module.FS.filesystems.NODEFS.stream_ops.fsync = (stream) => fsyncSync(stream.nfd)
  endWhenItCannotGoOn(module)
  return db
}

/**
 * PGlite calls this function until a message is worked off, whatever it throws: after an abort (PANIC: the journal cannot be
 * written) that is for ever. The thread ends instead, which is for embedded.ts to see.
 */
function endWhenItCannotGoOn(module: WithFiles): void {
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
