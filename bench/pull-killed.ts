/**
 * Interrupts pulls at seeded moments, up to three times over, and says what was found wrong afterwards: the story of
 * test/stories/pull-killed-again.test.ts, as often as wanted. Ends with 1 when anything was.
 *   npx node bench/pull-killed.ts [--runs 300] [--seed TEXT]
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Figures } from '../test/support/interrupted-pulls.ts'

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '300' }, seed: { type: 'string', default: 'bench' } },
})
const root = fileURLToPath(new URL('..', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'ph-bench-'))
const figuresPath = join(scratch, 'figures.json')
const env = { ...process.env, PH_PULL_RUNS: values.runs, PH_PULL_SEED: values.seed, PH_PULL_FIGURES: figuresPath }
const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const story = 'test/stories/pull-killed-again.test.ts'
const { status } = spawnSync(process.execPath, [vitest, 'run', story], { cwd: root, env, stdio: ['ignore', 2, 2] })
if (!existsSync(figuresPath)) throw new Error('not one of the runs came to its end')
const { faults, ...counted } = JSON.parse(readFileSync(figuresPath, 'utf8')) as Figures
rmSync(scratch, { recursive: true })

const words: Record<keyof typeof counted, string> = {
  runs: 'pulls that were interrupted',
  linkless: 'of them on a disk without hard links',
  kills: 'processes killed (SIGKILL)',
  interrupts: 'processes stopped by Ctrl-C (SIGINT)',
  cuts: 'processes whose network went away',
  again: 'of these three, that had taken up an interrupted pull',
  place: 'ended while files were placed',
  disk: 'ended at another change of the disk',
  wire: 'ended while bytes were sent or taken',
  edits: 'files saved by someone between two runs',
  versions: 'of all edits, became versions by the push that followed',
}
for (const [key, what] of Object.entries(words))
  process.stdout.write(`${String(counted[key as keyof typeof counted]).padStart(6)}  ${what}\n`)
process.stdout.write(`${String(faults.length).padStart(6)}  faults\n${faults.map((fault) => `        ${fault}\n`).join('')}`)
const isWhole = counted.runs === Number(values.runs)
if (!isWhole) process.stdout.write(`Only ${counted.runs} of ${values.runs} runs were done.\n`)
process.exitCode = faults.length > 0 || !isWhole || status !== 0 ? 1 : 0
