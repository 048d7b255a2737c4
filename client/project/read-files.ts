/** Reads many files at once: worker threads, the largest files first, small ones several to a message (performance-floor 4). */
import { availableParallelism } from 'node:os'
import { setImmediate as breathe } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { batchesBySize } from '../../system/file-batches.ts'
import { FileReader, type ReadFile, type UnreadFile } from './file-reader.ts'
import type { HashOrder, HashReport } from './read-worker.ts'

export interface ReadJob {
  path: string
  /** Bytes, as far as known: decides the order. */
  size: number
}

export interface ReadOptions {
  signal?: AbortSignal
  /** Told of each file once it is read, in whatever order they get done. */
  onFile: (index: number, result: ReadFile | UnreadFile) => void
  /** Told how many bytes more were read. */
  onBytes?: (bytes: number) => void
  /** Default: one per core, at most eight. */
  workers?: number
}

const mostWorkers = 8
const bytesPerMessage = 4 * 1024 * 1024
/** Starting threads takes longer than reading this much without them. */
const withoutThreads = { files: 200, bytes: 32 * 1024 * 1024 }

/** Reads every job's file. Failures are results, not exceptions; `signal` ends it with the signal's reason. */
export async function readFiles(jobs: readonly ReadJob[], options: ReadOptions): Promise<void> {
  const total = jobs.reduce((sum, { size }) => sum + size, 0)
  if (jobs.length <= withoutThreads.files && total <= withoutThreads.bytes) await readHere(jobs, options)
  else await readInThreads(jobs, options)
}

async function readHere(jobs: readonly ReadJob[], { signal, onFile, onBytes }: ReadOptions): Promise<void> {
  const reader = new FileReader()
  for (const [index, { path }] of jobs.entries()) {
    signal?.throwIfAborted()
    onFile(index, await reader.read(path, onBytes))
    await breathe()
  }
}

/** Indexes of jobs that go to a worker in one message. */
type Batch = number[]

async function readInThreads(jobs: readonly ReadJob[], options: ReadOptions): Promise<void> {
  const batches = batchesBySize(jobs, bytesPerMessage)
  const threadsAllowed = options.workers ?? Math.min(availableParallelism(), mostWorkers)
  const threads = Array.from({ length: Math.min(threadsAllowed, batches.length) }, startThread)
  const queue = batches.values()
  const stop = new Promise<never>((_, reject) => {
    options.signal?.addEventListener('abort', () => reject(options.signal?.reason), { once: true })
  })
  try {
    options.signal?.throwIfAborted()
    await Promise.race([stop, Promise.all(threads.map((thread) => readQueue(thread, { jobs, queue, ...options })))])
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()))
  }
}

const workerFile = new URL(import.meta.url.endsWith('.ts') ? './read-worker.ts' : './read-worker.js', import.meta.url)

/** Readers need little memory; a small young generation keeps a thread at a few MiB. */
const startThread = (): Worker =>
  new Worker(workerFile, { resourceLimits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 512 } })

type Reading = ReadOptions & { jobs: readonly ReadJob[]; queue: Iterator<Batch> }

/** Gives one thread a batch after the other until none is left. */
function readQueue(thread: Worker, { jobs, queue, onFile, onBytes }: Reading): Promise<void> {
  return new Promise((resolve, reject) => {
    let batch: Batch = []
    let told = 0
    const next = () => {
      const { value, done } = queue.next()
      if (done) return resolve()
      batch = value
      told = 0
      thread.postMessage(batch.map((index) => jobs[index]?.path ?? '') satisfies HashOrder)
    }
    const count = (bytes: number) => {
      told += bytes
      onBytes?.(bytes)
    }
    thread.on('message', (report: HashReport) => {
      if ('bytes' in report) return count(report.bytes)
      const read = report.results.reduce((sum, result) => sum + ('size' in result ? result.size : 0), 0)
      count(Math.max(0, read - told))
      for (const [at, index] of batch.entries()) {
        const result = report.results[at]
        if (result) onFile(index, result)
      }
      next()
    })
    thread.once('error', reject)
    thread.once('exit', () => reject(new Error('A reading thread ended by itself.')))
    next()
  })
}
