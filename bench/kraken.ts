/**
 * How fast source data of real packages is decompressed in a worker: the first time in a fresh one, and when it is warm. Prints one
 * markdown table.
 *   PH_FIXTURES=DIR npx node bench/kraken.ts [--rounds 15]
 */
import { parseArgs } from 'node:util'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { readCompressedBuffer } from '../formats/kraken/compressed-buffer.ts'
import { realPayloads } from '../test/support/real-payloads.ts'
import { median } from './table.ts'

const kraken = 3
/** A round decodes all payloads as often as this: one time alone is over too soon to be measured well. */
const times = 5

/** Raw megabytes a second of one pass over all payloads, and of each round after it. */
interface Speeds {
  cold: number
  warm: number[]
}

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '15' } } })

if (isMainThread) await compare(Number(values.rounds))
else parentPort?.postMessage(measure(workerData))

async function compare(rounds: number): Promise<void> {
  const buffers = compressedPayloads()
  if (buffers.length === 0) throw new Error('Name the folder of real packages: PH_FIXTURES=DIR')
  const runs: Speeds[] = []
  for (let i = 0; i < 5; i++) runs.push(await inWorker(rounds))
  const rawBytes = buffers.reduce((sum, buffer) => sum + readCompressedBuffer(buffer).length, 0)
  process.stdout.write(`${buffers.length} payloads, ${(rawBytes / 1e6).toFixed(1)} MB raw\n\n`)
  process.stdout.write('| Kraken, in a worker | MB/s of raw bytes, median (min–max) |\n|---|---|\n')
  process.stdout.write(`| first pass of a fresh worker | ${spread(runs.map(({ cold }) => cold))} |\n`)
  process.stdout.write(`| warm | ${spread(runs.flatMap(({ warm }) => warm))} |\n`)
}

function inWorker(rounds: number): Promise<Speeds> {
  const worker = new Worker(new URL(import.meta.url), { workerData: rounds })
  return new Promise((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
}

function measure(rounds: number): Speeds {
  const buffers = compressedPayloads()
  const cold = speed(buffers, 1)
  return { cold, warm: Array.from({ length: rounds }, () => speed(buffers, times)) }
}

function compressedPayloads(): Buffer[] {
  const buffers = realPayloads().map(({ buffer }) => buffer)
  return buffers.filter((buffer) => buffer[8] === kraken)
}

function speed(buffers: readonly Buffer[], passes: number): number {
  const started = performance.now()
  let rawBytes = 0
  for (let pass = 0; pass < passes; pass++) for (const buffer of buffers) rawBytes += readCompressedBuffer(buffer).length
  return rawBytes / 1e3 / (performance.now() - started)
}

function spread(values: readonly number[]): string {
  return `${median(values).toFixed(0)} (${Math.min(...values).toFixed(0)}–${Math.max(...values).toFixed(0)})`
}
