/** The tools for an assistant on a person's machine: `ph mcp`, one client on stdin and stdout. Start here. */
import { randomBytes } from 'node:crypto'
import type { Readable, Writable } from 'node:stream'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { assistantServer } from './protocol/assistant-server.ts'
import { Reach, type SignedWire } from './reach.ts'
import { spendPlanHere } from './tools/plan-token.ts'
import { type Selection, selectTools, unknownIn } from './tools/selection.ts'

export { namesIn, toolsets } from './tools/selection.ts'
export { type Selection, unknownIn }

/** Four times what the hosted endpoint takes: pictures travel as base64. */
const longestMessage = 4 * 1024 * 1024

export interface StdioOptions {
  wire: SignedWire
  selection: Selection
  version: string
  stdin: Readable
  stdout: Writable
  now(): Date
  /** Aborted when the program is to end. */
  signal: AbortSignal
  /** Takes lines for who started the client. */
  tell(line: string): void
}

/** Serves until the client closes its end, or the signal says so. */
export async function serveAssistant({
  wire,
  selection,
  version,
  stdin,
  stdout,
  now,
  signal,
  tell,
}: StdioOptions): Promise<void> {
  const reach = new Reach(wire, now)
  const plans = { secret: randomBytes(32).toString('hex'), spend: spendPlanHere(now) }
  const ended = Promise.withResolvers<void>()
  const end = () => ended.resolve()
  for (const event of ['end', 'close', 'error']) stdin.once(event, end)
  signal.addEventListener('abort', end, { once: true })
  const served = serveStdio(
    () =>
      assistantServer({
        version,
        tools: async () => selectTools(selection, await reach.rights()),
        library: () => reach.library(),
        person: wire.url,
        plans,
        now,
      }),
    {
      transport: new StdioServerTransport(stdin, stdout, { maxBufferSize: longestMessage }),
      onerror: (error) => tell(error.message),
    },
  )
  if (signal.aborted) end()
  await ended.promise
  await served.close()
  await reach.close()
}
