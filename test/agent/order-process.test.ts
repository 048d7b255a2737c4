// Work that the agent gives to a process of its own.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { OrderProcess } from '../../agent/running/order-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const from = new URL('../../agent/watching/look-process.ts', import.meta.url).href

test('where the program was replaced while the agent runs, what it orders says so, and how to go on', async () => {
  const looks = new OrderProcess('./look-worker', { from, what: 'looks at files', version: '0.0.1' })
  onTestFinished(() => looks.close())
  await expect(looks.order('status', {}, {})).rejects.toMatchObject({
    code: 'AGENT_REPLACED',
    message: expect.stringMatching(/^ph \S+ was installed while the agent, 0\.0\.1, was running\.$/),
    next: 'Start the new one: `ph agent restart`.',
  })
})

/** Prints how many compiled files the process that it ordered from has kept within ten seconds; itself it has kept none yet. */
const ordering = `
import { readdirSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
const [, folder, orderProcess, from] = process.argv
enableCompileCache(folder)
const { OrderProcess } = await import(orderProcess)
const looks = new OrderProcess('./look-worker', { from, what: 'looks at files' })
await looks.order('nothing', {}, {}).catch(() => {})
const kept = () => readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length
for (let look = 0; look < 200 && kept() <= 50; look++) await sleep(50)
console.log(kept())
looks.close()
`

test('the process keeps what was compiled for it while it runs: the agent ends it by a kill', async () => {
  const orderProcess = new URL('../../agent/running/order-process.ts', import.meta.url).href
  const args = ['--input-type=module', '-e', ordering, temporaryFolder(), orderProcess, from]
  const { NODE_COMPILE_CACHE: _, ...env } = process.env
  const { stdout } = await promisify(execFile)(process.execPath, args, { env })
  expect(Number(stdout)).toBeGreaterThan(50)
})
