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
    error: { code: 'USAGE', message: expect.stringContaining('frobnicate'), details: {}, next: 'See `ph help`.' },
  })
})
