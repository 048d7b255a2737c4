/** What the agent keeps in memory for others is bounded, however much they say. */
import { expect, test } from 'vitest'
import { Editors } from '../../agent/projects/editors.ts'
import { EventLog } from '../../agent/running/event-log.ts'
import { limits } from '../../contract/limits.ts'

test('of an editor that says what it opens and never what it closes, the newest packages are remembered', () => {
  const editors = new Editors()
  const said = { session_id: 'editor-0001', project_key: 'Inn', root: '/Inn', engine_version: null, plugin_version: null }
  editors.announce({ ...said, accepts_imports: true, default_root: null, open: undefined }, new Date(0))
  const most = limits.agent.openPackages
  for (let index = 0; index <= most; index++) editors.opened('editor-0001', `/Game/P${index}`)
  const { open = [] } = editors.get('editor-0001') ?? {}
  expect([open.length, open.at(0), open.at(-1)]).toEqual([most, '/Game/P1', `/Game/P${most}`])
})

test('events of imports of thousands of files drive older ones out, and who missed them is told', async () => {
  const events = new EventLog(1)
  const since = events.last
  const files = Array.from({ length: 30_000 }, (_, index) => `Content/P${index}.uasset`)
  for (let job = 1; job <= 10; job++) events.tell('imported', { job_id: job, files })
  const told: unknown[] = []
  for await (const { event, data } of events.follow({ since, projectKey: undefined, signal: new AbortController().signal })) {
    told.push(event === 'gap' ? 'gap' : data.job_id)
    if (data.job_id === 10) break
    if (event === 'gap') events.tell('imported', { job_id: 10, files: [] })
  }
  expect(told).toEqual(['gap', 10])
  const kept: unknown[] = []
  for await (const { data } of events.follow({
    since: events.last - 3,
    projectKey: undefined,
    signal: new AbortController().signal,
  })) {
    kept.push(data.job_id)
    if (kept.length === 3) break
  }
  expect(kept).toEqual([9, 10, 10])
})
