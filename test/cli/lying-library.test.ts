/** A server that lies in every field drives no terminal, in any command: what people read, what programs read, and what fails. */
import { PassThrough, Readable } from 'node:stream'
import { expect, test } from 'vitest'
import type { Command } from '../../cli/command.ts'
import { firstWords } from '../../cli/first-words.ts'
import { run } from '../../cli/program.ts'
import { drivers, type Honest, hostile, lyingLibrary } from '../support/lying-library.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** Those that run until they are stopped, open windows, or ask no library. */
const elsewhere = new Set([
  'server',
  'agent',
  'mcp',
  'demo',
  'completion',
  'help',
  'update',
  'login',
  'open',
  'mirror',
  'config',
  'alias',
])

/** `['tag', 'add', '1', '1']` for `tag add <tag> <entries…>`. */
const wordsOf = ({ usage, options }: Command): string[] => [
  ...usage
    .replaceAll(/\s*\[[^\]]*\]/g, '')
    .replaceAll(/<[^>]*>/g, '1')
    .split(' '),
  ...(options && 'yes' in options ? ['--yes'] : []),
]

async function commandsOfLibrary(): Promise<string[][]> {
  const words = Object.entries(firstWords).filter(([word]) => !elsewhere.has(word))
  const loaded = await Promise.all(words.map(([, { load }]) => load()))
  const all = loaded.flatMap(({ commands }) => commands as readonly Command[])
  return all.map(wordsOf).filter((one) => !one.includes('listen') && !one.includes('work'))
}

interface Told {
  stdout: string
  stderr: string
}

interface Asked {
  isTerminal: boolean
  /** Settings of this run. */
  env?: Record<string, string>
}

async function told(args: readonly string[], url: string, { isTerminal, env = {} }: Asked): Promise<Told> {
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() }
  const terminal = { isTTY: true, columns: 200, rows: 40 }
  const chunks = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    if (isTerminal) Object.assign(streams[name], terminal)
    streams[name].on('data', (chunk: Buffer) => (chunks[name] += chunk.toString()))
  }
  const nowhere = { PH_CONFIG_DIR: temporaryFolder(), PH_STATE_DIR: temporaryFolder(), PH_CACHE_DIR: temporaryFolder() }
  await run([...args], {
    ...streams,
    env: { ...nowhere, PH_PREVIEWS: 'off', PH_URL: url, PH_API_KEY: `ph_live_${'k'.repeat(40)}`, TERM: 'xterm-256color', ...env },
    cwd: temporaryFolder(),
    stdin: Readable.from([]),
    signal: AbortSignal.timeout(20_000),
    now: () => new Date('2026-11-27T00:00:00Z'),
    pause: async () => undefined,
  })
  return chunks
}

const commands = await commandsOfLibrary()
const printing = (text: string) => text.includes('LIE')

test.each(['nothing', 'words', 'words and times'] as Honest[])(
  'no command prints what drives a terminal, of a library where %s can be believed',
  async (honest) => {
    const url = await lyingLibrary(honest)
    const found: string[] = []
    let lies = 0
    for (const words of commands) {
      const { stdout, stderr } = await told(words, url, { isTerminal: true })
      if (printing(stdout + stderr)) lies++
      const driving = drivers(stdout + stderr)
      if (driving.length > 0)
        found.push(`${words.join(' ')}: ${JSON.stringify(driving)} in ${JSON.stringify(stdout + stderr).slice(0, 600)}`)
    }
    expect(found).toEqual([])
    expect(lies).toBeGreaterThan(10)
  },
)

test.each([400, 409])('nor does an error of status %i, as words or as JSON', async (status) => {
  const url = await lyingLibrary('nothing', status)
  for (const words of [['show', '1'], ['activity'], ['tag', 'list'], ['collection', 'list']])
    for (const more of [[], ['--json']]) {
      const { stdout, stderr } = await told([...words, ...more], url, { isTerminal: true })
      expect(stderr).toContain('LIE')
      expect(drivers(stdout + stderr), words.join(' ')).toEqual([])
    }
})

test('nor does what PH_DEBUG adds to it, where an error was made', async () => {
  const url = await lyingLibrary('nothing', 400)
  for (const more of [[], ['--json']]) {
    const { stderr } = await told(['tag', 'list', ...more], url, { isTerminal: true, env: { PH_DEBUG: '1' } })
    expect(stderr).toMatch(/^ +at /m)
    expect(drivers(stderr).filter((what) => what !== 'a line of its own')).toEqual([])
  }
})

test('JSON holds the same values with escapes, on a terminal and for programs; so does what jq makes of it', {
  timeout: 60_000,
}, async () => {
  const url = await lyingLibrary('words and times')
  let whole = 0
  for (const words of commands) {
    for (const isTerminal of [true, false]) {
      const { stdout, stderr } = await told([...words, '--json'], url, { isTerminal })
      expect(drivers(stdout + stderr), words.join(' ')).toEqual([])
      if (stdout.includes('LIE\\u') && stdout.trimStart().startsWith('{')) {
        expect(JSON.stringify(JSON.parse(stdout))).toContain(JSON.stringify(hostile).slice(1, -1))
        whole++
      }
    }
  }
  expect(whole).toBeGreaterThan(20)
  const template = '{{ events[0].event_type }}'
  for (const shape of [
    ['--jq', '.'],
    ['--jq', '.events[0]'],
    ['--jq', '.. | strings'],
    ['--template', template],
  ]) {
    const { stdout } = await told(['activity', ...shape], url, { isTerminal: true })
    expect(stdout).toContain('LIE')
    // Who takes texts out of a document gets their lines.
    expect(
      drivers(stdout).filter((what) => what !== 'a line of its own'),
      shape.join(' '),
    ).toEqual([])
  }
  const piped = await told(['activity', '--jq', '.events[0]'], url, { isTerminal: false })
  expect(drivers(piped.stdout)).toEqual([])
  expect(JSON.stringify(JSON.parse(piped.stdout))).toContain(JSON.stringify(hostile).slice(1, -1))
})
