/** A search, asked as an assistant asks it, by messages as the official client sends them (revision 2026-07-28), or as a program does. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { Pool } from 'undici'
import { ph } from './ph.ts'

const revision = '2026-07-28'
const _meta = {
  'io.modelcontextprotocol/protocolVersion': revision,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const rows = 20

const searchMessage = (id: number, q: string): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'search', arguments: { q, limit: rows }, _meta },
  })

interface Server {
  url: string
  key: string
}

export interface AssistantLine {
  /** Throws where the answer is none. */
  search(word: string): Promise<void>
  close(): Promise<void>
}

interface Question {
  path: string
  method: 'GET' | 'POST'
  headers: Record<string, string>
  body?: string
}

export function hostedLine({ url, key }: Server, connections: number): AssistantLine {
  const headers = {
    authorization: `Bearer ${key}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'mcp-protocol-version': revision,
    'mcp-method': 'tools/call',
    'mcp-name': 'search',
  }
  return httpLine(url, connections, (word) => ({ path: '/mcp', method: 'POST', headers, body: searchMessage(1, word) }))
}

export function restLine({ url, key }: Server, connections: number): AssistantLine {
  const headers = { authorization: `Bearer ${key}`, 'x-ph-client': 'bench/1' }
  return httpLine(url, connections, (word) => ({ path: `/api/v1/entries?q=${word}&limit=${rows}`, method: 'GET', headers }))
}

function httpLine(url: string, connections: number, questionOf: (word: string) => Question): AssistantLine {
  const pool = new Pool(url, { connections })
  return {
    async search(word) {
      const { statusCode, body } = await pool.request(questionOf(word))
      const text = await body.text()
      if (statusCode !== 200) throw new Error(`answered ${statusCode}: ${text.slice(0, 500)}`)
      requireEntries(text)
    },
    close: () => pool.close(),
  }
}

/** `ph mcp` of a person, of which the first answer has come. */
export async function stdioLine(env: Record<string, string>): Promise<AssistantLine & { pid: number }> {
  const [program = '', ...args] = ph(['mcp']).run
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'inherit'] })
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let id = 0
  const line = {
    pid: child.pid ?? 0,
    async search(word: string) {
      child.stdin.write(`${searchMessage(++id, word)}\n`)
      requireEntries((await answers.next()).value ?? '')
    },
    async close() {
      child.stdin.end()
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
  await line.search('barrel')
  return line
}

function requireEntries(text: string): void {
  if (!text.includes('"entries"') || text.includes('"isError":true')) throw new Error(`no answer: ${text.slice(0, 500)}`)
}
