/** Files that other programs have open while a pull would replace them. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { findOpenFiles } from '../../../client/pull/open-files.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** A file that a program has open until it is ended. */
async function openFile(run: readonly [string, ...string[]] = ['sleep', '60']) {
  const path = join(temporaryFolder(), 'SM_Chair.uasset')
  writeFileSync(path, 'chair')
  const fd = openSync(path, 'r')
  const [file, ...args] = run
  const program = spawn(file, args, { stdio: [fd, 'ignore', 'ignore'] })
  closeSync(fd)
  await once(program, 'spawn')
  const end = async () => {
    if (program.kill()) await once(program, 'exit')
  }
  onTestFinished(end)
  return { path, end }
}

test.runIf(process.platform === 'linux')('a program that lets a file go soon after keeps nobody from replacing it', async () => {
  const { path, end } = await openFile()
  const looking = findOpenFiles(new Set([path]))
  await sleep(200)
  await end()
  expect(await looking).toEqual(new Map())
})

test.runIf(process.platform === 'linux')(
  'a program that has it open for longer is named, and a Ctrl-C does not wait for it',
  async () => {
    const { path } = await openFile()
    expect(await findOpenFiles(new Set([path]))).toEqual(new Map([[path, 'sleep']]))
    const ending = AbortSignal.timeout(200)
    await expect(findOpenFiles(new Set([path]), ending)).rejects.toMatchObject({ name: 'AbortError' })
  },
)

test.runIf(process.platform === 'linux')('a program that named its first thread otherwise is named by its file', async () => {
  const { path } = await openFile([process.execPath, '-e', 'setTimeout(() => {}, 60_000)'])
  expect(await findOpenFiles(new Set([path]))).toEqual(new Map([[path, 'node']]))
})
