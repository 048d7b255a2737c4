/** Help: every command explains itself with examples and exit codes, and its examples are true. */
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { firstWords } from '../../cli/first-words.ts'
import { ph } from '../support/ph.ts'

const loaded = await Promise.all(
  Object.entries(firstWords).map(async ([word, { load }]) => ({ word, commands: (await load()).commands })),
)
const all = loaded.flatMap(({ word, commands }) => commands.map((command) => ({ word, command })))
const wordsOf = (usage: string): string =>
  usage
    .split(' ')
    .filter((part) => !/^[<[]/.test(part))
    .join(' ')

test('the first words of usages are the names they are listed under', () => {
  for (const { word, command } of all) expect(command.usage.split(' ')[0]).toBe(word)
})

test('ph --help lists every first word, and no line is longer than the terminal is wide', async () => {
  for (const columns of [40, 60, 80, 120]) {
    const { stdout } = await ph('--help', { columns, env: { NO_COLOR: '1' } })
    for (const word of Object.keys(firstWords)) expect(stdout).toContain(`  ${word}`)
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(columns)
  }
})

describe.each(all)('ph help $command.usage', ({ command }) => {
  test('shows its examples and exit codes', async () => {
    const { code, stdout, stderr } = await ph(`help ${wordsOf(command.usage)}`)
    expect(stderr).toBe('')
    expect(code).toBe(0)
    expect(command.examples.length).toBeGreaterThan(0)
    for (const [line] of command.examples) expect(stdout).toContain(`ph ${line}`)
    expect(stdout).toContain('130  interrupted')
  })

  test('uses only options that exist in its examples', async () => {
    for (const [line] of command.examples) {
      const topics = all.map(({ command: { usage } }) => wordsOf(usage)).filter((words) => line.startsWith(words))
      const [topic = ''] = topics.toSorted((one, other) => other.length - one.length)
      const { stdout } = await ph(`help ${topic}`)
      for (const option of line.split(' | ')[0]?.match(/(?<= )--?[a-z][a-z-]*/g) ?? []) expect(stdout).toContain(option)
    }
  })
})

test('on a narrow terminal what an option means stands below it, broken between words', async () => {
  const { stdout } = await ph('help search', { columns: 40, env: { NO_COLOR: '1' } })
  expect(stdout).toContain('\n  --ids\n      only the ids, one a line, of all\n      hits unless')
  const [help = ''] = stdout.split('Examples:')
  for (const line of help.split('\n')) expect(line.length).toBeLessThanOrEqual(40)
})

test('without colour nothing of the help is lost', async () => {
  const colored = await ph('help search', { columns: 80, env: { FORCE_COLOR: '1' } })
  const plain = await ph('help search', { columns: 80, env: { NO_COLOR: '1' } })
  expect(colored.stdout).not.toBe(plain.stdout)
  expect(stripVTControlCharacters(colored.stdout)).toBe(plain.stdout)
})
