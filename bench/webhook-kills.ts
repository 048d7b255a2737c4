/**
 * Kills servers in the middle of deliveries to webhooks, and says what was found wrong afterwards: test/stories/webhooks-killed.test.ts, as
 * often as wanted. Ends with 1 when anything was.
 *   bin/postgres.sh npx node bench/webhook-kills.ts [--kills 10]     two servers; without bin/postgres.sh one, on PGlite
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const { values } = parseArgs({ options: { kills: { type: 'string', default: '10' } } })
const root = fileURLToPath(new URL('..', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'ph-bench-'))
const figuresPath = join(scratch, 'figures.json')
const env = { ...process.env, PH_WEBHOOK_KILLS: values.kills, PH_WEBHOOK_FIGURES: figuresPath }
const line = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', 'test/stories/webhooks-killed.test.ts']
const { status } = spawnSync(process.execPath, line, { cwd: root, env, stdio: ['ignore', 2, 2] })
const isWhole = status === 0 && existsSync(figuresPath)
if (isWhole) {
  const { kills, cut, repeats } = JSON.parse(readFileSync(figuresPath, 'utf8')) as Record<string, number>
  process.stdout.write(`${kills} kills, ${cut} requests under way at these moments, ${repeats} repeats, nothing missed\n`)
} else process.stdout.write('a fault was found, see above\n')
rmSync(scratch, { recursive: true })
process.exitCode = isWhole ? 0 : 1
