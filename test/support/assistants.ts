/** Assistants as the official clients of both protocol revisions: on stdin and stdout of `ph mcp`, and on the hosted endpoint. */
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { onTestFinished } from 'vitest'
import type { Json } from './api.ts'
import { signedIn } from './ph.ts'
import { program } from './ph-process.ts'
import { temporaryFolder } from './temporary-folder.ts'

interface Room {
  url: string
  keys: Record<string, string>
}

export interface Started {
  workspace: Room
  who?: string
  args?: readonly string[]
  env?: Record<string, string>
  cwd?: string
  options?: ClientOptions
}

/** Folders of a person that nobody else uses. */
export const foldersOfItsOwn = () => ({
  PH_CONFIG_DIR: temporaryFolder(),
  PH_STATE_DIR: temporaryFolder(),
  PH_CACHE_DIR: temporaryFolder(),
})

/** How a client starts `ph mcp`, in folders of its own. */
export const commandOf = ({ workspace, who = 'mia', args = [], env = {}, cwd }: Started) => ({
  command: process.execPath,
  args: [program, 'mcp', ...args],
  env: { ...foldersOfItsOwn(), ...signedIn(workspace.url, workspace.keys[who] ?? ''), ...env },
  stderr: 'ignore' as const,
  ...(cwd === undefined ? {} : { cwd }),
})

const newest = (options: ClientOptions = {}) =>
  new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' }, ...options })

export async function started(how: Started): Promise<Client> {
  const client = newest(how.options)
  await client.connect(new StdioClientTransport(commandOf(how)))
  onTestFinished(() => client.close())
  return client
}

export interface Connected {
  workspace: Room
  who?: string
  headers?: Record<string, string>
  options?: ClientOptions
}

export async function connected({ workspace, who = 'mia', headers = {}, options }: Connected): Promise<Client> {
  const client = newest(options)
  const sent = { authorization: `Bearer ${workspace.keys[who]}`, ...headers }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${workspace.url}/mcp`), { requestInit: { headers: sent } }))
  onTestFinished(() => client.close())
  return client
}

/** Both ways in, with a client of the newest revision. */
export const waysIn = [
  ['ph mcp', started],
  ['the hosted endpoint', connected],
] as const

export const call = async (client: Client, name: string, args: Record<string, unknown> = {}): Promise<Json> =>
  client.callTool({ name, arguments: args })
