/** From nothing to a push: a server is set up in the browser, a terminal signs in by it, pushes, and loses its key on the page. */
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { PageBrowser } from '../support/page-browser.ts'
import { startServerProcess } from '../support/server-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { hasTerminal, openTerminal, type Terminal } from '../support/terminal.ts'
import { makeProject } from '../support/unreal-project.ts'

const owner = {
  workspace_name: 'Studio Oak',
  slug: 'oak',
  display_name: 'Nora N',
  name: 'nora',
  email: 'nora@oak.test',
  password: 'correct horse nora',
}

/** A server in an empty folder, and the browser of whoever opens the address that it prints. */
async function freshServer(): Promise<{ url: string; nora: PageBrowser }> {
  const server = await startServerProcess(['--data', temporaryFolder()])
  onTestFinished(async () => void (await server.stop()))
  const printed = /http:\S+\/setup\?code=\S+/
  while (!printed.test(server.said())) await new Promise(setImmediate)
  const { pathname, search } = new URL(printed.exec(server.said())?.[0] ?? '')
  const nora = new PageBrowser(server.url)
  await nora.send(await nora.open(pathname + search), '/setup', owner)
  return { url: server.url, nora }
}

let commands = 0
/** Types a command and waits for its end; gives what it printed. */
async function run(terminal: Terminal, line: string): Promise<string> {
  const mark = `end-${++commands}`
  terminal.type(`clear; ${line}; echo "${mark} $?"`, 'Enter')
  const lines = await terminal.shows(new RegExp(`^${mark} \\d`, 'm'))
  return lines.slice(lines.findLastIndex((one) => one.includes('; echo')) + 1).join('\n')
}

test.runIf(hasTerminal)('a server, a workspace, a sign-in, a push, a revoked key', { timeout: 180_000 }, async () => {
  const { url, nora } = await freshServer()
  const project = await makeProject({ 'Content/Inn/SM_Barrel.uasset': { payload: Buffer.from('oak') } })
  const folders = { PH_CONFIG_DIR: temporaryFolder(), PH_STATE_DIR: temporaryFolder(), PH_CACHE_DIR: temporaryFolder() }
  const terminal = openTerminal({ columns: 100, rows: 40 }, folders)

  terminal.type(`ph login --no-browser --insecure-storage --url ${url}; echo "end-0 $?"`, 'Enter')
  const shown = (await terminal.shows(/Waiting for approval, 1\d min/)).join('\n')
  const [, page = ''] = /^ {2}http:\/\/[^/]+(\/device\?code=[A-Z-]+)$/m.exec(shown) ?? []
  const asked = await nora.open(page)
  expect(asked.text).toContain(page.slice(-9))
  await nora.send(asked, '/device', { button: 'Approve' })
  expect((await terminal.shows(/^end-0 \d/m)).join('\n')).toMatch(
    /Signed in to Studio Oak at \S+\/w\/oak as Nora N\.[\s\S]*end-0 0/,
  )

  expect(await run(terminal, 'ph whoami')).toMatch(/Nora N \(nora@oak\.test\), admin[\s\S]*"ph on .* \(device\)", write scope/)
  expect(await run(terminal, `ph push ${join(project.root, 'Content')}`)).toMatch(/1 new[\s\S]*end-\d+ 0/)

  const keys = await nora.open('/keys')
  const href = /href="([^"]+\/revoke)">/.exec(keys.html)?.[1] ?? ''
  await nora.send(await nora.open(href), href)
  const refused = await run(terminal, 'ph entries')
  expect(refused).toContain(`${url}/w/oak refused the key of profile default`)
  expect(refused).toMatch(/`ph login --profile default`[\s\S]*end-\d+ 4/)
  expect(await run(terminal, 'ph logout')).toMatch(/Signed out of Studio Oak[\s\S]*end-\d+ 0/)
})
