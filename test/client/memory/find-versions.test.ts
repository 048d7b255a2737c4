/** The question which versions are current, of more than one request holds. */
import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { createApi } from '../../../client/http/api.ts'
import { Http } from '../../../client/http/http.ts'
import { findFaces } from '../../../client/memory/find-versions.ts'
import { limits } from '../../../contract/limits.ts'
import { callAs } from '../../support/api.ts'
import { startFront } from '../../support/http-front.ts'
import { item, pushed, sha256 } from '../../support/push.ts'
import { startTestServer } from '../../support/server.ts'

const server = await startTestServer()

test('more lineages, bytes and paths than one question holds are asked about in several, and all of them are found', async () => {
  const { url, keys } = await server.addWorkspace()
  const items = Array.from({ length: 6 }, () => item())
  const ids = (await pushed(callAs(url, keys.mia), items)).map(({ lineage_id }) => lineage_id as string)
  const front = await startFront({ to: () => url })
  const http = new Http({ url: front.url, key: keys.miaReads })
  onTestFinished(() => http.close())
  /** Two that are there, so far apart that no question holds both. */
  const among = <T>(first: T, last: T, none: () => T): T[] => [first, ...Array.from({ length: limits.lineagesFound }, none), last]
  const found = await findFaces(createApi(http), {
    lineageIds: among(ids[0] ?? '', ids[1] ?? '', randomUUID),
    hashes: among(items[2]?.content_hash ?? '', items[3]?.content_hash ?? '', () => sha256(Buffer.from(randomUUID()))),
    paths: among(items[4]?.origin_path, items[5]?.origin_path, () => `/Game/${randomUUID()}`),
  })
  expect(found.lineages.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
  expect(found.versions.map(({ content_hash }) => content_hash)).toEqual(items.slice(2, 4).map((one) => one.content_hash))
  expect(front.asked).toEqual(['POST /lineages/find', 'POST /lineages/find'])
})
