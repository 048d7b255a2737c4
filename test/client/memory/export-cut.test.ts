/** Readers of the export hold what comes against its last line: a stream that was cut is never taken for a whole one. */
import { expect, test } from 'vitest'
import { createApi } from '../../../client/http/api.ts'
import { Http } from '../../../client/http/http.ts'
import { findFaces } from '../../../client/memory/find-versions.ts'
import { exits } from '../../../contract/errors.ts'
import { callAs, type Json } from '../../support/api.ts'
import { type Heard, startPeer } from '../../support/peer.ts'
import { ph } from '../../support/ph.ts'
import { item, pushed } from '../../support/push.ts'
import { startTestServer } from '../../support/server.ts'

const server = await startTestServer()
const { url, keys } = await server.addWorkspace()
const items = Array.from({ length: 4 }, () => item())
const made = await pushed(callAs(url, keys.mia), items)
const headers = { authorization: `Bearer ${keys.miaReads}` }
const text = await (await fetch(`${url}/api/v1/catalog/export`, { headers })).text()
const lines = text.split(/(?<=\n)/)
const withoutLast = lines.slice(0, -1).join('')

/** A server that stands behind something that cuts exports, in good order, and lacks what is not promised. */
const through = (exported: string) =>
  startPeer(async (response, { method, url: path }: Heard) => {
    response.setHeader('content-type', 'application/json')
    if (path.endsWith('/catalog/export')) return response.end(exported)
    if (path.endsWith('/lineages/find')) return response.writeHead(404).end('{"error": "There is nothing here."}')
    const answer = await fetch(`${url}${path}`, { method, headers })
    return response.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer()))
  })

async function readBy(exported: string): Promise<Json[]> {
  const http = new Http({ url: (await through(exported)).url })
  const read: Json[] = []
  try {
    for await (const line of createApi(http).changes.export()) read.push(line)
    return read
  } finally {
    await http.close()
  }
}

test('a whole export is read to its last line', async () => {
  expect(lines).toHaveLength(6)
  const read = await readBy(text)
  expect(read.slice(1, -1).map(({ id }) => id)).toEqual(made.map(({ entry_id }) => entry_id))
  expect(read.at(-1)).toEqual({ end: true, entries: 4 })
})

test.each([
  ['in the middle of a line', text.slice(0, Math.floor(text.length / 2)), 1],
  ['between two lines', lines.slice(0, 3).join(''), 2],
  ['after the first line', lines.slice(0, 1).join(''), 0],
  ['exactly before the last line', withoutLast, 4],
  ['in the middle of the last line', text.slice(0, -5), 4],
  ['with lines lost in between', [...lines.slice(0, 2), ...lines.slice(3)].join(''), 3],
])('an export that is cut %s is told apart, with how much of it came', async (_place, exported, came) => {
  await expect(readBy(exported)).rejects.toMatchObject({
    code: 'ANSWER_CUT',
    message: expect.stringContaining(`${came} of about 4 entries came`),
  })
})

test('a total that deletions made wrong is no cut, and one that happens to fit is no proof', async () => {
  const fewer = `${lines[0]?.replace('"total":4', '"total":9')}${lines.slice(1).join('')}`
  expect(await readBy(fewer)).toHaveLength(6)
  const fitting = `${lines[0]?.replace('"total":4', '"total":2')}${lines.slice(1, 3).join('')}`
  await expect(readBy(fitting)).rejects.toMatchObject({ code: 'ANSWER_CUT' })
})

test('an export of an older server, which says nothing of an end, is whole with as many lines as it told', async () => {
  const older = withoutLast.replace(',"ends":true', '')
  expect(await readBy(older)).toHaveLength(5)
  const shorter = older.split(/(?<=\n)/).slice(0, -1)
  await expect(readBy(shorter.join(''))).rejects.toMatchObject({ code: 'ANSWER_CUT' })
})

test('ph api says that an export was cut, and that another attempt may help', async () => {
  const peer = await through(withoutLast)
  const { code, stdout, stderr } = await ph('api GET /catalog/export --json', {
    env: { PH_URL: peer.url, PH_API_KEY: keys.miaReads },
  })
  expect([code, stdout]).toEqual([exits.temporary, ''])
  expect(JSON.parse(stderr).error).toMatchObject({ code: 'ANSWER_CUT', hint: expect.stringContaining('Try again') })
})

test.each([
  ['whole', text, 0],
  ['cut', lines.slice(0, 2).join(''), 1],
])('a look at a project through an export that is %s finds every current version', async (_how, exported, pages) => {
  const peer = await through(exported)
  const http = new Http({ url: peer.url, key: keys.miaReads })
  const wanted = { lineageIds: [], hashes: items.map(({ content_hash }) => content_hash), paths: [] }
  const found = await findFaces(createApi(http), wanted)
  await http.close()
  const ids = found.versions.map(({ object_id }) => object_id).sort((a, b) => a - b)
  expect(ids).toEqual(made.map(({ object_id }) => object_id))
  expect(found.lineages).toHaveLength(4)
  expect(peer.heard.filter(({ url: path }) => path.includes('/entries?'))).toHaveLength(pages)
})
