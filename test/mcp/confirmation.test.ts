/** Plans that the person is asked about by the client: what agreeing, declining and a forged answer do, on both ways in and both revisions. */
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { callAs, type Json } from '../support/api.ts'
import { call, commandOf, waysIn } from '../support/assistants.ts'
import { callsTo } from '../support/calls.ts'
import { item, pushed } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
let workspace: Awaited<ReturnType<typeof server.addWorkspace>>
let entry_id: number

beforeAll(async () => {
  workspace = await server.addWorkspace()
  const [made] = (await pushed(callAs(workspace.url, workspace.keys.mia), [item({ entry: { name: 'SM_Barrel' } })])) as [Json]
  entry_id = made.entry_id
})

const bodies = async (): Promise<string[]> =>
  (await callsTo(workspace, 'mia').comments.list({ entry_id })).comments.map(({ body }) => body ?? '')

const canAsk = { capabilities: { elicitation: { form: {} } } }

test.each(waysIn)('on %s the person is shown the plan; what they agree to is done once, and nothing else', async (name, way) => {
  const client = await way({ workspace, options: canAsk })
  const asked: string[] = []
  let answer: Json = { action: 'accept', content: { carry_out: true } }
  client.setRequestHandler('elicitation/create', ({ params }) => {
    asked.push(params.message)
    return answer
  })
  const said = `Agreed on ${name}`
  const done = await call(client, 'comment', { entry_id, body: said })
  expect(done.structuredContent).toMatchObject({ result: { body: said } })
  expect(asked).toEqual([`Comment on a prop?\nprop: "SM_Barrel"\nsays: "${said}"`])
  for (answer of [{ action: 'decline' }, { action: 'cancel' }, { action: 'accept', content: { carry_out: false } }]) {
    const refused = await call(client, 'comment', { entry_id, body: 'No' })
    expect(refused).toMatchObject({ structuredContent: { declined: true } })
    expect(refused.content.map(({ text }: Json) => text).join()).toContain('did not agree')
  }
  expect((await bodies()).filter((body) => body === said)).toHaveLength(1)
  expect(await bodies()).not.toContain('No')
})

test('an answer with the state of another plan, or of one that was carried out, changes nothing', async () => {
  const ask = async (params: Json): Promise<Json> => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': canAsk.capabilities,
    }
    const response = await fetch(`${workspace.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${workspace.keys.mia}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'comment',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'comment', ...params, _meta } }),
    })
    return response.json()
  }
  const args = { arguments: { entry_id, body: 'Raw' } }
  const { result } = await ask(args)
  expect(result).toMatchObject({ resultType: 'input_required', inputRequests: { confirm: { method: 'elicitation/create' } } })
  const agreed = { inputResponses: { confirm: { action: 'accept', content: {} } }, requestState: result.requestState }
  const forged = await ask({ arguments: { entry_id, body: 'Forged' }, ...agreed })
  expect(forged.result).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/another call/) }, {}] })
  expect((await ask({ ...args, ...agreed })).result).toMatchObject({ structuredContent: { result: { body: 'Raw' } } })
  expect((await ask({ ...args, ...agreed })).result).toMatchObject({ isError: true })
  // Without a state there is nothing that could have been agreed to: the person is asked.
  expect((await ask({ ...args, inputResponses: agreed.inputResponses })).result).toMatchObject({ resultType: 'input_required' })
  expect(await bodies()).not.toContain('Forged')
  expect((await bodies()).filter((body) => body === 'Raw')).toHaveLength(1)
})

test('a client of the older handshake asks on stdio, too', async () => {
  const old = new OldClient({ name: 'old', version: '1' }, { capabilities: { elicitation: {} } })
  old.setRequestHandler(ElicitRequestSchema, async () => ({ action: 'accept' as const, content: { carry_out: true } }))
  await old.connect(new OldTransport(commandOf({ workspace })) as never)
  onTestFinished(() => old.close())
  const done = (await old.callTool({ name: 'comment', arguments: { entry_id, body: 'Old' } })) as Json
  expect(done.structuredContent).toMatchObject({ result: { body: 'Old' } })
  expect(await bodies()).toContain('Old')
})
