/** A thread that reads files, one message of several at a time, with one buffer. See read-files.ts. */
import { parentPort } from 'node:worker_threads'
import { FileReader, type ReadFile, type UnreadFile } from './file-reader.ts'

/** Paths to read, in order. */
export type HashOrder = string[]
/** Results in the order of the paths; or bytes read so far of a large file. */
export type HashReport = { results: (ReadFile | UnreadFile)[] } | { bytes: number }

/** A large file tells how far it is every so many bytes. */
const progressBytes = 32 * 1024 * 1024

const reader = new FileReader()
const report = (message: HashReport) => parentPort?.postMessage(message)

parentPort?.on('message', async (paths: HashOrder) => {
  const results: (ReadFile | UnreadFile)[] = []
  for (const path of paths) results.push(await readOne(path))
  report({ results })
})

async function readOne(path: string): Promise<ReadFile | UnreadFile> {
  let untold = 0
  return reader.read(path, (bytes) => {
    untold += bytes
    if (untold < progressBytes) return
    report({ bytes: untold })
    untold = 0
  })
}
