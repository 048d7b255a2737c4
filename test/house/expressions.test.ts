/**
 * Every regular expression of the program takes time in proportion to what it reads, as `recheck` proves it. What was proven stands in
 * linear-expressions.txt; one that does not is proven here, then `npx vitest run test/house/expressions.test.ts -u` writes it down. With
 * PH_LONG_RUNS=1 all are proven again.
 */
import { globSync, readFileSync } from 'node:fs'
import { check } from 'recheck'
import { parseAst } from 'rolldown/parseAst'
import { expect, test } from 'vitest'
import { agentRoutes } from '../../contract/agent.ts'
import { allRoutes } from '../../contract/index.ts'
import { operatorRoutes } from '../../contract/operator.ts'
import { packagePathPattern, sourcePathPattern } from '../../contract/path-patterns.ts'

const root = new URL('../../', import.meta.url)
const folders = 'agent,cli,client,contract,formats,mcp,previews,server,serving,system,words'
const recordFile = new URL('./linear-expressions.txt', import.meta.url)
const provingMs = 60_000

/** `new RegExp` and what is given to it. Those without a source are looked at by people: why they are in proportion stands there. */
const made: Record<string, { source?: string; why?: string }> = {
  'client/push/origin.ts': { source: sourcePathPattern },
  'client/download/taken-paths.ts': { source: sourcePathPattern },
  'client/push/plan/manifest-item.ts': { source: packagePathPattern },
  'cli/terminal/output.ts': { source: '\\u001b\\[([\\d;]*)m' },
  'system/printable.ts': { why: 'one character of one of several sets' },
  'words/tokenizer.ts': { why: 'runs of sets that exclude each other; recheck reads no set operations (flag v)' },
  'cli/commands/api.ts': { why: 'a route of the contract: what is between its slashes, beginning and end fixed' },
  'agent/imports/import-run.ts': { why: 'a number between words' },
}

interface Node {
  type?: string
  regex?: { pattern: string; flags: string }
  callee?: { name?: string }
  [key: string]: unknown
}

function* nodesOf(node: unknown): Generator<Node> {
  if (Array.isArray(node)) for (const one of node) yield* nodesOf(one)
  else if (typeof node === 'object' && node !== null) {
    yield node as Node
    for (const inner of Object.values(node)) if (typeof inner === 'object') yield* nodesOf(inner)
  }
}

/** Expressions as `flags pattern`, and files that make some. */
function inSources(): { literals: Set<string>; makers: Set<string> } {
  const literals = new Set<string>()
  const makers = new Set<string>()
  for (const file of globSync(`{${folders}}/**/*.{ts,tsx}`, { cwd: root.pathname })) {
    const text = readFileSync(new URL(file, root), 'utf8')
    if (!/\/[^\n]+\/|RegExp/.test(text)) continue
    for (const { regex, callee } of nodesOf(parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' }))) {
      if (regex) literals.add(`${regex.flags} ${regex.pattern}`)
      if (callee?.name === 'RegExp') makers.add(file)
    }
  }
  return { literals, makers }
}

function inSchemas(): string[] {
  const patterns: string[] = []
  for (const [, , { input, output }] of [...allRoutes, ...agentRoutes, ...operatorRoutes])
    for (const { pattern } of nodesOf([input, output])) if (typeof pattern === 'string') patterns.push(`u ${pattern}`)
  return patterns
}

/** Without repetition the work at each character is that of the expression. */
function isRepeating(pattern: string): boolean {
  const bare = pattern.replaceAll(/\\./g, 'c').replaceAll(/\[[^[\]]*\]/g, 'c')
  return /[*+]|\{\d*,\d*\}/.test(bare)
}

const { literals, makers } = inSources()
const madeSources = Object.values(made).flatMap(({ source }) => (source === undefined ? [] : [`u ${source}`]))
const all = [...new Set([...literals, ...inSchemas(), ...madeSources])]
  .filter((one) => isRepeating(one.slice(one.indexOf(' ') + 1)))
  .sort()
const recorded = new Set(readFileSync(recordFile, 'utf8').split('\n'))

async function faultOf(one: string): Promise<string | undefined> {
  const [flags = '', pattern = ''] = [one.slice(0, one.indexOf(' ')), one.slice(one.indexOf(' ') + 1)]
  // Without set operations, the other flag means the same.
  const { status } = await check(pattern, flags.replace('v', 'u'), { timeout: provingMs })
  return status === 'safe' ? undefined : `/${pattern}/${flags} ${status}`
}

test('every regular expression takes time in proportion to its text', async () => {
  const faults: string[] = []
  for (const one of all) {
    if (recorded.has(one) && process.env.PH_LONG_RUNS !== '1') continue
    const fault = await faultOf(one)
    if (fault) faults.push(fault)
  }
  expect(faults).toEqual([])
  await expect(`${all.join('\n')}\n`).toMatchFileSnapshot(recordFile.pathname)
})

test('expressions that are put together while the program runs stand in one list', () => {
  expect([...makers].sort()).toEqual(Object.keys(made).sort())
})

test('the check finds nested repetition, alternatives that overlap, and runs that begin again at every character', async () => {
  for (const bad of [' (a+)+$', ' (a|ab|b)*c', ' \\/+$', 'gs "(?:[^"\\\\]|\\\\.)*"|[[{}\\]]'])
    expect(await faultOf(bad)).toBeDefined()
})
