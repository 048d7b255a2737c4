/** Completion in real shells: what Tab offers, from the table of commands, the mirror and the server, and that names do no harm. */
import { execFile } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { commandsByWords } from '../../../cli/command-words.ts'
import { tableFile } from '../../../cli/commands/completion/table-of.ts'
import { firstWords } from '../../../cli/first-words.ts'
import { callAs } from '../../support/api.ts'
import { startPeer } from '../../support/peer.ts'
import { ph, signedIn } from '../../support/ph.ts'
import { program } from '../../support/ph-process.ts'
import { item, pushed } from '../../support/push.ts'
import { startTestServer } from '../../support/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const server = await startTestServer()
const { url, keys } = await server.addWorkspace()
const mia = callAs(url, keys.mia)
const hostile = "evil'; touch pwned; $(touch pwned) `touch pwned`"
await pushed(mia, [item({ asset_name: 'SM_Barrel' }), item({ asset_name: 'SM_Bench' })])
await mia.post('/tags', { name: hostile })
await mia.post('/projects', { name: 'Old Tavern' })

/** Somebody's machine with `ph` on the PATH, signed in, that waits until there is an answer; and a folder to be in. */
function machine(more: Record<string, string> = {}) {
  const [bin, cwd] = [temporaryFolder(), temporaryFolder()]
  writeFileSync(join(bin, 'ph'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`)
  chmodSync(join(bin, 'ph'), 0o755)
  const folders = { PH_CONFIG_DIR: temporaryFolder(), PH_STATE_DIR: temporaryFolder(), PH_CACHE_DIR: temporaryFolder() }
  // A machine that is busy takes its time.
  const own = { ...folders, PH_COMPLETION_WAIT: '10' }
  return {
    cwd,
    env: {
      ...process.env,
      ...own,
      ...signedIn(url, keys.mia),
      PH_COMPLETION_WAIT: '600',
      ...more,
      PATH: `${bin}${delimiter}${process.env.PATH}`,
    },
  }
}
type Machine = ReturnType<typeof machine>

/** What a shell prints that runs this script. */
const printed = async (command: readonly [string, ...string[]], on: Machine): Promise<string[]> => {
  const [shell, ...args] = command
  const { stdout } = await promisify(execFile)(shell, args, on)
  return stdout.split('\n').filter(Boolean)
}

/** What bash offers at the end of these words, as readline would ask for it. */
async function offered(words: readonly string[], on: Machine = machine()): Promise<string[]> {
  const script = `source <(ph completion bash); COMP_WORDS=(ph "$@"); COMP_CWORD=$#; _ph_complete; printf '%s\\n' "\${COMPREPLY[@]}"`
  return printed(['bash', '--norc', '-c', script, 'bash', ...words], on)
}

test('the table of commands is the one that their declarations print; `npm run docs` writes it', async () => {
  const file = new URL('../../../cli/commands/completion/table.ts', import.meta.url)
  expect(readFileSync(file, 'utf8')).toBe(tableFile(await commandsByWords(firstWords)))
})

test('in bash Tab offers commands, words below them, flags, and the words that a flag takes', async () => {
  const on = machine()
  expect(await offered(['pu'], on)).toEqual(['push', 'pull'])
  expect(await offered(['server', 'key', ''], on)).toEqual(['create', 'list', 'revoke'])
  expect(await offered(['pull', '--pla'], on)).toEqual(['--plan'])
  expect(await offered(['pull', '--on-conflict', ''], on)).toEqual(['keep', 'overwrite', 'ask', 'skip'])
  expect(await offered(['pull', '--on-conflict', '=', 'k'], on)).toEqual(['keep'])
  expect(await offered(['tag', 'list', '--js'], on)).toEqual(['--json'])
})

test('names come from the server, and from the mirror where the server is away', async () => {
  expect((await offered(['show', 'sm_b'])).sort()).toEqual(['SM_Barrel', 'SM_Bench'])
  expect(await offered(['send', 'SM_Barrel', '--project', 'old'])).toEqual(['Old\\ Tavern'])
  expect(await offered(['review', 'request', 'SM_Barrel', '--reviewer', 'ol'])).toEqual(['olivia'])
  const on = machine()
  expect((await ph('mirror update', { env: on.env as Record<string, string> })).code).toBe(0)
  const away = { ...on, env: { ...on.env, PH_API_KEY: 'ph_live_none' } }
  expect((await offered(['show', 'SM_B'], away)).sort()).toEqual(['SM_Barrel', 'SM_Bench'])
})

test('a server that is not there, or nobody signed in, is no error: nothing is offered', async () => {
  expect(await offered(['tag', 'add', ''], machine({ PH_URL: 'http://127.0.0.1:1' }))).toEqual([])
  expect(await offered(['tag', 'add', ''], machine({ PH_URL: '', PH_API_KEY: '' }))).toEqual([])
})

test('a server that never answers is waited for as long as was said, and no longer', async () => {
  const { url: silent, heard } = await startPeer(() => {})
  expect(await offered(['tag', 'add', ''], machine({ PH_URL: silent, PH_COMPLETION_WAIT: '0.2' }))).toEqual([])
  expect(heard.map((one) => one.url)).toEqual(['/api/v1/tags?limit=100'])
})

test('a name that is a command for the shell is offered as one word, and run by nobody', async () => {
  const on = machine()
  const [word = ''] = await offered(['tag', 'add', 'ev'], on)
  const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', `printf '%s' ${word}`], on)
  expect(stdout).toBe(hostile)
  expect(existsSync(join(on.cwd, 'pwned'))).toBe(false)
})

test('fish offers the same, with what each means', async () => {
  const on = machine()
  const offers = (line: string) =>
    printed(['fish', '--no-config', '-c', 'ph completion fish | source; complete -C $argv[1]', line], on)
  expect(await offers('ph pu')).toEqual([
    'pull\tBring props with everything they need into a project',
    'push\tSend an Unreal Content folder, or files, to the library',
  ])
  expect((await offers('ph show SM_B')).map((line) => line.split('\t')[0]).sort()).toEqual(['SM_Barrel', 'SM_Bench'])
  expect((await offers('ph tag add ev')).join()).toContain('touch pwned')
  expect(existsSync(join(on.cwd, 'pwned'))).toBe(false)
})

test('zsh offers the same, as words that it quotes itself', async () => {
  const on = machine()
  // What the function hands to the completion system, which exists only while someone types.
  const script = `compdef() { : }; compadd() { print -rl -- $texts }; _files() { print -r -- files }
    source <(ph completion zsh); words=(ph "$@"); CURRENT=$#words; _ph`
  const offers = (...words: string[]) => printed(['zsh', '-fc', script, 'zsh', ...words], on)
  expect(await offers('pu')).toEqual(['push', 'pull'])
  expect((await offers('show', 'SM_B')).sort()).toEqual(['SM_Barrel', 'SM_Bench', 'files'])
  expect(await offers('tag', 'add', 'ev')).toEqual([hostile])
  expect(existsSync(join(on.cwd, 'pwned'))).toBe(false)
})

test('a shell that ph does not know is wrong usage, with those that it knows', async () => {
  const { code, stderr } = await ph('completion tcsh')
  expect([code, stderr]).toEqual([2, expect.stringContaining('bash, zsh, fish, powershell')])
})
