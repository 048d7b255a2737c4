// The overview: what waits for projects, and what to do about it.
import { expect, test } from 'vitest'
import { callAs } from '../support/api.ts'
import { workspaceWithPasswords } from '../support/browser.ts'
import { signedInBrowser } from '../support/page-browser.ts'
import { item, pushed } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()

test('pull jobs that wait show by project, with who sent them, until someone has them; a claim that ran out waits again', async () => {
  const acme = await workspaceWithPasswords(server)
  const [mia, max] = [callAs(acme.url, acme.keys.mia), callAs(acme.url, acme.keys.max)]
  const [{ entry_id } = {}] = await pushed(mia, [item()])
  const browser = await signedInBrowser(server.url, `/w/${acme.slug}`, acme.credentialsOf('olivia'))
  const overview = async () => (await browser.open(`/w/${acme.slug}/`)).text
  expect(await overview()).not.toContain('Waiting')
  const send = async (who: typeof mia, target_project: string, delivery = 'manual') =>
    (await who.post('/pull-jobs', { target_project, delivery, entries: [{ entry_id }] })).body
  const job = await send(mia, 'Tavern')
  await send(max, 'Tavern')
  await send(max, 'Inn <b>$(x)</b>')
  await send(max, 'Harbor', 'agent')
  expect(await overview()).toMatch(/Tavern 2 props 2 jobs, \d+ bytes .* by max, mia ph pull --project Tavern/)
  expect(await overview()).toMatch(/Inn <b>\$\(x\)<\/b> 1 prop 1 job, .* by max ph pull (?!--project)/)
  expect(await overview()).toMatch(/Harbor 1 prop .* the desktop agent/)
  await max.post(`/pull-jobs/${job.id}/claim`, { project_key: 'Tavern' })
  expect(await overview()).toMatch(/Tavern 1 prop 1 job/)
  server.clock.advance(61 * 60_000)
  expect(await overview()).toMatch(/Tavern 2 props 2 jobs/)
  for (let at = 0; at < 4; at++) await send(mia, `Other${at}`)
  expect(await overview()).toContain('ph jobs list --status queued')
})
