/** ph login on a real terminal: the code and the time left, secrets that are not shown, and Ctrl-C. */
import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { approveSignIn } from '../../../server/accounts/device-approval.ts'
import { workspaceWithPasswords } from '../../support/browser.ts'
import { startTestServer } from '../../support/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { hasTerminal, openTerminal } from '../../support/terminal.ts'

describe.runIf(hasTerminal)('on a terminal', () => {
  test('a key that is typed is not shown, and can be fixed while typing', async () => {
    const server = await startTestServer()
    const { url, keys } = await server.addWorkspace()
    const terminal = openTerminal({ columns: 100, rows: 24 }, { PH_CONFIG_DIR: temporaryFolder() })
    terminal.type(`ph login --with-key --insecure-storage --url ${url}; echo "ended with $?"`, 'Enter')
    await terminal.shows('Paste the key')
    terminal.type('-l', `${keys.mia}x`)
    terminal.type('BSpace', 'Enter')
    const lines = await terminal.shows(/ended with \d/)
    expect(lines).toContain('ended with 0')
    expect(lines.join('\n')).not.toContain(keys.mia.slice(0, 20))
    terminal.type('ph whoami', 'Enter')
    await terminal.shows('write scope')
  })

  test('a sign-in shows its code and the time left until someone approves it, and gives the terminal back', async () => {
    const server = await startTestServer()
    const acme = await workspaceWithPasswords(server)
    const terminal = openTerminal({ columns: 80, rows: 24 }, { PH_CONFIG_DIR: temporaryFolder() })
    terminal.type(`ph login --insecure-storage --no-browser --url ${acme.url}; echo "ended with $?"`, 'Enter')
    const waiting = (await terminal.shows(/Waiting for approval, 14 min \d+ s left/)).join('\n')
    expect(waiting).toContain(`${acme.url}/device?code=`)
    const [userCode = ''] = /^ {2}[A-Z]{4}-[A-Z]{4}$/m.exec(waiting) ?? []
    const { accountId, workspaceId } = acme.idsOf('mia')
    const entry = { userCode, accountId, workspaceId, now: server.clock.now() }
    await approveSignIn(server.database.sql, { ...entry, scope: 'write' })
    const lines = await terminal.shows(/ended with \d/)
    expect(lines).toContain('ended with 0')
    expect(lines.join('\n')).toMatch(/Signed in to .+ as mia/)
    expect(lines.join('\n')).not.toContain('Waiting for approval')
    expect(terminal.hasCursor()).toBe(true)
  })

  test('Ctrl-C while a sign-in waits ends with 130, and leaves neither a display nor a file', async () => {
    const server = await startTestServer()
    const { url } = await server.addWorkspace()
    const PH_CONFIG_DIR = temporaryFolder()
    const terminal = openTerminal({ columns: 40, rows: 30 }, { PH_CONFIG_DIR })
    terminal.type(`ph login --insecure-storage --no-browser --url ${url}; echo "ended with $?"`, 'Enter')
    await terminal.shows(/Waiting for approval, 14 min \d+ s left/)
    terminal.type('C-c')
    const lines = await terminal.shows(/ended with \d/)
    expect(lines).toContain('ended with 130')
    expect(lines.filter((line) => /Waiting for approval|error/.test(line))).toEqual([])
    expect(readdirSync(PH_CONFIG_DIR)).toEqual([])
    expect(terminal.hasCursor()).toBe(true)
  })

  test('Ctrl-C at the question for a key ends with 130', async () => {
    const terminal = openTerminal({ columns: 100, rows: 24 }, { PH_CONFIG_DIR: temporaryFolder() })
    terminal.type('ph login --with-key --url http://127.0.0.1:1; echo "ended with $?"', 'Enter')
    await terminal.shows('Paste the key')
    terminal.type('C-c')
    expect(await terminal.shows(/ended with \d/)).toContain('ended with 130')
  })
})
