/** A project whose Content folder lies on another disk than the rest of it: what is overwritten there is kept all the same. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { phProcess } from '../support/ph-process.ts'
import { filesBelow } from '../support/pull.ts'
import { startTestServer } from '../support/server.ts'
import { mountSmallDisk } from '../support/small-disk.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { makeProject } from '../support/unreal-project.ts'

const server = await startTestServer()

test('a conflict that is overwritten on one disk has its backup on the other', async () => {
  const { url, keys } = await server.addWorkspace()
  const source = await makeProject({ 'Content/Town/SM_Wall.uasset': {} })
  await source.push({ url, key: keys.mia })
  const root = join(temporaryFolder(), 'Target')
  const content = join(root, 'Content')
  mkdirSync(content, { recursive: true })
  writeFileSync(join(root, 'Target.uproject'), JSON.stringify({ EngineAssociation: '5.4' }))
  const disk = await mountSmallDisk(content, 48 * 1024 * 1024)
  mkdirSync(disk.seen(join(content, 'Town')))
  writeFileSync(disk.seen(join(content, 'Town/SM_Wall.uasset')), 'someone built this here')
  const env = { PH_URL: url, PH_API_KEY: keys.mia }
  const args = ['pull', 'SM_Wall', '--into', root, '--on-conflict', 'overwrite', '--json']
  const { code, stdout, stderr } = await phProcess(args, { env, within: disk.within })
  expect(code, stdout + stderr).toBe(0)
  const [file] = JSON.parse(stdout).jobs[0].files
  expect(file.outcome).toBe('overwritten')
  expect(filesBelow(root)[file.backup]?.toString()).toBe('someone built this here')
  expect(filesBelow(disk.seen(content))).toEqual(filesBelow(join(source.root, 'Content')))
})
