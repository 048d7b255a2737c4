/** `http://` to another machine is said where a key or a program would travel: at login and update, for people and for scripts. */
import { expect, test } from 'vitest'
import { ph } from '../../support/ph.ts'

const there = 'http://props.invalid/w/acme'
const gone = () => AbortSignal.timeout(5_000)
const env = { PH_API_KEY: '' }

test.each([['login --no-browser'], ['login --no-browser --json'], ['login --with-key --insecure-storage']])(
  '%s says in one line that key and files travel unencrypted, before anything is sent',
  async (line) => {
    const setting = { env, stdin: `ph_live_${'k'.repeat(40)}`, signal: gone() }
    const { stdout, stderr } = await ph(`${line} --url ${there}`, setting)
    const [first = ''] = stderr.split('\n')
    expect(first).toContain(`${there} is plain HTTP to another machine: your key and your files travel unencrypted`)
    expect(first).toContain('Use its https:// address, or a tunnel')
    expect(stdout).not.toContain('plain HTTP')
  },
)

test.each(['https://props.invalid', 'http://127.0.0.1:1'])('nothing is said of %s', async (url) => {
  const { stderr } = await ph(`login --no-browser --url ${url}`, { env, signal: gone() })
  expect(stderr).not.toContain('plain HTTP')
})
