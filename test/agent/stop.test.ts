/** The end of an agent: whatever it does at that moment, it ends by itself, with all that belongs to its end. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { AgentProcessOptions } from '../support/agent-process.ts'
import { projectFor } from '../support/importing-agent.ts'
import { startTestServer } from '../support/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const server = await startTestServer()
const program = fileURLToPath(new URL('../support/agent-process.ts', import.meta.url))

test('an agent that is stopped while it looks at a project for the first time ends well', async () => {
  const { url, keys } = await server.addWorkspace()
  const folder = temporaryFolder()
  const places = { state: join(folder, 'state'), cache: join(folder, 'cache') }
  const roots = [projectFor('Town').root]
  const options: AgentProcessOptions = { ...places, url, key: keys.mia, roots, jobs: [], answer: 'keep_local' }
  const child = spawn(process.execPath, [program, JSON.stringify(options)], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (chunk) => (said += chunk))
  expect([await once(child, 'close'), said]).toEqual([[0, null], ''])
})
