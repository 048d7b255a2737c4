/** Pulls of what a library holds and no project gets, from a server that knows nothing of it: the rest comes, and what does not is named. */
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findFolders } from '../../../client/folders.ts'
import { planPull } from '../../../client/pull/plan.ts'
import { findTarget } from '../../../client/pull/target-project.ts'
import { emptyProject, onlyJob, outcomesOf } from '../../support/pull.ts'
import { type PeerFile, type PeerJob, peerFile, startPullPeer } from '../../support/pull-peer.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const script = (name: string, source_ext: string) => peerFile(`/Game/Python/${name}`, `${name}.${source_ext}`, { source_ext })
const order = { order: async () => [{ entry_id: 1 }] }

async function pulled(files: readonly PeerFile[], job: PeerJob = {}) {
  const peer = await startPullPeer(files, job)
  const project = emptyProject()
  return { peer, project, job: onlyJob(await project.pull(peer, undefined, order)) }
}

test.each(['py', 'pyd', 'so', 'pyc', 'pth', 'dll', 'pyw', 'zip', 'png', 'txt'])(
  'a mesh that needs a .%s below /Game/Python comes without it, which is named and told to the library as skipped',
  async (ext) => {
    const [mesh, bad] = [peerFile('/Game/Town/SM_Wall'), script('init_unreal', ext)]
    const { peer, project, job } = await pulled([mesh, bad])
    expect(project.files()).toEqual({ 'Town/SM_Wall.uasset': mesh.bytes })
    const file = `Content/Python/init_unreal.${ext}`
    expect(outcomesOf(job)).toEqual({ 'Content/Town/SM_Wall.uasset': 'added', [file]: 'left_out' })
    expect(job).toMatchObject({ status: 'done', summary: { added: 1, left_out: 1, failed: 0 }, obstacles: [] })
    expect(job.warnings).toEqual([
      { type: 'not_placed', message: expect.stringContaining(`init_unreal.${ext}`), object_ids: [bad.object.object_id] },
    ])
    expect(peer.heard.filter(({ url }) => url.includes(bad.object.content_hash))).toEqual([])
    const { report_json, status } = peer.progress.at(-1) ?? {}
    expect([status, report_json?.conflicts, report_json?.added?.length]).toEqual([
      'done',
      [expect.objectContaining({ content_hash: bad.object.content_hash, resolution: 'skip' })],
      1,
    ])
  },
)

test('a pull of nothing else fails, says why, and names the command that brings such files elsewhere', async () => {
  const { peer, project, job } = await pulled([script('init_unreal', 'py')])
  expect(project.files()).toEqual({})
  expect(job).toMatchObject({ status: 'failed', obstacles: [{ kind: 'no-prop', next: expect.stringContaining('ph download') }] })
  expect(peer.progress.at(-1)).toMatchObject({ status: 'failed', failure_reason: expect.stringContaining('init_unreal.py') })
})

test('a root of the order leads nowhere else: below /Game/Python only packages land', async () => {
  const files = [peerFile('/Game/SM_Wall'), peerFile('/Game/wood', 'wood', { source_ext: 'png' })]
  const { project, job } = await pulled(files, { root: '/Game/python' })
  expect(Object.keys(project.files())).toEqual(['python/SM_Wall.uasset'])
  expect(job.summary).toMatchObject({ added: 1, left_out: 1 })
})

test('the plan of a pull says the same and changes nothing', async () => {
  const files = [peerFile('/Game/SM_Wall'), script('fast', 'pyd')]
  const peer = await startPullPeer(files, {
    instead: ({ url }, response) => {
      if (url.endsWith('/entries/1')) response.end(JSON.stringify({ metadata_doc: null, name: 'SM_Wall' }))
      else if (url.endsWith('/pull-jobs/plan'))
        response.end(
          JSON.stringify({
            target_root: '/Game',
            dependencies: 'current',
            entries: [{ entry_id: 1, name: 'SM_Wall' }],
            warnings: [],
            closure: { objects: files.map(({ object }) => object) },
          }),
        )
      else if (url.endsWith('/lineages/find')) response.end(JSON.stringify({ lineages: [], versions: [] }))
      else return false
      return true
    },
  })
  const project = emptyProject()
  const target = findTarget({ cwd: project.root })
  const folders = findFolders({ PH_STATE_DIR: project.state, PH_CACHE_DIR: project.cache })
  const { plans } = await planPull({ url: peer.url, key: peer.key, folders, target, ...order })
  expect(plans).toMatchObject([{ files: [{ file: 'Content/SM_Wall.uasset' }], summary: { add: 1 }, obstacles: [] }])
  expect(plans[0]?.warnings).toMatchObject([{ type: 'not_placed', message: expect.stringContaining('/Game/Python/fast.pyd') }])
  expect(project.files()).toEqual({})
})

test('a folder without a descriptor that lies in another project is no way around it', async () => {
  const outer = emptyProject('Outer')
  const into = join(outer.root, 'Content', 'Python')
  mkdirSync(into, { recursive: true })
  const peer = await startPullPeer([peerFile('/Game/SM_Wall'), peerFile('/Game/wood', 'wood', { source_ext: 'png' })])
  const linked = join(temporaryFolder(), 'linked')
  symlinkSync(into, linked)
  for (const folder of [into, linked]) {
    const target = findTarget({ cwd: folder, project: 'Target', into: folder })
    const job = onlyJob(await outer.pull(peer, undefined, { ...order, target }))
    expect(job.summary).toMatchObject({ left_out: 1 })
  }
  expect(Object.keys(outer.files())).toEqual(['Python/Content/SM_Wall.uasset'])
})
