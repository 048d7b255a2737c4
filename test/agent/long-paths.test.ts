/** Paths that are longer than 260 characters, as deep folders of teams and marketplaces are: brought, watched, explained. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { callAs } from '../support/api.ts'
import { foldersBelow } from '../support/folders-below.ts'
import { projectFor, sendToAgent, startImportingAgent } from '../support/importing-agent.ts'
import { ph, signedIn } from '../support/ph.ts'
import { startTestServer } from '../support/server.ts'
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts'
import { makeProject, packageAt } from '../support/unreal-project.ts'

const server = await startTestServer()

test('a prop at a path of more than 260 characters arrives, an edit of it is seen, and why says what to do, with a command that does it', async () => {
  const { url, keys } = await server.addWorkspace()
  const target = { url, key: keys.mia }
  const folders = Array.from({ length: 9 }, (_, n) => `Chapter_${n}_${'of_a_long_story_'.repeat(2)}`).join('/')
  const file = `Content/${folders}/SM_Deep.uasset`
  expect(file.length).toBeGreaterThan(260)
  const source = await makeProject({ [file]: { payload: Buffer.from('one') } })
  await source.push(target)
  const project = projectFor('Inn')
  const folder = temporaryFolder()
  const watchPace = { newsMs: 100, idleNewsMs: 100, folderMs: 100 }
  const agent = await startImportingAgent(target, { folder, watchPace, notices: false })
  await agent.api.agentProjects.link({ path: project.root, accepts_imports: true })
  const job = await sendToAgent(target, 'Inn', ['SM_Deep'])
  await agent.event('import', ({ state, job_id }) => state === 'done' && job_id === job)
  expect(project.files()[`${folders}/SM_Deep.uasset`]).toEqual(await packageAt(file, { payload: Buffer.from('one') }))

  const env = { ...signedIn(url, keys.mia), ...foldersBelow(folder) }
  const path = join(project.root, file)
  const why = async () => (await ph(['agent', 'why', path, '--json'], { env })).json()
  await expect.poll(why).toMatchObject({ reasons: [{ kind: 'current' }] })
  // The look after the import is over: from here on only what is watched is seen.
  await expect.poll(async () => (await agent.api.agent.status()).projects[0]?.watching.files).toBe(1)
  writeFiles(project.root, { [file]: await packageAt(file, { payload: Buffer.from('two') }) })
  const state = async () =>
    (await agent.api.agentFiles.list({ path: project.root })).files.find((one) => one.path === path)?.state
  await expect.poll(state).toBe('modified')
  await expect.poll(why).toMatchObject({ reasons: [{ kind: 'modified', command: `ph push ${path}` }] })
  expect((await ph(['push', path], { env, cwd: project.root })).code).toBe(0)
  await expect.poll(why).toMatchObject({ reasons: [{ kind: 'current' }] })
  const { body } = await callAs(url, keys.mia).get('/entries?name=SM_Deep')
  expect(body.entries).toHaveLength(1)
})
