/**
 * Kills agents at seeded moments of importing, or mirrors at as many of loading and of following, and says what was found wrong afterwards:
 * test/stories/agent-killed.test.ts and test/client/mirror/killed.test.ts, as often as wanted. Ends with 1 when anything was.
 *   npx node bench/agent-kills.ts [--of importing|mirroring] [--runs 100] [--seed TEXT]
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    of: { type: 'string', default: 'importing' },
    runs: { type: 'string', default: '100' },
    seed: { type: 'string', default: 'bench' },
  },
})
interface Figures {
  runs: number
  deaths: string[]
}
const importing = {
  test: ['test/stories/agent-killed.test.ts', '-t', 'agents killed'],
  words({ runs, deaths }: Figures): string {
    const placing = deaths.filter((one) => /\/(Staging-|Content\/)/.test(one)).length
    return `${runs} imports, ${deaths.length} kills, ${placing} of them while files were placed, no fault`
  },
}
const mirroring = {
  test: ['test/client/mirror/killed.test.ts'],
  words({ runs, deaths }: Figures): string {
    const writing = deaths.filter((one) => /^run |sqlite/.test(one)).length
    return `${runs} moments of loading, of filling by a process of its own, and of following; ${deaths.length} kills beside those of filling, ${writing} of them while the mirror was written, no fault`
  },
}
const story = values.of === 'mirroring' ? mirroring : importing
const root = fileURLToPath(new URL('..', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'ph-bench-'))
const figuresPath = join(scratch, 'figures.json')
const env = { ...process.env, PH_AGENT_RUNS: values.runs, PH_AGENT_SEED: values.seed, PH_AGENT_FIGURES: figuresPath }
const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const line = [vitest, 'run', ...story.test]
const { status } = spawnSync(process.execPath, line, { cwd: root, env, stdio: ['ignore', 2, 2] })
const isWhole = status === 0 && existsSync(figuresPath)
if (isWhole) process.stdout.write(`${story.words(JSON.parse(readFileSync(figuresPath, 'utf8')) as Figures)}\n`)
else process.stdout.write('a fault was found, or the run did not come to its end: see above\n')
rmSync(scratch, { recursive: true })
process.exitCode = isWhole ? 0 : 1
