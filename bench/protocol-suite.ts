/**
 * The official conformance suite of the protocol that assistants speak, against the hosted endpoint of a real server: a front adds the key,
 * which the suite has no way to send. `npx node bench/protocol-suite.ts DIR`, where `npm i @modelcontextprotocol/conformance@0.2.0-alpha.12` was
 * run in DIR. Prints a markdown table; ends with 1 when something failed that isFault here.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { startPh } from './ph.ts'

interface Check {
  id: string
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
  errorMessage?: string
  details?: { message?: string }
}

const revisions: Record<string, string[]> = {
  '2025-06-18': ['--spec-version', '2025-06-18'],
  '2025-11-25': ['--spec-version', '2025-11-25'],
  '2026-07-28': ['--requirements', '2026-07-28'],
}

/** Why a check that fails says nothing of this server. Most want the tools, prompts and resources of the suite's own test server. */
const besides: [why: string, RegExp][] = [
  [
    'want tools, prompts or resources of the suite’s own test server',
    /\btest_\w+|test:\/\/|json_schema_2020_12_tool|^Prerequisite failed|re-requesting via InputRequiredResult|Expected InputRequiredResult/,
  ],
  ['want a tool that takes arguments as headers (`x-mcp-header`); there is none', /x-mcp-header/],
  ['want sessions, which this endpoint does without', /session ID/],
  ['want logging or subscriptions, which this server does not declare', /Method not found/],
]

const scratch = mkdtempSync(join(tmpdir(), 'protocol-suite-'))
const suite = join(process.argv[2] ?? '.', 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
const server = await startPh(join(scratch, 'server'), undefined, { env: { PH_RATE_LIMIT_REQUESTS: '100000' } })

const front = createServer((asked, answer) => {
  const { hostname, port } = new URL(server.url)
  const headers = { ...asked.headers, authorization: `Bearer ${server.key}` }
  const onwards = request({ hostname, port, path: asked.url, method: asked.method, headers }, (got) => {
    answer.writeHead(got.statusCode ?? 502, got.headers)
    got.pipe(answer)
  })
  onwards.on('error', () => answer.destroy())
  answer.on('close', () => onwards.destroy())
  asked.pipe(onwards)
}).listen(0, '127.0.0.1')
await once(front, 'listening')
const url = `http://127.0.0.1:${(front.address() as AddressInfo).port}/mcp`

/** By scenario, in the order in which the suite ran them. */
async function checksOf(revision: string): Promise<Map<string, Check[]>> {
  const out = join(scratch, revision)
  const options = ['server', '--url', url, ...(revisions[revision] ?? []), '-o', out]
  const [code] = await once(spawn(process.execPath, [suite, ...options], { stdio: ['ignore', 'ignore', 'inherit'] }), 'close')
  const files = globSync(join(out, '*/checks.json'))
  if (files.length === 0) throw new Error(`the suite ended with ${code} and left nothing`)
  const nameOf = (file: string) => basename(dirname(file)).replace(/-\d{4}-\d\d-\d\dT.*$/, '')
  return new Map(files.map((file) => [nameOf(file), JSON.parse(readFileSync(file, 'utf8')) as Check[]]))
}

const whyNot = (scenario: string, { errorMessage, details }: Check): string | undefined =>
  scenario.startsWith('tasks-')
    ? 'are of the extension for tasks, which is not offered'
    : besides.find(([, said]) => said.test(errorMessage ?? details?.message ?? ''))?.[0]

interface Outcome {
  scenario: string
  revision: string
  passed: number
  failed: Check[]
}

const outcomes: Outcome[] = []
for (const revision of Object.keys(revisions))
  for (const [scenario, checks] of await checksOf(revision)) {
    const passed = checks.filter(({ status }) => status === 'SUCCESS').length
    const failed = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
    outcomes.push({ scenario: scenario.replace(/^server-/, ''), revision, passed, failed })
  }

const isFault = ({ scenario, failed }: Outcome) => failed.some((check) => whyNot(scenario, check) === undefined)
const isOther = ({ scenario, passed, failed }: Outcome) =>
  failed.length > 0 && failed.length >= passed && !isFault({ scenario, passed, failed, revision: '' })
console.log('| scenario | revision | checks that pass | that fail |\n|---|---|---|---|')
for (const [scenario, all] of [...Map.groupBy(outcomes, ({ scenario }) => scenario)].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
  const shown = all.filter((one) => !isOther(one) && one.passed > 0)
  if (shown.length === 0) continue
  const failed = shown.flatMap((one) =>
    one.failed.map((check) => `${check.id}: ${whyNot(scenario, check) ?? check.errorMessage}`),
  )
  console.log(
    `| ${scenario} | ${shown.map(({ revision }) => revision).join(', ')} | ${shown.map(({ passed }) => passed).join(', ')} | ${failed.join('; ') || 'none'} |`,
  )
}
const others = Map.groupBy(outcomes.filter(isOther), (one) => one.failed.map((check) => whyNot(one.scenario, check))[0])
console.log('')
for (const [why, all] of others)
  console.log(`- These ${why}: ${[...new Set(all.map(({ scenario }) => scenario))].toSorted().join(', ')}`)
process.exitCode = outcomes.some(isFault) ? 1 : 0
front.closeAllConnections()
front.close()
await server.end()
rmSync(scratch, { recursive: true, force: true })
