/** Meshes in several files of the library, their colours among them: previews of them are made where no project is. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { NodeIO } from '@gltf-transform/core'
import { expect, test } from 'vitest'
import { callAs, type Json } from '../../support/api.ts'
import { triangleBin, triangleGltf } from '../../support/gltf.ts'
import { pngOf } from '../../support/media.ts'
import { ph, signedIn } from '../../support/ph.ts'
import { fixtureFolder } from '../../support/real-packages.ts'
import { byHand, startTestServer } from '../../support/server.ts'
import { temporaryFolder, writeFiles } from '../../support/temporary-folder.ts'

const server = await startTestServer({ previews: true }, byHand)
/** Of the project: the plugin, which gives its packages their first name, and a cup with its materials. */
const parts = ['UXToolsExamples.uplugin', 'Content/Common/Assets/CoffeeCup'].map((part) => join('Plugins/UXToolsExamples', part))

/** The only mesh of a folder that was pushed without previews, in a library of its own. */
async function pushedMesh(folder: string, type: string) {
  const workspace = await server.addWorkspace()
  const env = {
    ...signedIn(workspace.url, workspace.keys.olivia),
    PH_STATE_DIR: temporaryFolder(),
    PH_CACHE_DIR: temporaryFolder(),
  }
  const pushed = await ph(['push', '--yes', '--no-previews', folder], { cwd: folder, env })
  expect(pushed.code, pushed.stderr).toBe(0)
  const caller = callAs(workspace.url, workspace.keys.olivia)
  const { entries } = (await caller.get(`/entries?type=${type}`)).body as Json
  return { env, caller, entryId: entries[0].id as number }
}

/** A cup whose material is an instance of an instance, with a texture at the end. */
function pushedCup() {
  const project = temporaryFolder({ 'UXToolsGame.uproject': '{"FileVersion": 3}' })
  for (const part of parts) cpSync(join(fixtureFolder ?? '', 'content/UXTools', part), join(project, part), { recursive: true })
  return pushedMesh(project, 'mesh')
}

/** A glTF whose buffer and picture are other files, one of them in a folder below. */
async function pushedLeaf() {
  const gltf = triangleGltf({ material: { baseColorTexture: { index: 0 } }, images: [{ uri: 'pictures/leaf.png' }] })
  const folder = temporaryFolder()
  writeFiles(folder, { 'Tree/leaf.gltf': gltf, 'Tree/leaf.bin': triangleBin, 'Tree/pictures/leaf.png': await pngOf(9, 7) })
  return pushedMesh(folder, 'source_mesh')
}

async function textureSizes({ caller, entryId }: Awaited<ReturnType<typeof pushedMesh>>): Promise<unknown> {
  const { headers } = await caller.get(`/entries/${entryId}/preview`)
  const glb = await fetch(headers.get('location') ?? '')
  const root = (await new NodeIO().readBinary(new Uint8Array(await glb.arrayBuffer()))).getRoot()
  return root.listMaterials().map((material) => material.getBaseColorTexture()?.getSize())
}

test.runIf(fixtureFolder)('ph previews work takes the colours of a package from the library', async () => {
  const cup = await pushedCup()
  const { code, stderr } = await ph('previews work', { env: cup.env })
  expect(code, stderr).toBe(0)
  expect(await textureSizes(cup)).toEqual([
    [580, 580],
    [580, 580],
  ])
})

test.runIf(fixtureFolder)('a server that makes previews takes the colours of a package from its storage', async () => {
  const cup = await pushedCup()
  await server.lookForPreviews?.()
  expect(await textureSizes(cup)).toEqual([
    [580, 580],
    [580, 580],
  ])
})

test('ph previews work takes the buffer and the picture of a glTF from the library', async () => {
  const leaf = await pushedLeaf()
  const { code, stderr } = await ph('previews work', { env: leaf.env })
  expect(code, stderr).toBe(0)
  expect(await textureSizes(leaf)).toEqual([[9, 7]])
})

test('a server that makes previews takes them from its storage', async () => {
  const leaf = await pushedLeaf()
  await server.lookForPreviews?.()
  expect(await textureSizes(leaf)).toEqual([[9, 7]])
})
