/** ph capabilities: it says of the commands what is so, because it is made of their declarations. */
import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { refusalCodes } from '../../../cli/refusal-codes.ts'
import { clientErrors } from '../../../client/client-error.ts'
import { errors } from '../../../contract/errors.ts'
import type { Json } from '../../support/api.ts'
import { ph } from '../../support/ph.ts'

const all = (await ph('capabilities --json')).json() as Json

test('every command of ph help is there with its schema, and it is the published one', async () => {
  const names = all.commands.map(({ command }: Json) => command)
  expect(new Set(names).size).toBe(names.length)
  const help = (await ph('help')).stdout
  for (const word of new Set(names.map((name: string) => name.split(' ')[0]))) expect(help).toContain(`  ${word}`)
  for (const { command, schema, without_schema } of all.commands) {
    if (without_schema !== null) continue
    const file = new URL(`../../../docs/json/${command.replaceAll(' ', '-')}.json`, import.meta.url)
    expect(schema, command).toEqual(JSON.parse(readFileSync(file, 'utf8')))
  }
})

test('words narrow it; a command says its arguments, flags with their words and defaults, and its own exit codes', async () => {
  const { commands } = (await ph('capabilities pull --json')).json() as Json
  expect(commands).toMatchObject([{ command: 'pull', arguments: [{ name: 'entries', required: false, many: true }] }])
  const flagOf = (name: string) => commands[0].flags.find((flag: Json) => flag.name === name)
  const words = ['keep', 'overwrite', 'ask', 'skip']
  expect(flagOf('--on-conflict')).toMatchObject({
    type: 'text',
    value: 'what',
    values: words,
    default: 'keep',
    repeatable: false,
  })
  expect(flagOf('--plan')).toMatchObject({ type: 'switch', value: null, values: null, default: null })
  expect(commands[0].exit_codes).toEqual([0, 1, 2, 3, 4, 5, 6, 130])
  const wrong = await ph('capabilities pul --json')
  expect([wrong.code, JSON.parse(wrong.stderr).error.next]).toEqual([2, ['ph capabilities']])
})

test('the words that a flag says it takes are those that it takes', async () => {
  for (const { command, arguments: given, flags } of all.commands)
    for (const { name, values } of flags)
      for (const value of values ?? []) {
        const placeholders = given.flatMap(({ required }: Json) => (required ? ['x'] : []))
        const { stderr } = await ph([...command.split(' '), ...placeholders, name, value, '--fields', ','])
        expect(stderr, `${command} ${name} ${value}`).toContain('an empty name')
      }
})

test('every code that a command can end with is told', () => {
  const told = new Set(all.error_codes.map(({ code }: Json) => code))
  for (const code of [...Object.keys(errors), ...Object.keys(clientErrors), ...Object.keys(refusalCodes)])
    expect(told).toContain(code)
  const sources = globSync('cli/**/*.ts', { cwd: new URL('../../..', import.meta.url).pathname })
  const thrown = sources.flatMap((path) => {
    const text = readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
    return [...text.matchAll(/(?:\bcode: |\bfailed\(\s*)'([A-Z][A-Z_]+)'/g)].map(([, code]) => code)
  })
  expect([...new Set(thrown)].filter((code) => !told.has(code))).toEqual([])
})

test('for people it is a line for each command', async () => {
  const { code, stdout } = await ph('capabilities tag', { columns: 100, env: { NO_COLOR: '1' } })
  expect([code, stdout.split('\n')[0]]).toEqual([0, expect.stringMatching(/^COMMAND +DOES$/)])
  expect(stdout).toContain('ph tag create <name>')
})
