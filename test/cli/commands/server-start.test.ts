/** Starting a server: how it greets people and programs, and what is said where it cannot be. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startPeer } from '../../support/peer.ts'
import { ph } from '../../support/ph.ts'
import { workspaceOf } from '../../support/server.ts'
import { startServerProcess } from '../../support/server-process.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { hasTerminal, openTerminal } from '../../support/terminal.ts'

function provisioningFile(): string {
  const file = join(temporaryFolder(), 'team.json')
  writeFileSync(file, JSON.stringify({ workspaces: [workspaceOf('acme').workspace] }))
  return file
}

test.runIf(hasTerminal)(
  'on a terminal it greets with plain lines: where it is, how people reach it, where its data is; and so it logs',
  async () => {
    const data = join(temporaryFolder(), 'data')
    const terminal = openTerminal({ columns: 160, rows: 40 }, { PH_PUBLIC_URL: 'https://props.example' })
    terminal.type(`ph server start --port 0 --data ${data}; echo "ended with $?"`, 'Enter')
    const text = (await terminal.shows(/stops it\.[\s\S]*https:\/\/props\.example\/setup\?code=/)).join('\n')
    const [, url, said] = /Prop House is ready at (http:\S+)\n([\s\S]*?stops it\.)$/m.exec(text) ?? []
    expect(said).toBe(`  People reach it at https://props.example\n  Its data is in ${data}\n  Ctrl-C stops it.`)
    await fetch(`${url}/api/v1/packs`)
    await terminal.shows('/api/v1/packs')
    terminal.type('C-c')
    const all = await terminal.shows(/ended with \d/)
    expect(all.at(-2)).toMatch(/ended with 0$/)
    expect(all.filter((line) => /[{}]|"level"/.test(line) && !line.includes('ph server start'))).toEqual([])
  },
)

test('where nobody looks it says one line on stdout, and every line of its log is JSON', async () => {
  const args = ['--data', join(temporaryFolder(), 'data'), '--provision', provisioningFile()]
  const server = await startServerProcess(args, { env: { PH_PUBLIC_URL: 'https://props.example' } })
  expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  await fetch(`${server.url}/api/v1/packs`)
  const { code, stderr } = await server.stop()
  const log = stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect([code, log.map(({ msg }) => msg)]).toEqual([0, expect.arrayContaining([`Server listening at ${server.url}`])])
})

test('a port that is taken is named, and no library is made for a server that cannot start', async () => {
  const { port } = new URL((await startPeer()).url)
  const data = join(temporaryFolder(), 'library')
  const { code, stdout, stderr } = await ph(['server', 'start', '--port', port, '--data', data, '--json'])
  expect([code, stdout, JSON.parse(stderr).error]).toMatchObject([
    1,
    '',
    { code: 'PORT_IN_USE', message: `Another program listens on 127.0.0.1:${port}.`, hint: expect.stringContaining('--port 0') },
  ])
  expect(existsSync(data)).toBe(false)
})

test.runIf(existsSync('/proc/self'))('a data folder that cannot be is named at once, and the other way to say it', async () => {
  const { code, stderr } = await ph(['server', 'start', '--port', '0', '--data', '/proc/x/library', '--json'])
  expect([code, JSON.parse(stderr).error.message]).toEqual([
    2,
    'The data folder /proc/x/library cannot be made (ENOENT). Choose another with --data or PH_DATA.',
  ])
})
