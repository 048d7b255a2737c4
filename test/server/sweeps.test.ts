/** Sweeps that an admin asks for (contract-gaps 7): a dry run says what would go, and only then it goes. */
import { expect, test } from 'vitest'
import { callAs } from '../support/api.ts'
import { item, manifestOf, upload } from '../support/push.ts'
import { byHand, startTestServer } from '../support/server.ts'

const server = await startTestServer({}, byHand)
const dayMs = 24 * 3_600_000

async function freshLibrary() {
  const { url, keys, workspaceId } = await server.addWorkspace()
  const adam = callAs(url, keys.adam)
  const sweep = (kind: string, dry_run: boolean) => adam.post('/admin/sweeps', { kind, dry_run })
  return { mia: callAs(url, keys.mia), sweep, workspaceId }
}

test('a dry run counts the files that nothing took over for a day and removes none; the real run removes those and no others', async () => {
  const { mia, sweep, workspaceId } = await freshLibrary()
  const [kept, left, late] = [item(), [item(), item()], item()]
  await upload(mia, [kept, ...left])
  await mia.post('/push/commit', manifestOf([kept]))
  await server.ledger.written(workspaceId)
  server.clock.advance(dayMs + 60_000)
  await upload(mia, [late])
  await server.ledger.written(workspaceId)
  const found = { kind: 'orphan_blobs', candidates: 2, bytes: left.reduce((sum, file) => sum + file.bytes.length, 0) }
  expect((await sweep('orphan_blobs', true)).body).toEqual({ ...found, dry_run: true, deleted: 0 })
  expect((await mia.post('/push/negotiate', manifestOf([kept, late]))).body.missing_hashes).toEqual([])
  expect((await sweep('orphan_blobs', false)).body).toEqual({ ...found, dry_run: false, deleted: 2 })
  const { missing_hashes } = (await mia.post('/push/negotiate', manifestOf([kept, ...left, late]))).body
  expect(missing_hashes.toSorted()).toEqual(left.map((file) => file.content_hash).toSorted())
})

test('a real run needs a dry run of its own kind and workspace, not older than 15 minutes', async () => {
  const [own, other] = [await freshLibrary(), await freshLibrary()]
  const refused = { status: 409, body: { error: { code: 'DRY_RUN_REQUIRED' } } }
  await own.sweep('expired_records', true)
  await other.sweep('orphan_blobs', true)
  expect(await own.sweep('orphan_blobs', false)).toMatchObject(refused)
  server.clock.advance(14 * 60_000)
  expect(await own.sweep('expired_records', false)).toMatchObject({ status: 200 })
  server.clock.advance(2 * 60_000)
  expect(await own.sweep('expired_records', false)).toMatchObject(refused)
  expect((await own.mia.post('/admin/sweeps', { kind: 'orphan_blobs', dry_run: true })).status).toBe(403)
})
