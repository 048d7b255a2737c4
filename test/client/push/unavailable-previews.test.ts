/** Versions that can have no preview: how the library is told of many, also by clients of a server that takes one at a time. */
import { expect, test } from 'vitest'
import { createApi } from '../../../client/http/api.ts'
import { Http } from '../../../client/http/http.ts'
import type { Sent } from '../../../client/previews/sender.ts'
import { UnavailablePreviews } from '../../../client/previews/unavailable.ts'
import { afterFile } from '../../support/after-file.ts'
import { callAs, type Json } from '../../support/api.ts'
import { item, pushed } from '../../support/push.ts'
import { startTestServer } from '../../support/server.ts'

const server = await startTestServer()

/** Six entries, of which one has a newer version than the one that is told of; `many` false: as a server that does not know the question. */
async function told({ many }: { many: boolean }) {
  const { url, slug, keys } = await server.addWorkspace()
  const caller = callAs(url, keys.mia)
  const entries = await pushed(
    caller,
    Array.from({ length: 6 }, () => item()),
  )
  const [first = {}] = entries
  await pushed(caller, [item({ stamped_lineage_id: first.lineage_id, stamped_base_hash: first.content_hash })])
  const http = new Http({ url, key: keys.mia })
  afterFile(() => http.close())
  const { media } = createApi(http)
  // A server without the route answers as ours does at an address that it does not have.
  const unknown = () => http.json({ method: 'POST', path: '/entries/media/unknown', json: {} }) as never
  const previews = new UnavailablePreviews(many ? media : { unavailable: media.unavailable, unavailableMany: unknown })
  const outcomes = new Map<number, Sent>()
  for (const { entry_id, object_id } of entries)
    await previews.add({ entry_id, object_id }, (sent) => outcomes.set(entry_id, sent))
  await previews.flush()
  const { body } = await caller.get('/entries?limit=200')
  const shown = body.entries.map(({ id, preview_status }: Json) => [id, preview_status])
  const asked = server.logLines.filter((line) => line.includes(slug) && /"path":"[^"]*unavailable/.test(line)).length
  return { first, outcomes, shown: new Map(shown), asked }
}

test.each([
  { many: true, requests: 1 },
  { many: false, requests: 6 },
])(
  'where the server takes many at once: $many, there are $requests requests, and a version that was overtaken keeps nobody else',
  async ({ many, requests }) => {
    const { first, outcomes, shown, asked } = await told({ many })
    expect(asked).toBe(requests)
    expect(outcomes.size).toBe(6)
    for (const [id, sent] of outcomes) {
      const isOvertaken = id === first.entry_id
      expect(sent).toEqual({ outcome: isOvertaken ? 'moved' : 'taken' })
      expect(shown.get(id)).toBe(isOvertaken ? 'none' : 'unavailable')
    }
  },
)
