// From an empty folder to a revoked key, in a real browser and by keyboard alone.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { provision } from '../../server/provision/provision.ts'
import { ask, workspaceWithPasswords } from '../support/browser.ts'
import { hasChromium, openChromium, tabTo } from '../support/chromium.ts'
import { startTestServer } from '../support/server.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { hasTerminal, openTerminal } from '../support/terminal.ts'
import { makeProject } from '../support/unreal-project.ts'

async function startOnEmptyFolder() {
  const data = mkdtempSync(join(tmpdir(), 'ph-story-'))
  const server = await startServerProcess(['--data', join(data, 'data')])
  onTestFinished(async () => {
    await server.stop()
    rmSync(data, { recursive: true, force: true })
  })
  return server
}

/** It is printed after the line that says the server is ready. */
async function printedAddress({ said, isAlive }: ServerProcess): Promise<string> {
  for (;;) {
    const address = /http\S+\/setup\?code=\S+/.exec(said())?.[0]
    if (address) return address
    if (!isAlive()) throw new Error(said())
    await sleep(20)
  }
}

/** What is typed into the fields of these labels, one after the other, and Enter at the end. */
async function fillIn(page: Page, fields: Record<string, string>): Promise<void> {
  for (const [label, text] of Object.entries(fields)) {
    await tabTo(page, label)
    await page.keyboard.type(text)
  }
  await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')])
}

async function press(page: Page, name: string, key: 'Enter' | 'Space' = 'Enter'): Promise<void> {
  await tabTo(page, name)
  await Promise.all([page.waitForEvent('load'), page.keyboard.press(key)])
}

const heading = (page: Page): Promise<string> => page.locator('h1').textContent().then(String)

test.runIf(hasChromium && hasTerminal)(
  'a new server is set up, a terminal signed in, a prop pushed and the key revoked, without a mouse',
  async () => {
    const server = await startOnEmptyFolder()
    const setupAddress = await printedAddress(server)
    const context = await openChromium({ javaScriptEnabled: false })
    const page = await context.newPage()
    const elsewhere: string[] = []
    page.on('request', (request) => {
      if (!request.url().startsWith(server.url)) elsewhere.push(request.url())
    })

    await page.goto(setupAddress)
    await fillIn(page, {
      Name: 'Studio Oak',
      'Short name for addresses': 'studio-oak',
      'Your name': 'Ada Lovelace',
      'Short name': 'ada',
      'E-mail address': 'ada@studio.test',
      Password: 'correct horse battery',
    })
    expect([new URL(page.url()).pathname, await heading(page)]).toEqual(['/', 'Studio Oak'])

    const project = await makeProject({ 'Content/Props/SM_Barrel.uasset': {} })
    const terminal = openTerminal(
      { columns: 120, rows: 40 },
      { PH_CONFIG_DIR: temporaryFolder(), PH_STATE_DIR: temporaryFolder() },
    )
    terminal.type(`ph login --insecure-storage --no-browser --url ${server.url}`, 'Enter')
    const [userCode = ''] = /[B-Z]{4}-[B-Z]{4}/.exec((await terminal.shows(/Waiting for approval/)).join('\n')) ?? []
    await page.goto(`${server.url}/device`)
    await fillIn(page, { Code: userCode })
    expect(await heading(page)).toBe('A terminal wants to sign in as you')
    expect(await page.locator('main').textContent()).toContain(userCode)
    await press(page, 'Approve')
    // The terminal asks every few seconds: it may have its key before the page is there.
    expect(await heading(page)).toMatch(/^(Approved|The terminal is signed in)$/)
    await terminal.shows('Signed in to Studio Oak')
    terminal.type(`clear; ph whoami; ph push ${project.root}/Content; echo "pushed with $?"`, 'Enter')
    const pushed = (await terminal.shows(/pushed with \d/)).join('\n')
    expect(pushed).toContain('Ada Lovelace')
    expect(pushed).toContain('pushed with 0')

    await press(page, 'Your keys')
    const name = (await page.locator('tbody th').textContent())?.split(' ph_live_')[0] ?? ''
    await press(page, `Revoke ${name}`)
    await press(page, 'Revoke it', 'Space')
    expect(await page.locator('[role=status]').textContent()).toContain('The key is revoked.')
    terminal.type('clear; ph whoami; echo "refused with $?"', 'Enter')
    const refused = (await terminal.shows(/refused with \d/)).join('\n')
    expect(refused).toContain('refused with 4')
    expect(refused).toMatch(/ph login/)
    await press(page, 'Overview')
    expect(await page.locator('tbody th').textContent()).toBe('SM_Barrel')
    expect(elsewhere).toEqual([])
  },
  120_000,
)

test.runIf(hasChromium)('Enter in a choice decides nothing: a terminal is approved or denied by its button only', async () => {
  const server = await startTestServer()
  const acme = await workspaceWithPasswords(server)
  const mia = acme.credentialsOf('mia')
  const second = {
    slug: `second-${acme.slug}`,
    name: 'Second',
    members: [{ email: mia.email, name: 'mia', role: 'member' as const }],
  }
  await provision(server.database, { workspaces: [second] }, server.clock.now())
  const { body } = await ask(acme.url, '/auth/device/code', { method: 'POST', body: { client_name: 'ph', scopes: 'read' } })
  const page = await (await openChromium()).newPage()
  await page.goto(acme.url + body.verification_uri_complete)
  await fillIn(page, { 'E-mail address': mia.email, Password: mia.password })
  expect(await heading(page)).toBe('A terminal wants to sign in as you')
  await tabTo(page, acme.slug)
  await page.keyboard.press('ArrowDown')
  await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')])
  expect(await page.locator('[role=alert]').textContent()).toContain('Nothing is decided yet: press Approve or Deny.')
  expect(await page.locator(':checked').getAttribute('value')).toBe(second.slug)
  await press(page, 'Deny')
  expect(await heading(page)).toBe('Denied')
})
