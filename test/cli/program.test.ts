/** The program around the commands: help, version, wrong usage, exit codes. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ph } from '../support/ph.ts'

const packageJson = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }

test('ph without arguments explains itself on stdout', async () => {
  const { code, stdout, stderr } = await ph('')
  expect(code).toBe(0)
  expect(stdout).toContain('Usage: ph <command> [options]')
  expect(stderr).toBe('')
})

test('ph --version says the version of the package', async () => {
  const { code, stdout } = await ph('--version')
  expect(code).toBe(0)
  expect(stdout).toBe(`${packageJson.version}\n`)
})

test('an unknown command is wrong usage', async () => {
  const { code, stdout, stderr } = await ph('frobnicate')
  expect(code).toBe(2)
  expect(stdout).toBe('')
  expect(stderr).toContain('frobnicate')
  expect(stderr).toContain('next: See `ph help`')
})

test('with --json an error is one JSON object on stderr and nothing on stdout', async () => {
  const { code, stdout, stderr } = await ph('frobnicate --json')
  expect(code).toBe(2)
  expect(stdout).toBe('')
  expect(JSON.parse(stderr)).toEqual({
    error: {
      code: 'USAGE',
      message: expect.stringContaining('frobnicate'),
      details: {},
      next: ['ph help'],
      hint: 'See `ph help`.',
    },
  })
})

test.each([
  ['frobnicate', 'There is no command `ph frobnicate`.', 'See `ph help`.'],
  ['shwo SM_Barrel', 'There is no command `ph shwo`.', 'Did you mean `show`? See `ph help`.'],
  ['server strat', 'There is no command `ph server strat`.', 'Did you mean `start`? See `ph help server`.'],
  ['tag rename', 'There is no command `ph tag rename`.', 'Did you mean `create` or `remove`? See `ph help tag`.'],
  ['login ph_live_key', '`ph login` takes options only, and nothing else after it.', 'See `ph help login`.'],
  ['help frobnicate', 'There is no command `ph frobnicate`.', 'See `ph help`.'],
  ['show', '`ph show` needs <entry>: its id, its name or its /Game path.', 'See `ph help show`.'],
  ['show a b', '`ph show` takes <entry> and no more; it got a, b.', 'See `ph help show`.'],
  ['push . --dry-rum', '`ph push` has no option `--dry-rum`.', 'Did you mean `--dry-run`? See `ph help push`.'],
  ['search --type', 'The option `--type <type>` needs its value.', 'See `ph help search`.'],
  ['search --limit many', '--limit takes a whole number from 1 to 1,000,000, not "many".', 'Write it like this: --limit 50'],
  ['--profile', 'The option `--profile <name>` needs its value.', 'See `ph help`.'],
])('wrong usage names the thing and the next step: ph %s', async (line, message, hint) => {
  const { code, stdout, stderr } = await ph(`${line} --json`.replace('--profile --json', '--json --profile'))
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(JSON.parse(stderr).error).toMatchObject({ code: 'USAGE', message, hint })
})

test('a group without its second word explains itself on stderr', async () => {
  const { code, stdout, stderr } = await ph('server')
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain('start')
})
