// ph admin: the denylist, sweeps that show before they remove, pictures anew, and what is stored.
import { expect, test } from 'vitest'
import { innWith } from '../../support/discussion.ts'
import { item, upload } from '../../support/push.ts'
import { byHand, startTestServer } from '../../support/server.ts'

const server = await startTestServer({}, byHand)
const dayMs = 24 * 3_600_000

test('a file is denied by its hash and a package by its GUID, listed with the reason, and allowed again after a yes', async () => {
  const { at, ok, barrel } = await innWith(server)
  expect((await at.adam('admin denylist list')).stdout).toBe('Everything may be pushed.\n')
  const hash = item().content_hash.toUpperCase()
  const made = await ok('adam', ['admin', 'denylist', 'add', hash, '--note', 'licence ended'])
  expect(made).toMatchObject({ kind: 'content_hash', value: hash.toLowerCase(), note: 'licence ended' })
  const guid = '{1f8e4a0b-4d3c-2a1b-9e8d-7c6b5a493827}'
  expect(await ok('adam', `admin denylist add ${guid}`)).toMatchObject({
    kind: 'package_guid',
    value: '1F8E4A0B4D3C2A1B9E8D7C6B5A493827',
  })
  const { stdout } = await at.adam('admin denylist list', { columns: 150 })
  expect(stdout).toMatch(/file +[0-9a-f]{64} +just now +licence ended/)
  const asked = await at.adam(`admin denylist remove ${made.id}`)
  expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('though it was denied: licence ended')])
  expect((await at.adam(`admin denylist remove ${made.id} --yes`)).stdout).toBe(`${made.value} can be pushed again.\n`)
  expect((await at.adam(`admin denylist remove ${made.id} --yes`)).code).toBe(1)
  const wrong = await at.adam('admin denylist add SM_Barrel')
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('neither a hash nor a GUID')])
  const member = await at.mia(`admin denylist add ${barrel.content_hash}`)
  expect([member.code, member.stderr]).toEqual([1, expect.stringContaining('admin')])
})

test('a sweep shows what would go, asks, and removes it; stored files on the denylist are shown and stay', async () => {
  const { at, ok, as, barrel, workspaceId } = await innWith(server)
  expect((await at.adam('admin sweep')).stdout).toContain('There is nothing to remove.')
  const left = [item(), item(), item()]
  await upload(as.mia, left)
  await server.ledger.written(workspaceId)
  server.clock.advance(dayMs + 60_000)
  await ok('adam', `admin denylist add ${barrel.content_hash}`)
  const shown = await at.adam('admin sweep files --dry-run', { columns: 150 })
  expect(shown.stdout).toMatch(/files +3 candidates, \d+ B/)
  expect(shown.stdout).toMatch(/On the denylist, and stored: 1 file.*They stay\.\n.*\n.*SM_Barrel/)
  const asked = await at.adam('admin sweep --json')
  expect(asked.code).toBe(2)
  expect(await ok('adam', 'admin sweep --dry-run')).toMatchObject({ dry_run: true, sweeps: [{ candidates: 3 }, {}, {}] })
  const swept = await at.adam('admin sweep --yes')
  expect(swept.stdout).toBe('3 files removed.\n0 attachments removed.\n0 records removed.\n')
  expect(await ok('adam', 'admin sweep --yes')).toMatchObject({ dry_run: true, sweeps: [{ candidates: 0 }, {}, {}] })
  expect((await at.adam('admin sweep everything')).code).toBe(2)
})

test('what is stored is shown by kind, pack and month, and pictures are wanted anew', async () => {
  const { at, ok } = await innWith(server)
  const { stdout } = await at.adam('admin storage', { columns: 120 })
  expect(stdout).toMatch(/stored\. No limit is set\./)
  expect(stdout).toMatch(/versions of props +\d+ B +1 +█{20}/)
  expect(stdout).toMatch(/Pack +\d+ B +1 +█{20}/)
  expect(stdout).toMatch(new RegExp(`${server.clock.now().toISOString().slice(0, 7)} +\\d+ B +1`))
  expect(stdout).toContain('There is nothing to sweep.')
  expect((await at.adam('admin previews SM_Barrel')).stdout).toBe('Pictures of 1 prop are wanted anew.\n')
  expect(await ok('adam', 'admin previews --all')).toEqual({ affected: 1 })
  expect((await at.adam('admin previews')).code).toBe(2)
})
