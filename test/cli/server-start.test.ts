/** Starting a server where it cannot be: what is said, and that nothing is left behind. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startPeer } from '../support/peer.ts'
import { ph } from '../support/ph.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

test('a port that is taken is named, and no library is made for a server that cannot start', async () => {
  const { port } = new URL((await startPeer()).url)
  const data = join(temporaryFolder(), 'library')
  const { code, stdout, stderr } = await ph(['server', 'start', '--port', port, '--data', data, '--json'])
  expect([code, stdout, JSON.parse(stderr).error]).toMatchObject([
    1,
    '',
    { code: 'PORT_IN_USE', message: `Another program listens on 127.0.0.1:${port}.`, next: expect.stringContaining('--port 0') },
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
