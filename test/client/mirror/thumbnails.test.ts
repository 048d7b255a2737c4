// Thumbnails beside a mirror: fetched once, there without the server, and never more bytes than are let.
import { readdirSync, readFileSync, utimesSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { createApi } from '../../../client/http/api.ts'
import { Http } from '../../../client/http/http.ts'
import { followOnce } from '../../../client/mirror/follow.ts'
import { loadMirror } from '../../../client/mirror/load/load.ts'
import { Thumbnails } from '../../../client/mirror/thumbnails.ts'
import { type Caller, callAs, type Json } from '../../support/api.ts'
import { noisyPng } from '../../support/media.ts'
import { mirrorOf, newFolders } from '../../support/mirror.ts'
import { item, pushed } from '../../support/push.ts'
import { startTestServer } from '../../support/server.ts'

const server = await startTestServer()

async function setThumbnail(caller: Caller, url: string, { entry_id, object_id }: Json): Promise<Buffer> {
  const png = await noisyPng(64, 64)
  const media = { entry_id, object_id, kind: 'thumbnail' }
  const [{ upload_url, headers, artifact_id }] = (await caller.post('/entries/media/presign', { items: [media] })).body.targets
  const uploaded = await fetch(new URL(upload_url, url), { method: 'PUT', headers, body: new Uint8Array(png) })
  expect(uploaded.ok).toBe(true)
  await caller.post('/entries/media/finalize', { items: [{ ...media, artifact_id }] })
  return png
}

test('a picture is fetched once, is there offline, gives way to a newer one, and the oldest goes when there are too many bytes', async () => {
  const { url, keys } = await server.addWorkspace()
  const caller = callAs(url, keys.adam)
  const entries = await pushed(caller, [item(), item(), item()])
  const [one, two, bare] = entries
  await setThumbnail(caller, url, one)
  await setThumbnail(caller, url, two)
  const http = new Http({ url, key: keys.mia })
  const source = { api: createApi(http), http }
  const folders = newFolders()
  const mirror = mirrorOf(url, folders)
  await loadMirror(mirror, source.api)
  const thumbnails = new Thumbnails(mirror, folders)

  await expect(thumbnails.of(one.entry_id)).rejects.toThrow(/was not looked at before/)
  const file = (await thumbnails.of(one.entry_id, { source })) ?? ''
  expect(readFileSync(file).length).toBeGreaterThan(100)
  expect(await thumbnails.of(one.entry_id)).toBe(file)
  expect(await thumbnails.of(bare.entry_id, { source })).toBeUndefined()
  await expect(thumbnails.of(999_999, { source })).rejects.toThrow(/no entry/)

  await caller.patch(`/entries/${one.entry_id}`, { category: 'Fresh' })
  await followOnce(mirror, source.api)
  expect(await thumbnails.of(one.entry_id)).toBe(file)
  const newer = (await thumbnails.of(one.entry_id, { source })) ?? ''
  expect(newer).not.toBe(file)
  expect(readdirSync(dirname(newer))).toHaveLength(1)

  utimesSync(newer, 1, 1)
  const other = (await thumbnails.of(two.entry_id, { source, mostBytes: readFileSync(newer).length + 10 })) ?? ''
  expect(readdirSync(dirname(newer))).toEqual([other.slice(dirname(other).length + 1)])
  await http.close()
})
