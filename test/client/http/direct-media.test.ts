/** Media through presigned addresses: what one refused file costs the others. */
import { expect, test } from 'vitest'
import { createApi } from '../../../client/http/api.ts'
import { bodyOf } from '../../../client/http/body.ts'
import { DirectMedia } from '../../../client/http/direct-media.ts'
import { Http } from '../../../client/http/http.ts'
import { ApiError } from '../../../contract/errors.ts'
import { afterFile } from '../../support/after-file.ts'
import { callAs, type Json } from '../../support/api.ts'
import { pngOf } from '../../support/media.ts'
import { item, pushed } from '../../support/push.ts'
import { startTestServer } from '../../support/server.ts'

const server = await startTestServer()

async function library() {
  const { url, slug, keys } = await server.addWorkspace()
  const http = new Http({ url, key: keys.olivia })
  afterFile(() => http.close())
  const mayBeOfOne = (error: unknown) => error instanceof ApiError && error.status < 500
  const asked = (what: string) => server.logLines.filter((line) => line.includes(slug) && line.includes(what)).length
  return { caller: callAs(url, keys.olivia), asked, media: new DirectMedia({ http, api: createApi(http), mayBeOfOne }) }
}

const places = (results: Json[]) =>
  results.map(({ entry_id, object_id }) => ({ entry_id, object_id, kind: 'thumbnail' as const }))

test('one of many that was never stored is refused by itself, is found by halves, and the others are put to use', async () => {
  const { caller, media, asked } = await library()
  const entries = await pushed(
    caller,
    Array.from({ length: 32 }, () => item()),
  )
  const targets = (await media.presign(places(entries))).flatMap((target) => target ?? [])
  expect(targets).toHaveLength(32)
  const picture = await pngOf(4, 4)
  const lost = targets[20]
  for (const target of targets) if (target !== lost) await media.store(target, bodyOf(picture))
  const refused = await media.finalize(targets)
  expect([...refused]).toEqual([[lost, expect.objectContaining({ code: 'VALIDATION' })]])
  const { body } = await caller.get('/entries?limit=200')
  const without = body.entries.filter((entry: Json) => !entry.has_thumbnail)
  expect(without.map((entry: Json) => entry.id)).toEqual([lost?.entry_id])
  expect(asked('media/finalize')).toBe(11)
})

test('more files than one call takes get their addresses by several; bytes that the store has already count as stored', async () => {
  const { caller, media, asked } = await library()
  const [place] = places(await pushed(caller, [item()]))
  if (!place) throw new Error('nothing was pushed')
  const targets = await media.presign(Array.from({ length: 1004 }, () => place))
  expect(new Set(targets.map((target) => target?.artifact_id)).size).toBe(1004)
  expect(asked('media/presign')).toBe(2)
  const [target] = targets
  if (!target) throw new Error('no address was given')
  await media.store(target, bodyOf(await pngOf(4, 4)))
  await media.store(target, bodyOf(await pngOf(4, 4)))
  expect(await media.finalize([target])).toEqual(new Map())
})
