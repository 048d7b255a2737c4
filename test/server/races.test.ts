// Writers of one entry at the same moment: each is answered as if it had come before or after the others (PostgreSQL shows it).
import { expect, test } from 'vitest'
import { type Answer, callAs } from '../support/api.ts'
import { oneWaitsFor } from '../support/lock-waits.ts'
import { pngOf } from '../support/media.ts'
import { isPostgres, postgresOnly } from '../support/postgres-only.ts'
import { item, manifestOf, pushed, upload } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
const { url, keys } = await server.addWorkspace()
const [mia, max, adam] = [callAs(url, keys.mia), callAs(url, keys.max), callAs(url, keys.adam)]
const times = <T>(count: number, call: () => Promise<T>) => Array.from({ length: count }, call)

test('new versions, restores, downloads and media of one entry at once all go through, or name the version that is current', async () => {
  for (let round = 0; round < 8; round++) {
    const first = item()
    const [{ entry_id, object_id, lineage_id }] = await pushed(mia, [first])
    const stamp = { asset_name: first.asset_name, stamped_lineage_id: lineage_id, stamped_base_hash: first.content_hash }
    const versions = [item(stamp), item(stamp), item(stamp)]
    await upload(mia, versions)
    const at = `/entries/${entry_id}`
    const named = `object_id=${object_id}`
    const picture = await pngOf(4, 4)
    const writes = [
      ...versions.map((version) => max.post('/push/commit', manifestOf([version]))),
      ...times(2, () => mia.post(`${at}/restore`, { object_id })),
      ...times(3, () => max.get(`${at}/download`)),
      adam.post('/admin/previews/refresh', { all: true }),
    ]
    const media = [
      ...times(3, () => mia.put(`${at}/thumbnail?${named}`, picture)),
      mia.put(`${at}/metadata?${named}`, { tri_count: round }),
      mia.post(`${at}/preview/unavailable?${named}`),
    ]
    for (const answer of await Promise.all(writes)) expect([200, 302], JSON.stringify(answer.body)).toContain(answer.status)
    for (const answer of await Promise.all(media)) if (answer.status !== 200) expectCurrentNamed(answer, object_id)
    const { face_object_id, objects } = (await mia.get(`/lineages/${lineage_id}`)).body
    expect(objects.map((one: { object_id: number }) => one.object_id)).toContain(face_object_id)
    expect(objects.filter((one: { is_face: boolean }) => one.is_face)).toHaveLength(1)
  }
})

// The embedded database has one session: there nobody comes in between a plan and its commit.
test.runIf(isPostgres)(
  'a file that was held when its commit began, and is not when its turn comes, is registered with its bytes',
  postgresOnly,
  async () => {
    const first = item()
    const [{ entry_id, object_id, lineage_id }] = await pushed(mia, [first])
    const moved = item({ stamped_lineage_id: lineage_id, stamped_base_hash: first.content_hash })
    await pushed(mia, [moved])
    const held = item({ origin_path: moved.origin_path })
    await upload(mia, [held])
    const { sql } = server.database
    let committing: Promise<Answer> | undefined
    await sql.begin(async (turn) => {
      await turn`select pg_advisory_xact_lock(7410, max(id)::int) from workspaces`
      committing = max.post('/push/commit', manifestOf([held]))
      await oneWaitsFor(sql, { key: 7410 })
      expect((await mia.post(`/entries/${entry_id}/restore`, { object_id })).status).toBe(200)
    })
    const answer = await committing
    expect(answer?.body, JSON.stringify(answer?.body)).toMatchObject({ results: [{ status: 'new' }] })
  },
)

function expectCurrentNamed({ status, body }: Answer, asked: number): void {
  expect([status, body.error?.code], JSON.stringify(body)).toEqual([409, 'CONFLICT'])
  expect(body.error.details.current_object_id).not.toBe(asked)
}
