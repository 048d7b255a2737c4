/**
 * What is read of others on the main thread, each at its largest input: `node bench/foreign-text.ts`. Exit code 1 where any keeps
 * it for more than 50 ms without a pause. The list is test/support/foreign-text/; a new reading is one object more.
 */
import { clientReadings } from '../test/support/foreign-text/client-readings.ts'
import { formatReadings } from '../test/support/foreign-text/format-readings.ts'
import type { Reading } from '../test/support/foreign-text/reading.ts'
import { requestReadings } from '../test/support/foreign-text/request-readings.ts'
import { serverReadings } from '../test/support/foreign-text/server-readings.ts'

const mostMs = 50
const runs = 5

interface Stretch {
  /** By the clock. */
  ms: number
  /** Of the main thread itself, in the ticks of the system: what else the machine does is not in it. */
  workedMs: number
}

const now = (): Stretch => {
  const { user, system } = process.threadCpuUsage()
  return { ms: performance.now(), workedMs: (user + system) / 1000 }
}

/** The longest time that the main thread went on without a pause. */
async function longestStretch(read: () => unknown): Promise<Stretch> {
  let last = now()
  let isOver = false
  const longest = { ms: 0, workedMs: 0 }
  const look = () => {
    const { ms, workedMs } = now()
    longest.ms = Math.max(longest.ms, ms - last.ms)
    longest.workedMs = Math.max(longest.workedMs, workedMs - last.workedMs)
    last = { ms, workedMs }
    if (!isOver) setImmediate(look)
  }
  setImmediate(look)
  await read()
  isOver = true
  look()
  return longest
}

const median = (all: number[]): number => Number((all.sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0).toFixed(2))

/** The median: the engine has seen the code before, as in a program that has run for a while. */
async function measured({ file, what, largest, isInThread, isClient, prepare }: Reading) {
  const read = await prepare(largest)
  const stretches: Stretch[] = []
  for (let run = 0; run < runs; run++) stretches.push(await longestStretch(read))
  const [ms, workedMs] = [median(stretches.map((one) => one.ms)), median(stretches.map((one) => one.workedMs))]
  const isOver = Math.min(ms, workedMs) > mostMs
  return { file, what, largest, ms, workedMs, stops: isInThread ? 'a thread' : isClient ? 'a client' : isOver ? 'OVER' : '' }
}

const rows = []
for (const reading of [...serverReadings, ...requestReadings, ...formatReadings, ...clientReadings])
  rows.push(await measured(reading))
console.table(rows)
process.exitCode = rows.some(({ stops }) => stops === 'OVER') ? 1 : 0
