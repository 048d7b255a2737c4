/** What a project and the content cache share on disk: one file for both, never one for two projects, and no edit reaches anybody else. */
import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ContentCache } from '../../../client/content/cache.ts'
import { emptyProject, onlyJob, outcomesOf, type PullProject } from '../../support/pull.ts'
import { peerFile, startPullPeer } from '../../support/pull-peer.ts'

const order = async () => [{ entry_id: 1 }]
const fileA = 'Content/Town/A.uasset'
const [a, b] = [peerFile('/Game/Town/A', 'first'), peerFile('/Game/Town/B', 'second')]
const files = [fileA, 'Content/Town/B.uasset']

async function library() {
  const peer = await startPullPeer([a, b])
  const pullTo = async (project: PullProject, options = {}) => onlyJob(await project.pull(peer, undefined, { order, ...options }))
  return { pullTo }
}
const sibling = (project: PullProject, name: string) => emptyProject(name, { cache: project.cache })
const statOf = ({ root }: PullProject, file = fileA) => statSync(join(root, file))
const textOf = ({ root }: PullProject, file = fileA) => readFileSync(join(root, file), 'utf8')
/** As an editor does that writes into the file that it has open. */
const editInPlace = ({ root }: PullProject, text: string) => writeFileSync(join(root, fileA), text)

test('the first project has the files of the cache themselves, the next ones copies of their own', async () => {
  const { pullTo } = await library()
  const first = emptyProject()
  const [second, third] = [sibling(first, 'Second'), sibling(first, 'Third')]
  await pullTo(first)
  expect((await pullTo(second)).bytes).toMatchObject({ downloaded: 0 })
  await pullTo(third)
  for (const file of files) {
    expect([first, second, third].map((project) => statOf(project, file).nlink)).toEqual([2, 1, 1])
    expect(new Set([first, second, third].map((project) => statOf(project, file).ino)).size).toBe(3)
  }
  expect(statOf(first).mode & 0o222).not.toBe(0)
})

test('an edit in place in the project that shares a file reaches no other one: the file is fetched again', async () => {
  const { pullTo } = await library()
  const first = emptyProject()
  const [second, third] = [sibling(first, 'Second'), sibling(first, 'Third')]
  await pullTo(first)
  await pullTo(second)
  editInPlace(first, 'fir$t')
  const { bytes } = await pullTo(third)
  expect(bytes).toMatchObject({ downloaded: a.object.blob_size, from_cache: b.object.blob_size })
  expect([first, second, third].map((project) => textOf(project))).toEqual(['fir$t', 'first', 'first'])
  expect(outcomesOf(await pullTo(first))).toEqual({ [fileA]: 'kept', 'Content/Town/B.uasset': 'identical' })
})

test('when the project that shared a file is gone, the next one has it, after it was read once', async () => {
  const { pullTo } = await library()
  const first = emptyProject()
  const second = sibling(first, 'Second')
  await pullTo(first)
  rmSync(first.root, { recursive: true })
  expect((await pullTo(second)).bytes).toMatchObject({ downloaded: 0 })
  expect(statOf(second).nlink).toBe(2)
  expect(textOf(second)).toBe('first')
})

test('a shared file that was made read-only is not replaced: someone has it under control', async () => {
  const { pullTo } = await library()
  const first = emptyProject()
  await pullTo(first)
  editInPlace(first, 'painted')
  chmodSync(join(first.root, fileA), 0o444)
  expect((await pullTo(first, { onConflict: 'overwrite' })).obstacles).toMatchObject([{ kind: 'read-only', file: fileA }])
  chmodSync(join(first.root, fileA), 0o644)
  editInPlace(first, 'first')
  chmodSync(join(first.root, fileA), 0o444)
  const peer = await startPullPeer([peerFile('/Game/Town/A', 'next', { lineage_id: a.object.lineage_id })])
  const job = onlyJob(await first.pull(peer, undefined, { order, onConflict: 'overwrite' }))
  expect(job.obstacles).toMatchObject([{ kind: 'read-only', file: fileA }])
})

test('read-only links are to a file of their own, and leave the project that shared the old one as it is', async () => {
  const { pullTo } = await library()
  const first = emptyProject()
  const [second, third] = [sibling(first, 'Second'), sibling(first, 'Third')]
  await pullTo(first)
  await pullTo(second, { link: true })
  await pullTo(third)
  expect([statOf(first).mode & 0o222, statOf(second).mode & 0o222, statOf(third).mode & 0o222]).toEqual([0o200, 0, 0o200])
  expect([first, second, third].map((project) => statOf(project).nlink)).toEqual([1, 2, 1])
  editInPlace(first, 'fir$t')
  expect([second, third].map((project) => textOf(project))).toEqual(['first', 'first'])
})

test('a part that one pull writes is not taken up by another of the same process, and by the next once it was left', async () => {
  const { pullTo } = await library()
  const first = emptyProject()
  const cache = new ContentCache(first.cache)
  const parts = [a, b].map(({ object }) => cache.newPart(object.content_hash))
  for (const part of parts) writeFileSync(part, 'half')
  cache.leavePart(parts[1] ?? '')
  await pullTo(first)
  expect(parts.map((part) => existsSync(part))).toEqual([true, false])
  cache.close()
})
