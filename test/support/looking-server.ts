/** A library whose entries have thumbnails, and a server that looks at them with an embedder of the tests. */
import sharp from 'sharp'
import { expect } from 'vitest'
import type { Settings } from '../../server/config.ts'
import type { Sql } from '../../server/database/sql.ts'
import { type Caller, callAs, type Json } from './api.ts'
import { item, pushed } from './push.ts'
import { byHand, startTestServer, type TestServer } from './server.ts'

export const gridModule = new URL('./grid-embedder.ts', import.meta.url)

/** A server whose background work is done when a test says so. */
export const lookingServer = (embedder = 'grid:a', over: Partial<Settings> = {}): Promise<TestServer> =>
  startTestServer({ embedder, ...over }, { ...byHand, embedderModule: gridModule })

/** A picture of four fields, whose colours a number tells; those of close numbers look alike, the further the less. */
export async function pictureOf(number: number, size = 64): Promise<Buffer> {
  const field = (index: number) => {
    const angle = (number / 40) * Math.PI + (index * Math.PI) / 2
    return { r: 128 + 120 * Math.sin(angle), g: 128 + 120 * Math.cos(angle), b: index * 60 }
  }
  const half = size / 2
  const fields = await Promise.all(
    [0, 1, 2, 3].map(async (index) => ({
      input: await sharp({ create: { width: half, height: half, channels: 3, background: field(index) } })
        .png()
        .toBuffer(),
      left: (index % 2) * half,
      top: Math.floor(index / 2) * half,
    })),
  )
  return sharp({ create: { width: size, height: size, channels: 3, background: '#000' } })
    .composite(fields)
    .png()
    .toBuffer()
}

/** Of the version that is current. */
export async function putThumbnail(caller: Caller, { entry_id, object_id }: Json, picture: Buffer): Promise<void> {
  const address = `/entries/${entry_id}/thumbnail?object_id=${object_id}`
  const answer = await caller.put(address, picture, { 'content-type': 'image/png' })
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
}

/** Entries with the pictures of these numbers, looked at. */
export async function lookedAt(server: TestServer, numbers: readonly number[], over: (number: number) => Json = () => ({})) {
  const { url, keys, workspaceId } = await server.addWorkspace()
  const [mia, olivia, reads] = [callAs(url, keys.mia), callAs(url, keys.olivia), callAs(url, keys.miaReads)]
  const results = await pushed(
    mia,
    numbers.map((number) => item(over(number))),
  )
  const entries = results.map((result) => ({ entry_id: result.entry_id, object_id: result.object_id }))
  for (const [index, entry] of entries.entries()) await putThumbnail(mia, entry, await pictureOf(numbers[index] ?? 0))
  await server.work.look()
  const ids = entries.map(({ entry_id }) => entry_id as number)
  return { mia, olivia, reads, entries, ids, workspaceId, url, keys }
}

export const idsOf = ({ body }: { body: Json }): number[] => body.entries.map((entry: Json) => entry.id)

/** Entries that differ in name only, and a little in their look, as pushes and background work would have left them. */
export async function copyLooked(sql: Sql, { workspaceId, object_id: objectId, copies }: Json): Promise<void> {
  const copied = (table: string, own: string, which: string) => sql`
    insert into ${sql(table)}
    select (jsonb_populate_record(one, ${sql.unsafe(own)})).* from ${sql(table)} one cross join generate_series(1, ${copies}::int) n
     where one.workspace_id = ${workspaceId} and ${sql.unsafe(which)} = ${objectId}`
  await copied('looks', `jsonb_build_object('object_id', object_id * 1000000 + n)`, 'object_id')
  await copied(
    'entries',
    `jsonb_build_object('id', id * 1000000 + n, 'lineage_id', 'copy-' || n, 'name', 'Copy ' || n)`,
    `(select l.face_object_id from lineages l where l.workspace_id = one.workspace_id and l.id = one.lineage_id)`,
  )
  await copied(
    'lineages',
    `jsonb_build_object('id', 'copy-' || n, 'face_object_id', face_object_id * 1000000 + n)`,
    'face_object_id',
  )
  await copied(
    'objects',
    `jsonb_build_object('id', id * 1000000 + n, 'lineage_id', 'copy-' || n, 'content_hash', lpad(n::text, 64, '0'))`,
    'id',
  )
  await sql`
    update looks set vector = set_byte(vector, 0, (object_id % 100)::int) where workspace_id = ${workspaceId} and object_id > 1000000`
}
