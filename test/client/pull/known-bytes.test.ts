/** What may be replaced: files that the library, asked now, has as versions of the same prop. */
import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { answer, type Heard } from '../../support/peer.ts'
import { emptyProject, onlyJob, outcomesOf } from '../../support/pull.ts'
import { type PeerFile, peerFile, startPullPeer } from '../../support/pull-peer.ts'
import { startTestServer } from '../../support/server.ts'
import { writeFiles } from '../../support/temporary-folder.ts'
import { makeProject } from '../../support/unreal-project.ts'

const server = await startTestServer()
const order = async () => [{ entry_id: 1 }]
const fileA = 'Content/Town/A.uasset'

test('an earlier version that came by another way than a pull is replaced by the current one, of whatever size', async () => {
  const { url, keys } = await server.addWorkspace()
  const library = { url, key: keys.mia }
  const source = await makeProject({ 'Content/SM_A.uasset': { payload: Buffer.alloc(900, 'first') } })
  const clone = emptyProject()
  writeFiles(clone.root, { 'Content/SM_A.uasset': readFileSync(join(source.root, 'Content/SM_A.uasset')) })
  await source.push(library)
  await source.save({ 'Content/SM_A.uasset': { payload: Buffer.from('second') } })
  await source.push(library)
  const job = onlyJob(await clone.pull(library, ['SM_A']))
  expect(outcomesOf(job)).toEqual({ 'Content/SM_A.uasset': 'updated' })
  expect(job.files[0]?.replaced_object_id).toBeLessThan(job.files[0]?.object_id ?? 0)
  expect(clone.files()['SM_A.uasset']).toEqual(readFileSync(join(source.root, 'Content/SM_A.uasset')))
})

/** A library at one address whose list of files changes, and that does not answer which bytes it has. */
async function olderServer(first: PeerFile, next: PeerFile, history: () => readonly PeerFile[]) {
  let current = first
  const instead = (heard: Heard, response: ServerResponse) => {
    const { url } = heard
    if (url.includes('/closure')) answer(200, { objects: [current.object] })(response, heard)
    else if (url.endsWith('/lineages/find'))
      answer(404, { error: { code: 'NOT_FOUND', message: '', details: {} } })(response, heard)
    else if (url.includes('/lineages/'))
      answer(200, { id: first.object.lineage_id, objects: history().map(({ object }) => object) })(response, heard)
    else return false
    return true
  }
  const peer = await startPullPeer([first, next], { instead })
  return { peer, move: () => (current = next) }
}

test('a server that is not asked in bulk is asked for the history of the prop', async () => {
  const first = peerFile('/Game/Town/A', 'first')
  const next = peerFile('/Game/Town/A', 'next', { lineage_id: first.object.lineage_id })
  let history = [first, next]
  const { peer, move } = await olderServer(first, next, () => history)
  const [lucky, unlucky] = [emptyProject(), emptyProject('Other')]
  await lucky.pull(peer, undefined, { order })
  await unlucky.pull(peer, undefined, { order })
  move()
  expect(outcomesOf(onlyJob(await lucky.pull(peer, undefined, { order })))).toEqual({ [fileA]: 'updated' })
  history = [next]
  expect(outcomesOf(onlyJob(await unlucky.pull(peer, undefined, { order })))).toEqual({ [fileA]: 'kept' })
})
