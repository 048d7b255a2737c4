/**
 * Changes files so that they lie, and reads them as `ph inspect --source` and `ph convert` do: lengths, counts and offsets at extremes,
 * bytes changed, blocks cut out, repeated and taken from other files. Each has to become a GLB, PNG or WAV or be refused with a
 * FormatError, within a second of the processor and 512 MiB. Prints how often each reader gave what, and every fault with the command
 * that repeats it; stopped by Ctrl-C, what there was so far. Ends with 1 when there was a fault, or not every run was done.
 *   [PH_FIXTURES=DIR] npx node --expose-gc bench/mutations.ts [--runs 100000] [--seed TEXT] [--from 0] [--reader fbx] [--max-bytes 100000]
 */
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import type { Counts, Fault } from '../test/support/mutation-runs.ts'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '100000' },
    seed: { type: 'string', default: 'bench' },
    from: { type: 'string', default: '0' },
    reader: { type: 'string' },
    'max-bytes': { type: 'string', default: '100000' },
  },
})
const [from, runs, maxBytes] = [Number(values.from), Number(values.runs), Number(values['max-bytes'])]
const { seed, reader } = values

interface Report {
  done: number
  counts: Counts
  faults: Fault[]
  slowestMs: number
}

/** A run that takes so long will not end; on a busy machine others take long, too. */
const hungMs = 60_000
/** Of JavaScript's own memory; that of arrays is counted by the runs. */
const heapMiB = 512

const totals: Counts = {}
const faults: Fault[] = []
let slowestMs = 0
const started = performance.now()

/** Does runs from `next` on; gives the index after the one at which the thread ended. */
async function inThread(next: number): Promise<number> {
  const current = new Int32Array(new SharedArrayBuffer(4)).fill(-1)
  const worker = new Worker(new URL('./mutation-worker.ts', import.meta.url), {
    workerData: { seed, from: next, to: from + runs, maxBytes, reader, current },
    resourceLimits: { maxOldGenerationSizeMb: heapMiB },
  })
  let [seen, seenAt, done] = [-1, 0, next]
  return new Promise((resolve) => {
    let isOver = false
    const end = (problem: string) => {
      if (isOver) return
      isOver = true
      clearInterval(watch)
      const index = Math.max(next, Atomics.load(current, 0))
      if (done < from + runs) addFault({ index, reader: reader ?? '', name: '', problem })
      void worker.terminate().then(() => resolve(done < from + runs ? index + 1 : done))
    }
    const watch = setInterval(() => {
      const now = Atomics.load(current, 0)
      if (now !== seen) [seen, seenAt] = [now, performance.now()]
      else if (now >= 0 && performance.now() - seenAt > hungMs) end('did not end')
    }, 1000)
    worker.on('message', (report: Report) => {
      done = report.done
      take(report)
    })
    worker.once('error', (error) => end(`ended the thread: ${error.message}`))
    worker.once('exit', () => end('ended the thread'))
  })
}

function take(report: Report): void {
  slowestMs = Math.max(slowestMs, report.slowestMs)
  for (const [name, outcomes] of Object.entries(report.counts)) {
    const own = totals[name] ?? {}
    totals[name] = own
    for (const [outcome, count] of Object.entries(outcomes)) own[outcome] = (own[outcome] ?? 0) + count
  }
  for (const fault of report.faults) addFault(fault)
  if (report.done % 10_000 < 500) process.stderr.write(`${report.done - from} runs, ${rate(report.done - from)} a second\n`)
}

function addFault(fault: Fault): void {
  faults.push(fault)
  const again = `--seed ${seed} --from ${fault.index} --runs 1 --max-bytes ${maxBytes}${reader === undefined ? '' : ` --reader '${reader}'`}`
  process.stderr.write(`run ${fault.index}, ${fault.reader} ${fault.name}: ${fault.problem}\n  again: ${again}\n`)
}

const rate = (count: number): string => (count / ((performance.now() - started) / 1000)).toFixed(0)

function printTotals(): void {
  const counted = Object.values(totals).flatMap((outcomes) => Object.values(outcomes))
  const all = counted.reduce((sum, count) => sum + count, 0)
  const about = `seed ${seed}, from ${from}, ${rate(all)} a second; the slowest took ${slowestMs.toFixed(0)} ms of the processor`
  process.stdout.write(`${all} runs, ${about}\n\n| reader | runs | converted | refused |\n|---|--:|---|---|\n`)
  for (const [name, outcomes] of Object.entries(totals).toSorted()) {
    const converted = Object.entries(outcomes).filter(([outcome]) => isConverted(outcome))
    const refused = Object.entries(outcomes).filter(([outcome]) => !isConverted(outcome))
    const sum = Object.values(outcomes).reduce((total, count) => total + count, 0)
    process.stdout.write(`| ${name} | ${sum} | ${listed(converted)} | ${listed(refused)} |\n`)
  }
  process.stdout.write(`\n${faults.length} faults\n`)
}

const isConverted = (outcome: string): boolean => ['glb', 'png', 'wav', 'raw', 'none'].includes(outcome)

function listed(outcomes: [string, number][]): string {
  return outcomes
    .toSorted(([, a], [, b]) => b - a)
    .map(([outcome, count]) => `${count} ${outcome}`)
    .join(', ')
}

process.once('SIGINT', () => {
  printTotals()
  process.exit(1)
})
for (let next = from; next < from + runs; ) next = await inThread(next)
printTotals()
process.exitCode = faults.length > 0 ? 1 : 0
