/** The colours of meshes that lie in other packages of the library: previews of them are made where no project is. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { NodeIO } from '@gltf-transform/core'
import { expect, test } from 'vitest'
import { callAs, type Json } from '../../support/api.ts'
import { ph, signedIn } from '../../support/ph.ts'
import { fixtureFolder } from '../../support/real-packages.ts'
import { byHand, startTestServer } from '../../support/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const server = await startTestServer({ previews: true }, byHand)
/** Of the project: the plugin, which gives its packages their first name, and a cup with its materials. */
const parts = ['UXToolsExamples.uplugin', 'Content/Common/Assets/CoffeeCup'].map((part) => join('Plugins/UXToolsExamples', part))

/** A cup whose material is an instance of an instance, with a texture at the end, in a library of its own. */
async function pushedCup() {
  const workspace = await server.addWorkspace()
  const project = temporaryFolder({ 'UXToolsGame.uproject': '{"FileVersion": 3}' })
  for (const part of parts) cpSync(join(fixtureFolder ?? '', 'content/UXTools', part), join(project, part), { recursive: true })
  const env = {
    ...signedIn(workspace.url, workspace.keys.olivia),
    PH_STATE_DIR: temporaryFolder(),
    PH_CACHE_DIR: temporaryFolder(),
  }
  const pushed = await ph(['push', '--yes', '--no-previews', project], { cwd: project, env })
  expect(pushed.code, pushed.stderr).toBe(0)
  const caller = callAs(workspace.url, workspace.keys.olivia)
  const { entries } = (await caller.get('/entries?type=mesh')).body as Json
  return { env, caller, entryId: entries[0].id as number }
}

async function textureSizes({ caller, entryId }: Awaited<ReturnType<typeof pushedCup>>): Promise<unknown> {
  const { headers } = await caller.get(`/entries/${entryId}/preview`)
  const glb = await fetch(headers.get('location') ?? '')
  const root = (await new NodeIO().readBinary(new Uint8Array(await glb.arrayBuffer()))).getRoot()
  return root.listMaterials().map((material) => material.getBaseColorTexture()?.getSize())
}

test.runIf(fixtureFolder)('ph previews work takes them from the library', async () => {
  const cup = await pushedCup()
  const { code, stderr } = await ph('previews work', { env: cup.env })
  expect(code, stderr).toBe(0)
  expect(await textureSizes(cup)).toEqual([
    [580, 580],
    [580, 580],
  ])
})

test.runIf(fixtureFolder)('a server that makes previews takes them from its storage', async () => {
  const cup = await pushedCup()
  await server.lookForPreviews?.()
  expect(await textureSizes(cup)).toEqual([
    [580, 580],
    [580, 580],
  ])
})
