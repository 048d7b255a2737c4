// Two servers on one PostgreSQL: a stream at the one tells what was committed at the other (contract-gaps 9).
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { callAs, type Json } from '../support/api.ts'
import { freshPostgres } from '../support/fresh-postgres.ts'
import { openStream } from '../support/live.ts'
import { isPostgres, postgresOnly } from '../support/postgres-only.ts'
import { item, pushed } from '../support/push.ts'
import { workspaceOf } from '../support/server.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

async function twoServers() {
  const database = await freshPostgres()
  const [data, file] = [temporaryFolder(), join(temporaryFolder(), 'provision.json')]
  const { workspace, keys } = workspaceOf('acme')
  writeFileSync(file, JSON.stringify({ workspaces: [workspace] }))
  const processes: ServerProcess[] = []
  onTestFinished(async () => {
    for (const one of processes) await one.kill()
    await database?.drop()
  })
  for (let at = 0; at < 2; at++)
    processes.push(
      await startServerProcess(['--data', data, '--provision', file], { env: { PH_DATABASE_URL: database?.url ?? '' } }),
    )
  const [here, there] = processes.map(({ url }) => `${url}/w/acme`) as [string, string]
  return { here, there, keys }
}

test.runIf(isPostgres)(
  'what another process commits is told: the head, the states of jobs, and that a key is gone',
  postgresOnly,
  async () => {
    const { here, there, keys } = await twoServers()
    const [mia, max] = [callAs(there, keys.mia), callAs(there, keys.max)]
    const [stream, second] = [openStream(here, keys.mia), openStream(here, keys.max)]
    expect([await stream.head(), await second.head()]).toEqual([0, 0])
    const [made] = await pushed(mia, [item()])
    const head = (await mia.get('/catalog/changes?cursor=0')).body.next_cursor
    expect([await stream.head(), await second.head()]).toEqual([head, head])
    const order = { target_project: 'Tavern', entries: [{ entry_id: made?.entry_id }], delivery: 'agent' }
    const job = (await mia.post('/pull-jobs', order)).body as Json
    expect(await stream.next()).toEqual({ event: 'job', data: { job_id: job.id, status: 'queued' } })
    await max.post(`/pull-jobs/${job.id}/claim`, { project_key: 'Tavern' })
    expect(await stream.next()).toEqual({ event: 'job', data: { job_id: job.id, status: 'claimed' } })
    await max.post('/auth/logout')
    expect(await second.end()).toBe('ended')
    expect(await callAs(here, keys.max).get('/auth/me')).toMatchObject({ status: 401 })
  },
)
