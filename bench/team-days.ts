/**
 * Days of a team, seeded, as often as wanted: in one process with the real server (test/stories/team-days.test.ts), or with processes that are
 * killed and a library that is restored (test/stories/team-processes.test.ts). Ends with 1 when a fault was found, and says how to see it again.
 *   npx node bench/team-days.ts [--processes] [--seed 1] [--seeds 300] [--steps 60]
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    processes: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string' },
    steps: { type: 'string' },
  },
})
const { processes, seed } = values
const [seeds, steps] = [values.seeds ?? (processes ? '5' : '300'), values.steps ?? (processes ? '2000' : '60')]
const root = fileURLToPath(new URL('..', import.meta.url))
const story = processes ? 'team-processes' : 'team-days'
let faults = 0
for (let at = Number(seed); at < Number(seed) + Number(seeds); at++) {
  const env = { ...process.env, PH_TEAM_FIRST: String(at), PH_TEAM_SEEDS: '1', PH_TEAM_STEPS: steps }
  const line = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', `test/stories/${story}.test.ts`]
  const { status } = spawnSync(process.execPath, line, { cwd: root, env, stdio: ['ignore', 2, 2] })
  if (status === 0) continue
  faults++
  const again = `npx node bench/team-days.ts${processes ? ' --processes' : ''} --seed ${at} --seeds 1 --steps ${steps}`
  process.stdout.write(`seed ${at}: a fault was found, see above. To see it again: ${again}\n`)
}
process.stdout.write(`${seeds} seeds of ${steps} steps, ${faults} with a fault\n`)
process.exitCode = faults === 0 ? 0 : 1
