/** Reaching the person at the terminal: their browser, and their clipboard. */
import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { canOpenBrowser } from '../../../cli/terminal/browser.ts'
import { answer, startPeer } from '../../support/peer.ts'
import { ph } from '../../support/ph.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { hasTerminal, openTerminal } from '../../support/terminal.ts'

test.each([
  ['a desktop', [{ DISPLAY: ':0' }, 'linux'], true],
  ['a desktop of the newer kind', [{ WAYLAND_DISPLAY: 'wayland-0' }, 'linux'], true],
  ['a container', [{}, 'linux'], false],
  [
    'SSH with a display that is far away',
    [{ DISPLAY: 'localhost:10.0', SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22' }, 'linux'],
    false,
  ],
  ['SSH into a Mac', [{ SSH_TTY: '/dev/ttys001' }, 'darwin'], false],
  [
    'SSH in an editor that brings its own browser',
    [{ SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22', BROWSER: '/opt/open.sh' }, 'linux'],
    true,
  ],
  ['a Mac', [{}, 'darwin'], true],
  ['Windows', [{}, 'win32'], true],
  ['Linux within Windows', [{ WSL_DISTRO_NAME: 'Debian' }, 'linux'], true],
] as const)('in %s it is known whether a browser opens where the person is', (_where, [env, platform], expected) => {
  expect(canOpenBrowser(env, platform)).toBe(expected)
})

const code = {
  device_code: 'd'.repeat(43),
  user_code: 'BCDF-GHJK',
  verification_uri_complete: '/device?code=BCDF-GHJK',
  expires_in: 900,
  interval: 5,
}
const denied = answer(400, { error: { code: 'DEVICE_DENIED', message: 'Denied.', details: {} } })

async function loginOn(TERM: string): Promise<string> {
  const { url } = await startPeer(answer(200, code), denied)
  const env = { PH_CONFIG_DIR: temporaryFolder(), TERM }
  const line = `login --insecure-storage --no-browser --url ${url}`
  return (await ph(line, { env, columns: 80, pause: async () => {} })).stderr
}

test('the terminal is asked to copy the code, if it is one that understands', async () => {
  const sequence = `\u001b]52;c;${Buffer.from('BCDF-GHJK').toString('base64')}\u0007`
  const shown = await loginOn('xterm-256color')
  expect(shown).toContain(sequence)
  expect(shown).toContain('The code is copied, where the terminal allows that.')
  const plain = await loginOn('dumb')
  expect(plain).not.toContain('\u001b]52')
  expect(plain).not.toContain('copied')
})

test.runIf(hasTerminal && process.platform === 'linux')(
  'the page is opened by the browser that is set up, and that is said',
  async () => {
    const { url } = await startPeer(
      answer(200, code),
      answer(400, { error: { code: 'DEVICE_PENDING', message: '', details: {} } }),
    )
    const folder = temporaryFolder({ 'browser.sh': `#!/bin/sh\necho "$1" > ${'$'}{0%/*}/opened\n` })
    const BROWSER = join(folder, 'browser.sh')
    chmodSync(BROWSER, 0o755)
    const terminal = openTerminal({ columns: 80, rows: 24 }, { PH_CONFIG_DIR: temporaryFolder(), BROWSER })
    terminal.type(`ph login --insecure-storage --url ${url}`, 'Enter')
    await terminal.shows('The page is opened in your browser.')
    expect(readFileSync(join(folder, 'opened'), 'utf8').trim()).toBe(`${url}/device?code=BCDF-GHJK`)
  },
)

test.runIf(hasTerminal && process.platform === 'linux')('a browser that cannot start leaves it to the person', async () => {
  const { url } = await startPeer(answer(200, code), answer(400, { error: { code: 'DEVICE_PENDING', message: '', details: {} } }))
  const terminal = openTerminal({ columns: 80, rows: 24 }, { PH_CONFIG_DIR: temporaryFolder(), BROWSER: '/nonexistent/browser' })
  terminal.type(`ph login --insecure-storage --url ${url}`, 'Enter')
  await terminal.shows('Open it on this machine.')
})
