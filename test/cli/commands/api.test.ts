/** ph api: any route, with bodies from fields, text, files and standard input, and pages joined. */
import { beforeAll, expect, test } from 'vitest'
import { type Caller, callAs, type Json } from '../../support/api.ts'
import { answer, startPeer } from '../../support/peer.ts'
import { ph, signedIn } from '../../support/ph.ts'
import { item, pushed } from '../../support/push.ts'
import { startTestServer } from '../../support/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

let env: Record<string, string>
let caller: Caller
let names: string[]

beforeAll(async () => {
  const server = await startTestServer()
  const { url, keys } = await server.addWorkspace()
  env = signedIn(url, keys.olivia)
  caller = callAs(url, keys.olivia)
  const items = Array.from({ length: 7 }, () => item())
  await pushed(caller, items)
  names = items.map(({ asset_name }) => asset_name)
})

const api = async (line: string | string[], more: { stdin?: string; cwd?: string } = {}): Promise<Json> => {
  const outcome = await ph(typeof line === 'string' ? `api ${line}` : ['api', ...line], { env, ...more })
  expect(outcome.stderr).toBe('')
  expect(outcome.code).toBe(0)
  return outcome.json()
}

test('a GET takes its query from the path or from fields, with or without /api/v1', async () => {
  const wanted = (await caller.get('/entries?limit=2')).body
  expect(await api('GET /entries?limit=2')).toEqual(wanted)
  expect(await api('get api/v1/entries -f limit=2')).toEqual(wanted)
})

test('--paginate joins all pages of an opaque cursor into one document', async () => {
  const { entries, next_cursor } = await api('GET /entries -f limit=2 --paginate')
  expect(entries.map(({ name }: Json) => name).toSorted()).toEqual(names.toSorted())
  expect(next_cursor).toBeNull()
})

test('--paginate joins all pages of an id cursor', async () => {
  const { events } = await api('GET /activity -f limit=1 --paginate')
  const ids = events.map(({ id }: Json) => id)
  expect(ids.length).toBeGreaterThan(0)
  expect(new Set(ids).size).toBe(ids.length)
})

test('--paginate follows a sequence cursor until nothing new comes', async () => {
  const whole = await api('GET /catalog/changes -f limit=1000')
  const paged = await api('GET /catalog/changes -f limit=3 --paginate')
  expect(paged.changes).toEqual(whole.changes)
  expect(paged.next_cursor).toBe(whole.next_cursor)
})

test('--paginate stops where a feed says that it begins anew, and says so', async () => {
  const { url, heard } = await startPeer(answer(200, { changes: [], next_cursor: 9, reset: true }))
  const outcome = await ph('api GET /catalog/changes -f cursor=1 --paginate', { env: signedIn(url, 'key') })
  expect(outcome.json()).toEqual({ changes: [], next_cursor: 9, reset: true })
  expect(heard).toHaveLength(1)
})

test('a body comes from fields, whose values are JSON where they can be', async () => {
  const record = await api(['POST', '/admin/denylist', '-f', 'kind=package_guid', '-f', 'value="0123"', '-f', 'note=not ours'])
  expect(record).toMatchObject({ kind: 'package_guid', value: '0123', note: 'not ours' })
})

test('a body comes from --data, from a file, or from standard input', async () => {
  const body = (value: string) => JSON.stringify({ kind: 'package_guid', value })
  expect(await api(['POST', '/admin/denylist', '--data', body('A1')])).toMatchObject({ value: 'A1' })
  const cwd = temporaryFolder({ 'body.json': body('A2') })
  expect(await api('POST /admin/denylist --data @body.json', { cwd })).toMatchObject({ value: 'A2' })
  expect(await api('POST /admin/denylist --data -', { stdin: body('A3') })).toMatchObject({ value: 'A3' })
})

test('bytes of a file go up as they are to a route that takes bytes', async () => {
  const { content_hash, bytes } = item()
  const cwd = temporaryFolder({ 'a.bin': bytes })
  expect(await api(`PUT /blobs/${content_hash} --data @a.bin`, { cwd })).toMatchObject({ hash: content_hash, created: true })
})

test('a path alone is GET, or POST where there is a body, which --input takes from a file or standard input', async () => {
  expect(await api('/entries?limit=2')).toEqual((await caller.get('/entries?limit=2')).body)
  expect((await api('/entries -f limit=2 --paginate')).entries).toHaveLength(names.length)
  const body = (value: string) => JSON.stringify({ kind: 'package_guid', value })
  const cwd = temporaryFolder({ 'body.json': body('C1') })
  expect(await api('/admin/denylist --input body.json', { cwd })).toMatchObject({ value: 'C1' })
  expect(await api('/admin/denylist --input -', { stdin: body('C2') })).toMatchObject({ value: 'C2' })
})

test('--raw-field gives a text, whatever it looks like', async () => {
  expect(await api('/admin/denylist -f kind=package_guid -F value=77')).toMatchObject({ value: '77' })
})

test('a redirect is printed as its address', async () => {
  const { entries } = await api('GET /entries -f limit=1')
  const { location } = await api(`GET /entries/${entries[0].id}/download`)
  expect((await fetch(location)).status).toBe(200)
})

test('a stream of lines becomes a list', async () => {
  const lines: { total?: number }[] = await api('GET /catalog/export')
  const entries = lines.length - 2
  expect([lines[0]?.total, lines.at(-1)]).toEqual([entries, { end: true, entries }])
})

test('an answer without content prints nothing', async () => {
  const { id } = await api(['POST', '/admin/denylist', '-f', 'kind=package_guid', '-f', 'value=B1'])
  const outcome = await ph(`api DELETE /admin/denylist/${id}`, { env })
  expect(outcome).toMatchObject({ code: 0, stdout: '' })
})

test('a refusal has the code, details and exit code of the contract', async () => {
  const { code, stderr, stdout } = await ph('api GET /entries/999999 --json', { env })
  expect(code).toBe(1)
  expect(stdout).toBe('')
  expect(JSON.parse(stderr).error).toMatchObject({ code: 'ENTRY_NOT_FOUND', hint: 'Look it up with `ph search`.' })
})

test('wrong usage is told before anything is sent', async () => {
  expect((await ph('api FETCH /entries', { env })).code).toBe(2)
  expect((await ph('api POST /push/negotiate --data {', { env })).code).toBe(2)
  expect((await ph('api GET /entries -f limit', { env })).code).toBe(2)
  expect((await ph('api POST /push/negotiate --paginate', { env })).code).toBe(2)
  expect((await ph('api GET', { env })).code).toBe(2)
  expect((await ph('api GET /entries /packs', { env })).code).toBe(2)
  expect((await ph('api /admin/denylist --data {} --input body.json', { env })).code).toBe(2)
})

test('a path that leads out of the API is refused', async () => {
  const { code, stderr } = await ph('api GET /../../healthz', { env })
  expect(code).not.toBe(0)
  expect(stderr).toContain('next:')
})

test('an answer that goes on is printed event by event, a line each, until the server ends it', async () => {
  const ending = await startTestServer()
  const { url, keys } = await ending.addWorkspace()
  const { library_epoch } = (await callAs(url, keys.mia).get('/auth/me')).body
  const heard = Promise.withResolvers<string>()
  const running = ph('api GET /catalog/changes/live', { env: signedIn(url, keys.mia), onStdout: heard.resolve })
  await heard.promise
  await ending.stop()
  const { code, stdout } = await running
  expect([code, stdout]).toEqual([0, `${JSON.stringify({ event: 'head', data: { seq: 0, library_epoch } })}\n`])
})
