/** Starts an MCP server as an assistant would, and asks it for its tools (specification 2025-06-18: lifecycle, stdio). */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { readVersion } from '../../../client/version.ts'
import type { Context } from '../../context.ts'
import type { StartOrder } from './settings-file.ts'

const limitMs = 15_000
/** Of what it says on stderr, the end. */
const mostSaid = 500

interface Answer {
  id?: unknown
  result?: { tools?: unknown[] }
  error?: { message?: unknown }
}

/** How many tools there are, and after what time it had told them. Throws what kept it from doing so. */
export async function tryStart(
  order: StartOrder,
  { env: around, signal }: Pick<Context, 'env' | 'signal'>,
): Promise<{ tools: number; seconds: number }> {
  const { command, args = [], env } = order
  const startedMs = performance.now()
  const child = spawn(command, args, { stdio: 'pipe', env: { ...around, ...env } as NodeJS.ProcessEnv, windowsHide: true })
  const limit = AbortSignal.any([signal, AbortSignal.timeout(limitMs)])
  try {
    const tools = await Promise.race([toolsOf(child), endOf(child, command), aborted(limit)])
    return { tools, seconds: (performance.now() - startedMs) / 1000 }
  } finally {
    child.stdin?.destroy()
    child.kill()
  }
}

async function toolsOf({ stdin, stdout }: ChildProcess): Promise<number> {
  if (!stdin || !stdout) throw new Error('it has no stdin and stdout')
  // Where it ended before it read them, its end is told.
  stdin.on('error', () => {})
  const send = (message: object) => void stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const clientInfo = { name: 'ph mcp doctor', version: readVersion() }
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } })
  for await (const line of createInterface({ input: stdout })) {
    const { id, result, error } = answerIn(line)
    if (error) throw new Error(`It answers: ${String(error.message)}`)
    if (id === 1) {
      send({ method: 'notifications/initialized' })
      send({ id: 2, method: 'tools/list' })
    }
    if (id === 2) return result?.tools?.length ?? 0
  }
  return new Promise(() => {})
}

function answerIn(line: string): Answer {
  try {
    return JSON.parse(line)
  } catch {
    throw new Error(`It writes on stdout what is none of the protocol: ${line.slice(0, 80)}`)
  }
}

function endOf(child: ChildProcess, command: string): Promise<never> {
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-mostSaid)))
  return new Promise((_, reject) => {
    child.once('error', (error) => reject(new Error(`${command} does not start: ${error.message}.`)))
    child.once('close', (code, killed) => reject(new Error(`It ended (${killed ?? code}) and said: ${said.trim() || 'nothing'}`)))
  })
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const end = () => reject(new Error(`It did not tell its tools within ${limitMs / 1000} seconds.`))
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })
