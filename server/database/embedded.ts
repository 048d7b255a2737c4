/** The embedded database: PGlite in a worker thread, durable, with a lock on its folder that dies with the process. */
import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { type FolderLock, lockFolder } from '../folder-lock.ts'

export interface Embedded {
  socketPath: string
  /** PGlite has one session. A single connection keeps statements in order and makes the pool wait while a transaction is open. */
  connections: 1
  stop(): Promise<void>
}

/** What the worker sends once it can be spoken to. */
export type WorkerAnswer = { ready: true } | { failed: string }

export async function startEmbedded(dir: string): Promise<Embedded> {
  mkdirSync(dir, { recursive: true })
  const lock = requireLock(dir)
  const socketDir = process.platform === 'win32' ? undefined : mkdtempSync(join(tmpdir(), 'ph-db-'))
  const socketPath = socketDir ? join(socketDir, 's') : `\\\\.\\pipe\\ph-db-${randomUUID()}`
  const worker = new Worker(
    new URL(import.meta.url.endsWith('.ts') ? './embedded-worker.ts' : './embedded-worker.js', import.meta.url),
    {
      workerData: { dir: join(dir, 'pglite'), socketPath },
    },
  )
  const release = () => {
    lock.release()
    if (socketDir) rmSync(socketDir, { recursive: true, force: true })
  }
  try {
    const answer = await firstMessage(worker)
    if ('failed' in answer) throw new Error(`The embedded database in ${dir} does not start: ${answer.failed}`)
  } catch (error) {
    await worker.terminate()
    release()
    throw error
  }
  return {
    socketPath,
    connections: 1,
    async stop() {
      const stopped = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
      worker.postMessage('stop')
      await stopped
      release()
    },
  }
}

const firstMessage = (worker: Worker) =>
  new Promise<WorkerAnswer>((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', (code) => reject(new Error(`The embedded database ended while starting (${code}).`)))
  })

/** Two processes on one PGlite folder corrupt it. */
function requireLock(dir: string): FolderLock {
  const lock = lockFolder(dir)
  if (lock) return lock
  throw new Error(
    `Another server is using ${dir}. Stop it first, or start this one with another folder (--data DIR, PH_DATA) or with PH_DATABASE_URL.`,
  )
}
