// Setting up: the first workspace and its owner, with the code that is printed where the server was started (contract-gaps 2).
import { expect, test } from 'vitest'
import { ask, openBrowser } from '../support/browser.ts'
import { type EmptyServer, emptyServer } from '../support/empty-server.ts'
import { workspaceOf } from '../support/server.ts'
import { startServerProcess } from '../support/server-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const owner = { email: 'Nora@Studio.test', name: 'nora', display_name: 'Nora Näslund', password: 'correct horse nora' }
const wanted = (setup_code: string, slug = 'studio') => ({ setup_code, workspace: { slug, name: 'Studio Å' }, owner })

const codeIn = (address = ''): string => new URL(address).searchParams.get('code') ?? ''
const setUp = (url: string, body: unknown) => ask(url, '/setup', { method: 'POST', body })

async function started(server: EmptyServer) {
  const running = await server.start()
  return { running, url: running.url, code: codeIn(running.setupAddress) }
}

test('the printed code makes the first workspace and its owner, who signs in; from then on setting up is done, whatever is sent', async () => {
  const server = await emptyServer()
  const { running, url, code } = await started(server)
  expect(running.setupAddress?.startsWith(`${url}/setup?code=`)).toBe(true)
  const made = await setUp(url, wanted(code))
  expect([made.status, made.headers.get('cache-control')]).toEqual([201, 'no-store'])
  expect(made.body).toMatchObject({
    workspace: { slug: 'studio', name: 'Studio Å' },
    user: { email: 'nora@studio.test', name: 'nora', display_name: 'Nora Näslund', role: 'admin' },
  })
  const nora = await openBrowser(url, { email: 'nora@studio.test', password: owner.password })
  expect((await nora.get('/auth/tokens')).body).toEqual({ tokens: [] })
  const { token } = (await nora.change('POST', '/auth/tokens', { name: 'first', scope: 'write' })).body
  const me = await ask(url, '/auth/me', { headers: { authorization: `Bearer ${token}` } })
  expect(me.body).toMatchObject({ user: made.body.user, org: made.body.workspace, scope: 'write' })
  for (const body of [wanted(code), wanted('another'), {}, '{', '[]']) {
    const again = await setUp(url, body)
    expect([body, again.status, again.body.error.code]).toEqual([body, 409, 'SETUP_ALREADY_DONE'])
  }
})

test('a wrong code, an incomplete form and names that cannot be make nothing, and leave the code good', async () => {
  const { running, url, code } = await started(await emptyServer())
  const right = wanted(code)
  const wrong: [unknown, number][] = [
    [wanted(`${code}x`), 401],
    [wanted(''), 401],
    [{ ...right, setup_code: undefined }, 422],
    [{ ...right, workspace: undefined }, 422],
    [{ ...right, owner: { name: 'nora' } }, 422],
    [{ ...right, owner: { ...owner, email: 'nora' } }, 422],
    [{ ...right, owner: { ...owner, email: 'no\u001bra@studio.test' } }, 422],
    [{ ...right, owner: { ...owner, name: 'no\nra' } }, 422],
    [{ ...right, owner: { ...owner, display_name: '  ' } }, 422],
    [{ ...right, owner: { ...owner, password: 'short' } }, 422],
    [wanted(code, 'Not A Slug'), 422],
  ]
  for (const [body, status] of wrong) expect([body, (await setUp(url, body)).status]).toEqual([body, status])
  expect(await running.database.sql`select 1 from workspaces union all select 1 from accounts`).toEqual([])
  expect((await setUp(url, right)).status).toBe(201)
})

test('of ten set-ups at once with the right code one makes its workspace', async () => {
  const { running, url, code } = await started(await emptyServer())
  const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => setUp(url, wanted(code, `studio-${n}`))))
  const made = answers.filter(({ status }) => status === 201)
  expect(made).toHaveLength(1)
  for (const { status, body } of answers)
    if (status !== 201) expect([status, body.error.code]).toEqual([409, 'SETUP_ALREADY_DONE'])
  expect(await running.database.sql`select slug from workspaces`).toEqual([{ slug: made[0]?.body.workspace.slug }])
  expect(await running.database.sql`select email from accounts`).toHaveLength(1)
})

test('every start has a new code, which makes the one before useless; only a hash of it is kept, and the log knows nothing', async () => {
  const server = await emptyServer()
  const first = await started(server)
  await first.running.stop()
  const second = await started(server)
  expect(second.code).not.toBe(first.code)
  expect((await setUp(second.url, wanted(first.code))).status).toBe(401)
  const kept = await second.running.database.sql<{ value: string }[]>`select value from settings`
  expect(kept.map(({ value }) => value)).not.toContain(second.code)
  expect((await setUp(second.url, wanted(second.code))).status).toBe(201)
  await second.running.stop()
  const third = await server.start()
  expect(third.setupAddress).toBeUndefined()
  expect(JSON.stringify(await third.database.sql`select value from settings`)).not.toContain(second.code)
  for (const secret of [first.code, second.code, owner.password]) expect(server.logLines.join('')).not.toContain(secret)
})

test('a workspace that provisioning made ends setting up, also for a code that was printed before', async () => {
  const server = await emptyServer()
  const first = await started(server)
  await first.running.stop()
  const { setupAddress, url } = await server.start({ workspaces: [workspaceOf('acme').workspace] })
  expect(setupAddress).toBeUndefined()
  const late = await setUp(url, wanted(first.code))
  expect([late.status, late.body.error.code]).toEqual([409, 'SETUP_ALREADY_DONE'])
})

test('`ph server start` in an empty folder prints the setup address on stderr, where it works, and nothing of it on stdout', async () => {
  const server = await startServerProcess(['--data', temporaryFolder()], { env: { PH_DATABASE_URL: '' } })
  try {
    await expect.poll(() => server.said()).toContain('/setup?code=')
    const address = /http:\/\/\S+\/setup\?code=\S+/.exec(server.said())?.[0]
    expect(address?.startsWith(server.url)).toBe(true)
    expect((await setUp(server.url, wanted(codeIn(address)))).status).toBe(201)
  } finally {
    await server.stop()
  }
})
