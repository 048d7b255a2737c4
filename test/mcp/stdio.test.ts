/** `ph mcp`: the tools on stdin and stdout of a process, asked by the official clients of both protocol revisions. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { expect, onTestFinished, test } from 'vitest'
import { callAs, type Json } from '../support/api.ts'
import { call, commandOf, foldersOfItsOwn, started } from '../support/assistants.ts'
import { callsTo } from '../support/calls.ts'
import { startPeer } from '../support/peer.ts'
import { ph, signedIn } from '../support/ph.ts'
import { item, pushed } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const server = await startTestServer()
const newestRevision = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
test('both clients find a prop, plan a check-out and carry it out', async () => {
  const workspace = await server.addWorkspace()
  const [{ entry_id }] = (await pushed(callAs(workspace.url, workspace.keys.mia), [item({ asset_name: 'SM_Barrel' })])) as [Json]
  const old = new OldClient({ name: 'old', version: '1' })
  await old.connect(new OldTransport(commandOf({ workspace })) as never)
  onTestFinished(() => old.close())
  const found = (await old.callTool({ name: 'search', arguments: { q: 'barrel' } })) as Json
  expect(found.structuredContent.entries).toMatchObject([{ id: entry_id, name: 'SM_Barrel' }])
  const client = await started({ workspace })
  expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28')
  const { structuredContent: planned } = await call(client, 'check_out', { entry_id, note: 'rims' })
  expect(planned.plan).toMatchObject({ prop: 'SM_Barrel', around_it: [] })
  const done = await call(client, 'check_out', { entry_id, note: 'rims', plan_token: planned.plan_token })
  expect(done.structuredContent.result).toMatchObject({ lock: { note: 'rims', holder: { name: 'mia' } } })
  expect((await callsTo(workspace, 'mia').locks.list({})).locks).toHaveLength(1)
  const again = await call(client, 'check_out', { entry_id, note: 'rims', plan_token: planned.plan_token })
  expect([again.isError, again.content[0].text]).toEqual([true, expect.stringMatching(/plan_token was used already/)])
})

test('a read key, and --read-only, see reading tools only; an unknown toolset is wrong usage', async () => {
  const workspace = await server.addWorkspace()
  for (const how of [{ who: 'miaReads' as const }, { args: ['--read-only'] }]) {
    const { tools } = await (await started({ workspace, ...how })).listTools()
    expect(tools.map(({ name }) => name)).toContain('search')
    expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([])
  }
  const wrong = await ph('mcp --toolsets curatoin', { env: signedIn(workspace.url, workspace.keys.mia) })
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringMatching(/no toolset or tool curatoin/)])
})

test('while the server is away the mirror answers, and says so; what it cannot answer is told', async () => {
  const own = await startTestServer()
  const workspace = await own.addWorkspace()
  const [{ entry_id }] = (await pushed(callAs(workspace.url, workspace.keys.mia), [item({ asset_name: 'SM_Barrel' })])) as [Json]
  const folders = foldersOfItsOwn()
  const env = { ...folders, ...signedIn(workspace.url, workspace.keys.mia) }
  expect((await ph('mirror update', { env })).code).toBe(0)
  const client = await started({ workspace, env: folders })
  await client.listTools()
  await own.stop()
  const found = await call(client, 'search', { q: 'barrel' })
  expect(found.structuredContent.entries).toMatchObject([{ id: entry_id }])
  expect(found.content[0].text).toMatch(/^The server is away\. This is what the mirror on this machine knew at 20/)
  expect(found._meta).toMatchObject({ 'prop-house/offline': { as_of: expect.any(String) } })
  expect(await call(client, 'needs', { entry_id })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/^NOT_OFFLINE/) }, {}],
  })
})

test('arguments that are nested deeply or long, calls that are cancelled and tools that do not exist end in an error, and the next call is answered', async () => {
  const workspace = await server.addWorkspace()
  const client = await started({ workspace })
  const nested = JSON.parse(`${'['.repeat(2000)}${']'.repeat(2000)}`)
  for (const q of [nested, 'x'.repeat(1_000_000)])
    expect(await call(client, 'search', { q })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^VALIDATION/) }, {}],
    })
  await expect(call(client, 'no_such_tool')).rejects.toThrow(/no tool "no_such_tool"/)
  const cancelled = new AbortController()
  const asked = client.callTool({ name: 'search', arguments: {} }, { signal: cancelled.signal })
  cancelled.abort()
  await expect(asked).rejects.toThrow()
  expect(await call(client, 'search')).toMatchObject({ structuredContent: { entries: [] } })
})

test('what a client asks that does not read waits, and all of it is answered once it reads', async () => {
  const workspace = await server.addWorkspace()
  const { command, args, env } = commandOf({ workspace })
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'ignore'] })
  onTestFinished(() => void child.kill())
  const asks = 3000
  const ask = (id: number) =>
    `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list', params: { _meta: newestRevision } })}\n`
  child.stdin.write(Array.from({ length: asks }, (_, id) => ask(id)).join(''))
  await once(child.stdout, 'readable')
  const waiting: number[] = []
  const stays = () =>
    waiting.push(child.stdin.writableLength) > 1 && new Set(waiting.slice(-2)).size === 1 && (waiting.at(-1) ?? 0) > 0
  await expect.poll(stays, { timeout: 60_000, interval: 500 }).toBe(true)
  const ids = new Set<number>()
  for await (const line of createInterface({ input: child.stdout })) {
    ids.add(JSON.parse(line).id)
    if (ids.size === asks) child.stdin.end()
  }
  expect(ids.size).toBe(asks)
})

test('a message that is longer than any is taken is answered with the limit and another way, and the tools are there after it', async () => {
  const workspace = await server.addWorkspace()
  const old = new OldClient({ name: 'old', version: '1' })
  await old.connect(new OldTransport(commandOf({ workspace })) as never)
  onTestFinished(() => old.close())
  const client = await started({ workspace })
  const image_base64 = Buffer.alloc(20 * 1024 * 1024, 1).toString('base64')
  const asked = { name: 'search', arguments: { image_base64 } }
  for (const answer of [await client.callTool(asked), (await old.callTool(asked)) as Json])
    expect(answer).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^VALIDATION: This message is longer than 23 MB.* image_file/) }],
    })
  await expect(client.listPrompts({ cursor: image_base64 })).rejects.toThrow(/longer than 23 MB/)
  expect(await call(client, 'search')).toMatchObject({ structuredContent: { entries: [] } })
  expect(await old.callTool({ name: 'search', arguments: {} })).toMatchObject({ structuredContent: { entries: [] } })
})

test('the program ends when its client goes', async () => {
  const workspace = await server.addWorkspace()
  const ended = await ph('mcp', { env: signedIn(workspace.url, workspace.keys.mia), stdin: '' })
  expect([ended.code, ended.stdout]).toEqual([0, ''])
})

const searches = (count: number): string =>
  Array.from({ length: count }, (_, id) => {
    const params = { name: 'search', arguments: { q: 'barrel' }, _meta: newestRevision }
    return `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`
  }).join('')

test('the program ends when its client goes while more calls than are begun at once wait for a server that does not answer', async () => {
  const { keys } = await server.addWorkspace()
  const silent = await startPeer(() => {})
  const { command, args, env } = commandOf({ workspace: { url: silent.url, keys } })
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'ignore'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdin.write(searches(500))
  await expect.poll(() => silent.heard.length).toBeGreaterThan(0)
  child.stdin.end()
  await once(child, 'exit')
  expect([child.exitCode, child.signalCode]).toEqual([0, null])
})

test('the program ends when the older Node that started it is killed, while its client holds both ends open', async () => {
  const { url, keys } = await server.addWorkspace()
  const { command, args, env } = commandOf({ workspace: { url, keys } })
  const older = temporaryFolder({
    'older.cjs': "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } })",
  })
  const held = spawn('cat', { stdio: ['pipe', 'pipe', 'ignore'] })
  onTestFinished(() => void held.kill())
  const starter = spawn(command, ['--require', join(older, 'older.cjs'), ...args], {
    env: { ...process.env, ...env },
    stdio: [held.stdout, 'pipe', 'ignore'],
  })
  const lines = createInterface({ input: starter.stdout })[Symbol.asyncIterator]()
  held.stdin.write(searches(1))
  expect(JSON.parse(String((await lines.next()).value))).toMatchObject({ id: 0, result: {} })
  starter.kill('SIGKILL')
  // The last end of its stdout closes with the program.
  expect(await lines.next()).toMatchObject({ done: true })
})
