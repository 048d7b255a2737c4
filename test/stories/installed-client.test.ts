// The client as people get it: installed by npm from a running server, used, and updated; on whatever Node the system has.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { broughtPlugin, filesIn, pluginPlace } from '../../client/desktop/plugin-standing.ts'
import { ClientPackages } from '../../server/install/client-package.ts'
import { installPh } from '../support/installed-ph.ts'
import { answer, startPeer } from '../support/peer.ts'
import { signedIn } from '../support/ph.ts'
import { startTestServer } from '../support/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { hasTerminal, openTerminal } from '../support/terminal.ts'
import { makeProject } from '../support/unreal-project.ts'

const server = await startTestServer()
const { url, keys } = await server.addWorkspace()
const offer = (await (await fetch(`${url}/install/version`)).json()) as { version: string; sha256: string }
const installed = await installPh(url)
const { ph, folder, program, backdate } = installed
const mia = signedIn(url, keys.mia)

const long = '0.1.0-20200101000000.h00000000'
const installedVersion = (await installed.ph(['--version'])).stdout.trim()
installed.backdate(long)
const looked = await installed.ph(['update', '--check', '--json'], mia)
const versionLooked = (await installed.ph(['--version'])).stdout.trim()
await installed.ph(['agent', 'start'], mia)
const agentOf = async () =>
  JSON.parse((await installed.ph(['agent', 'status', '--json'], mia)).stdout) as { pid: number; version: string }
const agentBefore = await agentOf()
const updated = await installed.ph(['update', '--json'], mia)
const agentAfter = await agentOf()
await installed.ph(['agent', 'stop'], mia)
const versionNow = async () => (await ph(['--version'])).stdout.trim()

test('npm installs it without a word on engines, and fetches only what is made for this system', async () => {
  expect(installed.npm).toMatchObject({ code: 0 })
  expect(installed.npm.stderr).not.toContain('EBADENGINE')
  expect(
    [...installed.fetched].filter((name) => !/^(sharp|detect-libc|@img\/.*|@napi-rs\/keyring.*|node-\w+-\w+)$/.test(name)),
  ).toEqual([])
  expect(installedVersion).toBe(offer.version)
})

test('it pushes, and says which Node it runs on', async () => {
  const { root } = await makeProject({ 'Content/SM_Barrel.uasset': {} })
  const pushed = await ph(['push', join(root, 'Content'), '--json'], mia)
  expect(pushed).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(pushed.stdout).summary).toMatchObject({ new: 1, failed: 0 })
  const [major = 0] = execFileSync('node', ['-p', 'process.versions.node'], { env: installed.env })
    .toString()
    .split('.')
    .map(Number)
  const { findings } = JSON.parse((await ph(['doctor', '--json'], mia)).stdout) as {
    findings: { check: string; said: string }[]
  }
  const said = findings.find(({ check }) => check === 'node')?.said
  if (major < 22) expect(said).toContain('the one that ph brings')
  else expect(said).toContain(`Node ${major}.`)
})

test('it brings the plugin for the Unreal editor, and puts it into a project', async () => {
  const { root } = await makeProject({ 'Content/SM_Barrel.uasset': {} })
  writeFileSync(join(root, 'Tavern.uproject'), '{"EngineAssociation": "5.4"}')
  expect(await ph(['agent', 'plugin', root])).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringContaining('in its place'),
  })
  expect(JSON.parse((await ph(['agent', 'plugin', root, '--check', '--json'])).stdout)).toMatchObject({ state: 'current' })
  const there = filesIn(join(root, pluginPlace)).toSorted()
  expect(there).toEqual(filesIn(broughtPlugin).toSorted())
  for (const path of there) expect(readFileSync(join(root, pluginPlace, path))).toEqual(readFileSync(join(broughtPlugin, path)))
})

test('a server that runs from it hands out the very same bytes', async () => {
  const packages = new ClientPackages(temporaryFolder(), folder)
  onTestFinished(() => packages.close())
  expect(await packages.get()).toMatchObject(offer)
})

/** Whether some process has the client open that a server with this data folder packs. */
function isPackedIn(data: string): boolean {
  const read = (path: string): string[] => {
    try {
      return readdirSync(path).map((name) => readlinkSync(join(path, name)))
    } catch {
      return []
    }
  }
  const open = readdirSync('/proc').flatMap((id) => (/^\d+$/.test(id) ? read(`/proc/${id}/fd`) : []))
  return open.some((file) => file.startsWith(data) && file.includes('-prop-house.tgz'))
}

test.runIf(process.platform === 'linux')(
  'a server that runs from it packs the client at its start, before anyone asks, and ends in the middle of that with nothing left behind',
  async () => {
    const data = temporaryFolder()
    const child = spawn(program, ['server', 'start', '--port', '0', '--data', data], { env: installed.env })
    onTestFinished(() => void child.kill('SIGKILL'))
    await vi.waitFor(() => expect(isPackedIn(data)).toBe(true), { timeout: 60_000, interval: 20 })
    child.kill('SIGTERM')
    const [code] = await once(child, 'exit')
    expect([code, readdirSync(data).filter((name) => name.endsWith('.tgz'))]).toEqual([0, []])
  },
)

test('an older one sees the newer one, gets it, and has nothing more to do', async () => {
  expect(JSON.parse(looked.stdout)).toEqual({
    server: url,
    version: long,
    offered: offer.version,
    newer: true,
    updated: false,
    agent: null,
  })
  expect(versionLooked).toBe(long)
  expect(updated).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(updated.stdout)).toMatchObject({ version: offer.version, newer: true, updated: true, agent: 'restarted' })
  expect(await versionNow()).toBe(offer.version)
  expect((await ph(['update'], mia)).stdout).toBe(`ph ${offer.version} is up to date with ${url}.\n`)
})

test('an agent that runs is restarted with the newer one', () => {
  expect([agentBefore.version, agentAfter.version]).toEqual([long, offer.version])
  expect(agentAfter.pid).not.toBe(agentBefore.pid)
})

test('bytes that are not those which the server names are not installed', async () => {
  backdate(long)
  const liar = await answering({ version: offer.version, sha256: '0'.repeat(64) })
  const { code, stderr } = await ph(['update', '--json', '--url', liar])
  expect([code, JSON.parse(stderr).error.code]).toEqual([3, 'WRONG_BYTES'])
  expect(await versionNow()).toBe(long)
})

test('over plain HTTP to another machine it says that the program can be changed on the way', async () => {
  for (const more of [[], ['--json']]) {
    const { stdout, stderr } = await ph(['update', '--check', ...more, '--url', 'http://props.invalid'])
    expect(stderr.split('\n')[0]).toContain(
      'http://props.invalid is plain HTTP to another machine: the program that is installed travels unencrypted',
    )
    expect(stdout).not.toContain('plain HTTP')
  }
})

test('without npm it says what is missing and what brings it, before it fetches anything', async () => {
  backdate(long)
  const only = temporaryFolder()
  execFileSync('ln', ['-s', execFileSync('which', ['node'], { env: installed.env }).toString().trim(), join(only, 'node')])
  execFileSync('ln', ['-s', '/usr/bin/env', join(only, 'env')])
  const peer = await startPeer(answer(200, offer))
  const { code, stderr } = await ph(['update', '--url', peer.url], { PATH: only })
  expect([code, peer.heard.map((one) => one.url)]).toEqual([1, ['/install/version']])
  expect(stderr).toContain('npm installs ph, and it is not in PATH.')
  expect(stderr).toContain('Install Node.js')
})

test.runIf(hasTerminal)('on a terminal it says once a day that there is a newer one, and never to a script', async () => {
  backdate(long)
  const state = temporaryFolder()
  const quiet = await ph(['search', '--ids'], { ...mia, PH_STATE_DIR: state })
  expect(quiet.stderr).toBe('')
  const terminal = openTerminal({ columns: 120, rows: 30 }, { ...installed.env, ...mia, PH_STATE_DIR: state, CI: '' })
  terminal.type(`${program} search --json > /dev/null; ${program} search; echo "first $?"`, 'Enter')
  const lines = (await terminal.shows('first 0')).join('\n')
  expect(lines.match(/is available; this is/g)).toHaveLength(1)
  expect(lines).toContain('Install it with `ph update`.')
  terminal.type(`clear; ${program} search; echo "again $?"`, 'Enter')
  expect((await terminal.shows('again 0')).join('\n')).not.toContain('is available; this is')
})

/** A server that names a client, and hands out something else. */
async function answering(offered: object): Promise<string> {
  const other = createServer((request, response) => {
    response.end(request.url === '/install/version' ? JSON.stringify(offered) : readFileSync(join(folder, 'LICENSE')))
  })
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void other.close())
  return `http://127.0.0.1:${(other.address() as AddressInfo).port}`
}
