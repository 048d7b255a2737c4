/** A library whose entries have thumbnails, and a server that looks at them with an embedder of the tests. */
import sharp from 'sharp'
import { expect } from 'vitest'
import type { Settings } from '../../server/config.ts'
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
