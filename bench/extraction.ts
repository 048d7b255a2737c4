/**
 * How long the source data of each real package takes to read, by the clock and by the processor: on a busy machine only the second
 * says something. Prints one markdown table.
 *   PH_FIXTURES=DIR npx node bench/extraction.ts [--rounds 3]
 */
import { parseArgs } from 'node:util'
import { readSourceOf } from '../previews/source-data/file-source.ts'
import { sourcePackages } from '../test/support/payload-fixtures.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '3' } } })
const packages = sourcePackages('Texture2D', 'SoundWave', 'StaticMesh', 'SkeletalMesh')
if (packages.length === 0) throw new Error('Name the folder of real packages: PH_FIXTURES=DIR')

process.stdout.write(`${packages.length} packages, milliseconds: median, p95, slowest\n\n`)
process.stdout.write('| round | by the processor | by the clock |\n|---|---|---|\n')
for (let round = 1; round <= Number(values.rounds); round++) {
  const times = { processor: [] as number[], clock: [] as number[] }
  for (const { path, bytes } of packages) {
    const [used, started] = [process.cpuUsage(), performance.now()]
    await readSourceOf(bytes, { path, beside: async () => undefined })
    times.clock.push(performance.now() - started)
    const { user, system } = process.cpuUsage(used)
    times.processor.push((user + system) / 1000)
  }
  process.stdout.write(`| ${round === 1 ? '1, cold' : round} | ${quantiles(times.processor)} | ${quantiles(times.clock)} |\n`)
}

function quantiles(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  return [0.5, 0.95, 1].map((share) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1)).join(', ')
}
