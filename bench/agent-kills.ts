/**
 * Kills agents at seeded moments of importing and says what was found wrong afterwards: the story of test/stories/agent-killed.test.ts, as
 * often as wanted. Ends with 1 when anything was.
 *   npx node bench/agent-kills.ts [--runs 100] [--seed TEXT]
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '100' }, seed: { type: 'string', default: 'bench' } },
})
const root = fileURLToPath(new URL('..', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'ph-bench-'))
const figuresPath = join(scratch, 'figures.json')
const env = { ...process.env, PH_AGENT_RUNS: values.runs, PH_AGENT_SEED: values.seed, PH_AGENT_FIGURES: figuresPath }
const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const line = [vitest, 'run', 'test/stories/agent-killed.test.ts', '-t', 'agents killed']
const { status } = spawnSync(process.execPath, line, { cwd: root, env, stdio: ['ignore', 2, 2] })
const isWhole = existsSync(figuresPath)
if (isWhole) {
  const { runs, deaths } = JSON.parse(readFileSync(figuresPath, 'utf8')) as { runs: number; deaths: string[] }
  const placing = deaths.filter((one) => /\/(Staging-|Content\/)/.test(one)).length
  process.stdout.write(`${runs} imports, ${deaths.length} kills, ${placing} of them while files were placed, no fault\n`)
} else process.stdout.write('a fault was found, see above\n')
rmSync(scratch, { recursive: true })
process.exitCode = isWhole && status === 0 ? 0 : 1
