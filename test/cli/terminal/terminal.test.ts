/** ph on a real terminal: the display of a push, the demo, and Ctrl-C. */
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { writePackage } from '../../../sample/package.ts'
import { startPeer } from '../../support/peer.ts'
import { signedIn } from '../../support/ph.ts'
import { filesBelow } from '../../support/pull.ts'
import { startTestServer } from '../../support/server.ts'
import { startProxy } from '../../support/tcp-proxy.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { hasTerminal, openTerminal } from '../../support/terminal.ts'
import { makeProject } from '../../support/unreal-project.ts'

/** A pull of three files of a megabyte on a terminal; two of them wait on their way until they are released. */
async function heldPull() {
  const server = await startTestServer()
  const { url, keys } = await server.addWorkspace()
  const payload = (text: string) => ({ payload: Buffer.alloc(1024 ** 2, text) })
  const source = await makeProject({
    'Content/BP_House.uasset': { imports: ['/Game/SM_Wall', '/Game/SM_Roof'], ...payload('house') },
    'Content/SM_Wall.uasset': payload('wall'),
    'Content/SM_Roof.uasset': payload('roof'),
  })
  await source.push({ url, key: keys.mia })
  let release = () => {}
  const released = new Promise<undefined>((resolve) => {
    release = () => resolve(undefined)
  })
  let asked = 0
  const wire = await startProxy(server.url, (sent) => (sent.includes('GET /storage') && asked++ > 0 ? released : undefined))
  const root = join(temporaryFolder({ 'Inn/Inn.uproject': '{}' }), 'Inn')
  const env = { ...signedIn(wire.url(url), keys.mia), PH_STATE_DIR: temporaryFolder(), PH_CACHE_DIR: temporaryFolder() }
  const terminal = openTerminal({ columns: 80, rows: 24 }, env)
  terminal.type(`ph pull BP_House --into ${root}; echo "ended with $?"`, 'Enter')
  return { terminal, root, release }
}

describe.runIf(hasTerminal)('on a terminal', () => {
  test('the demo fits 80 x 24, shows pictures, keeps its library until Ctrl-C, and gives everything back', async () => {
    const TMPDIR = temporaryFolder()
    const terminal = openTerminal({ columns: 80, rows: 24 }, { TMPDIR })
    terminal.type('ph demo --keep; echo "ended with $?"', 'Enter')
    const lines = await terminal.shows('Done in')
    expect(lines).toContain('$ ph push Content')
    expect(lines.filter((line) => /[▘▝▀▖▌▞▛▗▚▐▜▄▙▟█]{10}/.test(line)).length).toBeGreaterThan(20)
    expect(lines.some((line) => /^ +before +now/.test(line))).toBe(true)
    expect(lines.join('\n')).not.toContain('[38;')
    const [, url] = /PH_URL=(\S+)/.exec(lines.join('\n')) ?? []
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    terminal.type('C-c')
    expect((await terminal.shows(/ended with \d/)).join('\n')).toContain('ended with 0')
    expect(readdirSync(TMPDIR).filter((name) => name.startsWith('prop-house'))).toEqual([])
    expect(terminal.hasCursor()).toBe(true)
  })

  test('a push that takes its time shows bars, which are gone when it is done', async () => {
    const server = await startTestServer()
    const { url, keys } = await server.addWorkspace()
    const folder = temporaryFolder({ 'Inn.uproject': '{}' })
    for (let at = 0; at < 4; at++) {
      const large = { packageName: `/Game/SM_Rock${at}`, assetClass: 'StaticMesh', payload: Buffer.alloc(100 * 1024 ** 2, at) }
      writeFileSync(join(folder, `SM_Rock${at}.uasset`), await writePackage(large))
    }
    const env = { ...signedIn(url, keys.olivia), PH_STATE_DIR: temporaryFolder() }
    const terminal = openTerminal({ columns: 80, rows: 24 }, env)
    terminal.type(`ph push ${folder}; echo "ended with $?"`, 'Enter')
    await terminal.shows(/(Reading|Uploading) +█*░*/)
    const lines = await terminal.shows(/ended with \d/)
    expect(lines).toContain('ended with 0')
    expect(lines.join('\n')).toContain('4 new')
    expect(lines.filter((line) => /[█░]/.test(line))).toEqual([])
    expect(terminal.hasCursor()).toBe(true)
  })

  test('Ctrl-C while something is under way ends with 130 and without a word', async () => {
    const silent = await startPeer(() => undefined)
    const terminal = openTerminal({ columns: 80, rows: 24 }, signedIn(silent.url, 'key'))
    terminal.type('ph search; echo "ended with $?"', 'Enter')
    while (silent.heard.length === 0) await new Promise(setImmediate)
    terminal.type('C-c')
    const lines = await terminal.shows(/ended with \d/)
    expect(lines.join('\n')).toContain('ended with 130')
    expect(lines.join('\n')).not.toContain('error')
  })
})

describe.runIf(hasTerminal)('a pull on a terminal', () => {
  test('shows how far it is, which is gone when it is done', async () => {
    const { terminal, root, release } = await heldPull()
    await terminal.shows(/^Downloading +█+░+ 1\.0 MiB of 3\.0 MiB/m)
    release()
    const lines = await terminal.shows(/ended with \d/)
    expect(lines).toContain('ended with 0')
    expect(lines.join('\n')).toMatch(/3 added/)
    expect(lines.filter((line) => /[█░]|Downloading|Placing/.test(line))).toEqual([])
    expect(Object.keys(filesBelow(join(root, 'Content')))).toHaveLength(3)
    expect(terminal.hasCursor()).toBe(true)
  })

  test('ends with 130 on Ctrl-C, leaves no display and no file, and the next pull goes on', async () => {
    const { terminal, root, release } = await heldPull()
    await terminal.shows(/^Downloading +█+░+ 1\.0 MiB of 3\.0 MiB/m)
    terminal.type('C-c')
    const lines = await terminal.shows(/ended with \d/)
    expect(lines).toContain('ended with 130')
    expect(lines.filter((line) => /[█░]|Downloading|error/.test(line))).toEqual([])
    expect(filesBelow(join(root, 'Content'))).toEqual({})
    release()
    terminal.type(`clear; ph pull BP_House --into ${root}; echo "then with $?"`, 'Enter')
    expect((await terminal.shows(/^then with \d/m)).join('\n')).toMatch(/3 added[\s\S]*2\.0 MiB downloaded/)
  })
})
