/**
 * How many steps of the program's own code each reading takes, at a size and at four times that, as V8 counts them block by block: no
 * clock, so any machine counts alike. A program of its own: code that was compiled before the counting began is not counted. It prints a
 * line of JSON for each reading.
 */
import { type Profiler, Session } from 'node:inspector/promises'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const isOurs = (url: string): boolean => url.includes(root) && !url.includes('/node_modules/') && !url.includes(`${root}test/`)

const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
const { clientReadings } = await import('./foreign-text/client-readings.ts')
const { formatReadings } = await import('./foreign-text/format-readings.ts')
const { requestReadings } = await import('./foreign-text/request-readings.ts')
const { serverReadings } = await import('./foreign-text/server-readings.ts')
const { withoutEnd } = await import('../../system/text/text-end.ts')

/** Since the last time. */
async function counted(): Promise<number> {
  const { result } = (await session.post('Profiler.takePreciseCoverage')) as Profiler.TakePreciseCoverageReturnType
  const functions = result.filter(({ url }) => isOurs(url)).flatMap(({ functions: found }) => found)
  return functions.flatMap(({ ranges }) => ranges).reduce((sum, { count }) => sum + count, 0)
}

async function stepsOf(read: () => unknown): Promise<number> {
  // What is made once is made before.
  await read()
  await counted()
  await read()
  return counted()
}

/** What the count has to tell from the others. */
const squared = (size: number) => () => {
  for (let at = 0; at < size; at++) withoutEnd('/'.repeat(at), '/')
}

const smallest = 8 * 1024
for (const { file, what, largest, prepare } of [
  ...serverReadings,
  ...requestReadings,
  ...formatReadings,
  ...clientReadings,
  { file: 'a run', what: 'of squared work', largest: 800, prepare: squared },
]) {
  const size = Math.min(largest, Math.max(smallest, largest / 8))
  const few = await stepsOf(await prepare(Math.floor(size / 4)))
  console.log(JSON.stringify({ file, what, few, many: await stepsOf(await prepare(size)) }))
}
