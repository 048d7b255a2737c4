/** A turntable that breaks in the middle: the terminal is as it was, and why it ended is read on it. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryFolder, writeFiles } from '../../support/temporary-folder.ts'
import { hasTerminal, openTerminal, type Terminal } from '../../support/terminal.ts'
import { twoSidedGlb } from '../../support/two-sided-mesh.ts'

const onTerminal = test.runIf(hasTerminal)

/** At SIGUSR2 it throws where nobody catches it: in the program itself, or in the thread that draws. */
const breaker = `
import { writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
const channel = new BroadcastChannel('break')
channel.unref()
const fail = () => { throw new Error('broken in the middle') }
if (!isMainThread) {
  channel.onmessage = fail
  process.on('exit', () => writeFileSync('gone', ''))
}
else process.on('SIGUSR2', () => (process.env.BREAK === 'thread' ? channel.postMessage('now') : fail()))
`

async function turning(env: Record<string, string>) {
  const folder = temporaryFolder()
  writeFiles(folder, { 'box.glb': await twoSidedGlb(), 'breaker.mjs': breaker })
  const imports = `--import ${pathToFileURL(join(folder, 'breaker.mjs'))}`
  const terminal = openTerminal({ columns: 60, rows: 20 }, { PH_PICTURES: 'blocks', NODE_OPTIONS: imports, ...env })
  terminal.type(`cd ${folder}; clear; ph inspect --turn box.glb; echo "ended with $?"`, 'Enter')
  await terminal.shows('24 triangles')
  expect(terminal.isOtherScreen()).toBe(true)
  return { terminal, folder }
}

async function requireUsable(terminal: Terminal): Promise<void> {
  expect([terminal.hasCursor(), terminal.isOtherScreen()]).toEqual([true, false])
  terminal.type('echo typed is seen', 'Enter')
  await terminal.shows(/^typed is seen$/m)
}

onTerminal('when the program throws, screen, cursor and keys are given back, and why is told', async () => {
  const { terminal } = await turning({ BREAK: 'program' })
  process.kill(terminal.processId(), 'SIGUSR2')
  await terminal.shows(/broken\s+in\s+the\s+middle[\s\S]*ended with [1-9]/)
  await requireUsable(terminal)
})

onTerminal('when the thread that draws breaks, the same: at once where it turns, else with the next key', async () => {
  for (const motion of ['turning', 'still']) {
    const still: Record<string, string> = motion === 'still' ? { PH_NO_MOTION: '1' } : {}
    const { terminal, folder } = await turning({ BREAK: 'thread', ...still })
    process.kill(terminal.processId(), 'SIGUSR2')
    await expect.poll(() => existsSync(join(folder, 'gone'))).toBe(true)
    if (motion === 'still') terminal.type('Right')
    await terminal.shows(/box\.glb\s+cannot\s+be\s+drawn\.[\s\S]*broken\s+in\s+the\s+middle[\s\S]*ended with 1/)
    await requireUsable(terminal)
  }
})

onTerminal('Ctrl-C twice, before the first was answered, gives it back too', async () => {
  const { terminal } = await turning({ BREAK: 'program' })
  terminal.type('C-c', 'C-c')
  await terminal.shows('ended with 130')
  await requireUsable(terminal)
})
