/**
 * An agent that ends by itself when jobs have ended: `node agent-process.ts '{"jobs": [1], …}'`, options as JSON. It links the projects,
 * answers conflicts as it is told, and says on stdout how its imports and conflicts are: `{"imports": …, "conflicts": …}`.
 */
import { startAgent } from '../../agent/main.ts'
import { findFolders } from '../../client/folders.ts'
import { openPulls } from '../../client/pull/let-go.ts'
import type { AgentConflict } from '../../contract/agent-imports.ts'

export interface AgentProcessOptions {
  state: string
  cache: string
  url: string
  key: string
  roots: readonly string[]
  /** It ends when these have. */
  jobs: readonly number[]
  answer: 'keep_local' | 'take_incoming'
}

const [, , text = '{}'] = process.argv
const { state, cache, url, key, roots, jobs, answer } = JSON.parse(text) as AgentProcessOptions
const folders = findFolders({ PH_STATE_DIR: state, PH_CACHE_DIR: cache })
const pause = async () => {}
const { agent, stop } = await startAgent({
  wire: { url, key, folders, pause },
  version: '0',
  sessionTimes: { withEditorMs: 50, aloneMs: 50 },
  importTimes: { tellMs: 0, firstRetryMs: 50, mostRetryMs: 200 },
})
const since = agent.events.last
for (const path of roots)
  agent.projects.link(
    { path, acceptsImports: true, takesAway: false, autoCheckout: false, engineVersion: null, key: undefined },
    new Date(),
  )
for (const { id, state } of agent.imports.conflicts(undefined)) if (state === 'asked') await agent.imports.answer(id, answer)
const answering = (async () => {
  for await (const { event, data } of agent.events.follow({ since, projectKey: undefined, signal: new AbortController().signal }))
    if (event === 'conflict' && (data as AgentConflict).state === 'asked') await agent.imports.answer(Number(data.id), answer)
})()
answering.catch((error) => {
  throw error
})

/** A run that was killed may have finished a job: the library knows, and nothing is remembered of it here any more. */
async function areEnded(): Promise<boolean> {
  const found = await Promise.all(jobs.map((job_id) => agent.api.pullJobs.get({ job_id })))
  const left = roots.flatMap((root) => openPulls({ folders, url, root }))
  return left.length === 0 && found.every(({ status }) => status === 'done' || status === 'failed')
}
while (!(await areEnded())) await new Promise((resolve) => setTimeout(resolve, 50))
const outcome = { imports: agent.imports.list(), conflicts: agent.imports.conflicts(undefined) }
await stop()
process.stdout.write(JSON.stringify(outcome), () => process.exit())
