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

/** A process that is ready, makes its folder when it is told to, lives until its input ends, and leaves the folder behind. */
async function makesFolder(parent: string) {
  const code = `
    import { readSync } from 'node:fs'
    import { ProcessFolder } from ${room}
    process.stdout.write('ready')
    readSync(0, Buffer.alloc(1))
    const { dir } = new ProcessFolder(${JSON.stringify(parent)})
    process.stdin.resume().on('end', () => process.kill(process.pid, 'SIGKILL'))
    process.stdout.write(dir)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'pipe' })
  const said = text(child.stderr)
  const next = () =>
    Promise.race([once(child.stdout, 'data').then(String), once(child, 'exit').then(async () => `failed: ${await said}`)])
  expect(await next()).toBe('ready')
  const make = () => {
    const made = next()
    child.stdin.write('!')
    return made
  }
  const end = async () => {
    child.stdin.end()
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
  return { make, end }
}

test('processes that start at one moment all get a folder, whichever of them removes what killed ones left', async () => {
  const parent = temporaryFolder()
  for (let left = 0; left < 400; left++) mkdirSync(join(parent, `p-left-${left}`))
  const processes = await Promise.all(Array.from({ length: 4 }, () => makesFolder(parent)))
  const dirs = await Promise.all(processes.map(({ make }) => make()))
  expect(dirs.filter((dir) => !dir.startsWith(parent))).toEqual([])
  expect(readdirSync(parent)).toEqual(expect.arrayContaining(dirs.map((dir) => dir.slice(parent.length + 1))))
  for (const { end } of processes) await end()
  const last = new ProcessFolder(parent)
  expect(readdirSync(parent).map((name) => join(parent, name))).toEqual([last.dir])
  last.close()
})
