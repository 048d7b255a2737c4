/** `ph mcp install`, `uninstall` and `doctor`: the settings of other programs stay as they are, but for one server. */
import { existsSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parse } from 'jsonc-parser'
import { expect, test } from 'vitest'
import { assistantsOf } from '../../../cli/commands/mcp/assistants.ts'
import { profilesFile } from '../../../client/folders.ts'
import { ph } from '../../support/ph.ts'
import { startTestServer } from '../../support/server.ts'
import { temporaryFolder, writeFiles } from '../../support/temporary-folder.ts'

const server = await startTestServer()

/** Someone who is signed in, with a home of their own. */
async function artist() {
  const { url, keys } = await server.addWorkspace()
  const home = temporaryFolder()
  const env = {
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    PH_CONFIG_DIR: join(home, 'ph'),
    PH_STATE_DIR: join(home, 'state'),
    PH_CACHE_DIR: join(home, 'cache'),
  }
  const signIn = await ph(['login', '--url', url, '--with-key', '--insecure-storage'], { env, stdin: keys.mia })
  expect(signIn.code, signIn.stderr).toBe(0)
  const fileOf = (name: string) => assistantsOf(env, 'linux').find((one) => one.name === name)?.file ?? ''
  const write = (name: string, text: string) => {
    mkdirSync(dirname(fileOf(name)), { recursive: true })
    writeFileSync(fileOf(name), text, { mode: 0o640 })
    return fileOf(name)
  }
  return { env, home, fileOf, write, run: (line: string) => ph(line, { env }) }
}

const refusalOf = ({ stderr }: { stderr: string }) => JSON.parse(stderr).error
const whole = (file: string) => readFileSync(file, 'utf8')

test('an assistant that has no settings yet gets some, which start ph with the sign-in of now', async () => {
  const { env, run, fileOf } = await artist()
  const outcome = await run('mcp install claude-desktop --read-only')
  expect(outcome.code, outcome.stderr).toBe(0)
  expect(outcome.stdout).toContain('Restart Claude Desktop.')
  const { current } = JSON.parse(whole(profilesFile({ config: env.PH_CONFIG_DIR, state: '', cache: '' })))
  const { command, args, env: folders } = JSON.parse(whole(fileOf('claude-desktop'))).mcpServers['prop-house']
  expect(command).toBe(process.execPath)
  expect(args).toEqual([expect.stringMatching(/bin.ph\.mjs$/), 'mcp', '--profile', current, '--read-only'])
  expect(folders.PH_CONFIG_DIR).toBe(env.PH_CONFIG_DIR)
  expect(whole(fileOf('claude-desktop'))).not.toContain('ph_live_')
})

test('a project is written with its whole path, and a folder without one is refused before anything is written', async () => {
  const { run, fileOf, home, env } = await artist()
  writeFiles(home, { 'Unreal/Tavern/Tavern.uproject': '{}' })
  const outcome = await ph('mcp install cursor --project Unreal/Tavern', { env, cwd: home })
  expect(outcome.code, outcome.stderr).toBe(0)
  const { args } = JSON.parse(whole(fileOf('cursor'))).mcpServers['prop-house']
  expect(args.slice(-2)).toEqual(['--project', join(home, 'Unreal/Tavern')])
  expect((await run(`mcp install windsurf --project ${home}/nowhere`)).stderr).toContain(`There is no ${home}/nowhere.`)
  expect(existsSync(fileOf('windsurf'))).toBe(false)
})

test('comments, other servers, order and spaces stay; the file as it was is kept; the second time changes nothing', async () => {
  const { run, write } = await artist()
  const text =
    '\uFEFF// mine\r\n{\r\n\t"servers": {\r\n\t\t// do not touch\r\n\t\t"other": { "command": "x", },\r\n\t},\r\n\t"inputs": []\r\n}\r\n'
  const file = write('vscode', text)
  expect((await run('mcp install vscode')).code).toBe(0)
  const changed = whole(file)
  expect(parse(changed.slice(1), [], { allowTrailingComma: true }).servers['prop-house'].type).toBe('stdio')
  for (const line of text.split('\r\n').filter((one) => !one.includes('"other"'))) expect(changed).toContain(line)
  expect(parse(changed.slice(1), [], { allowTrailingComma: true }).servers.other).toEqual({ command: 'x' })
  expect(changed.replaceAll('\r\n', '')).not.toContain('\n')
  expect(whole(`${file}.before-ph`)).toBe(text)
  expect(statSync(file).mode & 0o777).toBe(0o640)
  const again = await run('mcp install vscode --json')
  expect(again.json()).toMatchObject({ changed: false, copy: null })
  expect(whole(file)).toBe(changed)
  expect((await run('mcp uninstall vscode')).code).toBe(0)
  expect(parse(whole(file).slice(1), [], { allowTrailingComma: true })).toEqual({
    servers: { other: { command: 'x' } },
    inputs: [],
  })
})

test.each([
  ['{"mcpServers": {', 'is no JSON'],
  ['[]', 'holds no JSON object'],
  ['{"mcpServers": ["a"]}', 'has something else than servers at "mcpServers"'],
  [Buffer.from('{"a": "\xff"}', 'latin1').toString('latin1'), ''],
])('settings that cannot be changed without guessing are left as they are: %s', async (text, why) => {
  const { run, write } = await artist()
  const file = write('cursor', text)
  if (why === '') writeFileSync(file, Buffer.from(text, 'latin1'))
  const before = readFileSync(file)
  const outcome = await run('mcp install cursor --json')
  expect(outcome.code).toBe(1)
  expect(refusalOf(outcome)).toMatchObject({
    code: 'SETTINGS_UNREADABLE',
    message: expect.stringContaining(why || 'is not UTF-8'),
  })
  expect(readFileSync(file)).toEqual(before)
  expect(existsSync(`${file}.before-ph`)).toBe(false)
})

test('a dry run writes nothing and shows what it would', async () => {
  const { run, fileOf } = await artist()
  const outcome = await run('mcp install gemini --dry-run')
  expect(outcome.stdout).toContain('"prop-house"')
  expect(outcome.stdout).toContain('Nothing was written.')
  expect(existsSync(fileOf('gemini'))).toBe(false)
})

test('settings behind a link are changed where they are, and the link stays', async () => {
  const { run, home, fileOf } = await artist()
  const real = join(home, 'dotfiles.json')
  writeFileSync(real, '{}')
  mkdirSync(dirname(fileOf('windsurf')), { recursive: true })
  symlinkSync(real, fileOf('windsurf'))
  expect((await run('mcp install windsurf')).code).toBe(0)
  expect(lstatSync(fileOf('windsurf')).isSymbolicLink()).toBe(true)
  expect(JSON.parse(whole(real)).mcpServers).toHaveProperty('prop-house')
})

test('an unknown client, an unknown tool and a key of the environment are refused before anything is written', async () => {
  const { env, run } = await artist()
  expect(await run('mcp install emacs --json')).toMatchObject({ code: 2 })
  expect(await run('mcp install cursor --tools no_such --json')).toMatchObject({ code: 2 })
  const { url, keys } = await server.addWorkspace()
  const withKey = await ph('mcp install cursor --json', { env: { ...env, PH_URL: url, PH_API_KEY: keys.mia } })
  expect(refusalOf(withKey).code).toBe('NOT_SIGNED_IN')
})

test('the doctor starts what an assistant would start, and names what does not answer', async () => {
  const { run, write } = await artist()
  await run('mcp install claude-code --read-only')
  write('cursor', JSON.stringify({ mcpServers: { 'prop-house': { command: '/no/such/program', args: [] } } }))
  write(
    'vscode',
    JSON.stringify({ servers: { 'prop-house': { command: process.execPath, args: ['-e', 'console.log("hello")'] } } }),
  )
  write('windsurf', JSON.stringify({ mcpServers: { 'prop-house': { url: 'https://props.example.com/mcp' } } }))
  const outcome = await run('mcp doctor --json')
  expect(outcome.code).toBe(1)
  const { findings } = outcome.json() as { findings: { check: string; verdict: string; said: string; next?: string }[] }
  const of = (name: string) => findings.find(({ check }) => check === name)
  expect(of('claude-code')).toMatchObject({ verdict: 'ok', said: expect.stringMatching(/starts it: 9 tools/) })
  expect(of('cursor')).toMatchObject({ verdict: 'problem', said: expect.stringContaining('/no/such/program does not start') })
  expect(of('cursor')?.next).toContain('ph mcp install cursor')
  expect(of('vscode')).toMatchObject({ verdict: 'problem', said: expect.stringContaining('none of the protocol: hello') })
  expect(of('windsurf')).toMatchObject({ verdict: 'note' })
  expect(of('gemini')).toMatchObject({ verdict: 'note' })
})
