/** ph on a real terminal: the display of a push, the demo, and Ctrl-C. */
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { writePackage } from '../../sample/package.ts'
import { startPeer } from '../support/peer.ts'
import { signedIn } from '../support/ph.ts'
import { startTestServer } from '../support/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { hasTerminal, openTerminal } from '../support/terminal.ts'

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
    terminal.type('ph entries; echo "ended with $?"', 'Enter')
    while (silent.heard.length === 0) await new Promise(setImmediate)
    terminal.type('C-c')
    const lines = await terminal.shows(/ended with \d/)
    expect(lines.join('\n')).toContain('ended with 130')
    expect(lines.join('\n')).not.toContain('error')
  })
})
