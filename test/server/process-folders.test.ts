// The folders that servers have for themselves below one that they share: those of killed ones go when another starts.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { ProcessFolder } from '../../system/process-folder.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const room = JSON.stringify(new URL('../../system/process-folder.ts', import.meta.url).href)

/** A process that makes its folder at the given moment, lives until its input ends, and leaves the folder behind. */
function makesFolder(parent: string, atMs: number) {
  const code = `
    import { ProcessFolder } from ${room}
    while (Date.now() < ${atMs}) {}
    const { dir } = new ProcessFolder(${JSON.stringify(parent)})
    process.stdin.resume().on('end', () => process.kill(process.pid, 'SIGKILL'))
    process.stdout.write(dir)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'pipe' })
  const said = text(child.stderr)
  const made = Promise.race([
    once(child.stdout, 'data').then(String),
    once(child, 'exit').then(async () => `failed: ${await said}`),
  ])
  const end = async () => {
    child.stdin.end()
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
  return { made, end }
}

test('processes that start at one moment all get a folder, whichever of them removes what killed ones left', async () => {
  const parent = temporaryFolder()
  for (let left = 0; left < 400; left++) mkdirSync(join(parent, `p-left-${left}`))
  const startMs = Date.now() + 1500
  const processes = Array.from({ length: 4 }, () => makesFolder(parent, startMs))
  const dirs = await Promise.all(processes.map(({ made }) => made))
  expect(dirs.filter((dir) => !dir.startsWith(parent))).toEqual([])
  expect(readdirSync(parent)).toEqual(expect.arrayContaining(dirs.map((dir) => dir.slice(parent.length + 1))))
  for (const { end } of processes) await end()
  const last = new ProcessFolder(parent)
  expect(readdirSync(parent).map((name) => join(parent, name))).toEqual([last.dir])
  last.close()
})
