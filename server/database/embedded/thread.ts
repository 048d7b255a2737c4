/** One life of the thread in which PGlite runs. */
import { Worker } from 'node:worker_threads'

export interface EmbeddedThread {
  /** Done when it is over: asked for, or because PGlite could not go on. */
  ended: Promise<void>
  stop(): Promise<void>
  /** At once, without writing anything more. */
  kill(): Promise<unknown>
}

/** What the worker sends once it can be spoken to. */
export type WorkerAnswer = { ready: true } | { failed: string }

export interface ThreadSetting {
  /** The folder of PGlite. */
  dir: string
  /** Where it answers. */
  socketPath: string
  /** Memory in which it keeps what it reads. */
  cacheMiB: number
}

/** Throws what keeps it from starting. */
export async function startThread(data: ThreadSetting): Promise<EmbeddedThread> {
  const file = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url)
  const worker = new Worker(file, { workerData: data })
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  const answer = await firstMessage(worker)
  if ('failed' in answer) {
    await worker.terminate()
    throw new Error(answer.failed)
  }
  return {
    ended,
    async stop() {
      worker.postMessage('stop')
      await ended
    },
    kill: () => worker.terminate(),
  }
}

const firstMessage = (worker: Worker) =>
  new Promise<WorkerAnswer>((resolve) => {
    worker.once('message', resolve)
    // Without a listener an error of the thread would end the process.
    worker.on('error', (error) => resolve({ failed: error instanceof Error ? error.message : String(error) }))
    worker.once('exit', (code) => resolve({ failed: `it ended while starting (${code})` }))
  })
