// The bundle for assistants on a desktop: built, checked by the official tool, unpacked, and started as its manifest says, on nothing but Node.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { getMcpConfigForManifest, type McpbManifestAny, unpackExtension, validateManifest } from '@anthropic-ai/mcpb'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, onTestFinished, test } from 'vitest'
import { root } from '../house/project.ts'
import { afterFile } from '../support/after-file.ts'
import { callAs, type Json } from '../support/api.ts'
import { item, pushed } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { makeProject } from '../support/unreal-project.ts'

const server = await startTestServer()
const workspace = await server.addWorkspace()
const { url, keys } = workspace

const place = mkdtempSync(join(tmpdir(), 'ph-test-'))
afterFile(() => rmSync(place, { recursive: true, force: true }))
const [file, bundle] = [join(place, 'prop-house.mcpb'), join(place, 'unpacked')]
execFileSync(process.execPath, [join(root, 'bin/mcp-bundle.mjs'), file], { stdio: 'pipe' })
await unpackExtension({ mcpbPath: file, outputDir: bundle, silent: true })
const manifest = JSON.parse(readFileSync(join(bundle, 'manifest.json'), 'utf8')) as McpbManifestAny
const shown = (manifest.tools ?? []).map(({ name }) => name)
const namesOf = ({ tools }: Json): string[] => tools.map(({ name }: Json) => name)

type Chosen = Record<string, string | boolean | string[]>

/** What an assistant starts that installed it, with what a person filled in; undefined where something is missing that it needs. */
const orderFor = (userConfig: Chosen) =>
  getMcpConfigForManifest({ manifest, extensionPath: bundle, systemDirs: {}, userConfig, pathSeparator: '/' })

async function start(userConfig: Chosen): Promise<Client> {
  const config = await orderFor(userConfig)
  if (!config) throw new Error('something is missing')
  const env = { ...config.env, PATH: dirname(process.execPath), HOME: temporaryFolder() }
  const client = new Client({ name: 'desktop', version: '1' })
  await client.connect(new StdioClientTransport({ ...config, env, cwd: temporaryFolder(), stderr: 'inherit' }))
  onTestFinished(() => client.close())
  return client
}

test('the official tool finds nothing wrong with its manifest, and it holds no server and no Node', () => {
  expect(validateManifest(join(bundle, 'manifest.json'))).toBe(true)
  expect(shown).toContain('search')
  expect(readdirSync(join(bundle, 'dist'))).not.toContain('server')
  expect(readdirSync(join(bundle, 'dist/client/project'))).toContain('read-worker.js')
  expect(readdirSync(join(bundle, 'node_modules')).filter((name) => /^(fastify|react|node-(linux|win)-)/.test(name))).toEqual([])
})

test('started by its manifest with address and key it finds props, and offers no tools on files', async () => {
  const [{ entry_id }] = (await pushed(callAs(url, keys.mia), [item({ asset_name: 'SM_Barrel' })])) as [Json]
  const client = await start({ address: url, key: keys.mia })
  const tools = await client.listTools()
  expect(namesOf(tools).toSorted()).toEqual(shown.toSorted())
  const found = (await client.callTool({ name: 'search', arguments: { q: 'barrel' } })) as Json
  expect(found.structuredContent.entries).toMatchObject([{ id: entry_id, name: 'SM_Barrel' }])
})

test('a person chooses projects, in whose files it works, and that it only looks', async () => {
  const barrel = await makeProject({ 'Content/SM_Barrel.uasset': {} })
  const empty = await makeProject()
  const working = await start({ address: url, key: keys.mia, projects: [barrel.root, empty.root] })
  const tools = await working.listTools()
  expect(namesOf(tools)).toEqual(expect.arrayContaining(['pull_files', 'push_files']))
  const planned = (await working.callTool({ name: 'push_files', arguments: { project: barrel.root } })) as Json
  expect(planned.structuredContent).toMatchObject({ plan_token: expect.any(String), plan: expect.any(Object) })
  const looking = await start({ address: url, key: keys.mia, projects: [barrel.root], read_only: true })
  const seen = (await looking.listTools()) as Json
  expect(seen.tools.filter(({ annotations }: Json) => !annotations.readOnlyHint)).toEqual([])
})

test('without an address or a key it is not started', async () => {
  expect(await orderFor({ key: keys.mia })).toBeUndefined()
  expect(await orderFor({ address: url })).toBeUndefined()
})
