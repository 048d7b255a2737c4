/**
 * What is read of others on the main thread, each at its largest input: `node bench/foreign-text.ts`. Exit code 1 where any takes more than
 * 50 ms. The list is test/support/foreign-text/; a new reading is one object more.
 */
import { clientReadings } from '../test/support/foreign-text/client-readings.ts'
import type { Reading } from '../test/support/foreign-text/reading.ts'
import { serverReadings } from '../test/support/foreign-text/server-readings.ts'

const mostMs = 50
const runs = 5

/** The median: the engine has seen the code before, as in a program that has run for a while. */
async function measured({ file, what, largest, isInThread, prepare }: Reading) {
  const read = prepare(largest)
  const times: number[] = []
  for (let run = 0; run < runs; run++) {
    const began = performance.now()
    await read()
    times.push(performance.now() - began)
  }
  const ms = times.sort((a, b) => a - b)[Math.floor(runs / 2)] ?? 0
  return { file, what, largest, ms: Number(ms.toFixed(2)), stops: isInThread ? 'a thread' : ms > mostMs ? 'OVER' : '' }
}

const rows = []
for (const reading of [...serverReadings, ...clientReadings]) rows.push(await measured(reading))
console.table(rows)
process.exitCode = rows.some(({ stops }) => stops === 'OVER') ? 1 : 0
