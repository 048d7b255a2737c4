/** Names in the store: none is ever taken from the bytes that have it, by whichever process, on disks with hard links and without. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.ts'

const program = fileURLToPath(new URL('../support/store-naming.ts', import.meta.url))
/** Media come without a hash: two uploads to one address may bring different bytes. */
const key = '1/media/0/7'

interface Store {
  child: ChildProcess
  held: Promise<unknown>
  received: Promise<{ size: number; created: boolean }>
}

function startStore(root: string, text: string, how: readonly string[]): Store {
  const child = spawn(process.execPath, [program, root, key, text, ...how], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  child.stdout?.on('data', (chunk) => (said += chunk))
  const held = once(child.stdout ?? child, 'data')
  const received = once(child, 'close').then(() => JSON.parse(said.replace('held\n', '')))
  return { child, held, received }
}

const cases = [
  ['with links', 'at the name'],
  ['without links', 'at the name'],
  ['without links', 'at the rename'],
] as const

test.each(cases)(
  'of two processes that name one file on a disk %s, held %s, one is refused and the bytes of the other stay',
  async (disk, hold) => {
    const root = temporaryFolder()
    const first = startStore(root, 'first', [disk, hold])
    await first.held
    const second = startStore(root, 'second', [disk, 'never'])
    const secondEnded = second.received.then(() => writeFileSync(join(root, 'go'), ''))
    const [one, other] = await Promise.all([first.received, second.received, secondEnded])
    expect([one.created, other.created].sort()).toEqual([false, true])
    expect(readFileSync(join(root, key), 'utf8')).toBe(one.created ? 'first' : 'second')
    expect(readdirSync(join(root, 'incoming'))).toEqual([])
  },
)
