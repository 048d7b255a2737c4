// ph webhooks: registered, tried, watched and replayed by an admin; and a receiver that is written at a desk, as the docs show it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import type { Json } from '../../support/api.ts'
import { innWith, say } from '../../support/discussion.ts'
import { ph, signedIn } from '../../support/ph.ts'
import { startReceiver } from '../../support/receiver.ts'
import { startTestServer } from '../../support/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const server = await startTestServer({ webhookAllowPrivate: true })

test('an admin registers, tests, pauses and deletes a webhook; the secret is shown once', async () => {
  const { at, ok } = await innWith(server)
  const receiver = await startReceiver((path) => (path === '/gone' ? 410 : 200))
  const { stdout, stderr } = await at.adam(`webhooks create ${receiver.url}/in --event comment --event push.commit`)
  expect(stdout).toContain('active, comment.create, comment.resolve, push.commit, as json')
  const [, secret] = /secret: (whsec_\S+)/.exec(stdout) ?? []
  expect(secret).toBeDefined()
  const [, id] = /ph webhooks test (\d+)/.exec(stderr) ?? []
  expect((await at.adam(`webhooks test ${id}`)).stdout).toBe('It arrived, and was answered 200.\n')
  expect(receiver.of('/in')[0]?.json).toMatchObject({ id: 0, type: 'webhook.test' })
  await ok('adam', `webhooks update ${id} --to ${receiver.url}/gone --all-events --pause`)
  const failed = await at.adam(`webhooks test ${id}`)
  expect([failed.code, failed.stdout]).toEqual([1, 'It did not arrive. It answered 410.\n'])
  const { webhooks } = await ok('adam', 'webhooks list')
  expect(webhooks).toMatchObject([{ url: `${receiver.url}/gone`, events: null, active: false }])
  expect(JSON.stringify(webhooks)).not.toContain(secret)
  expect((await at.adam('webhooks list', { columns: 120 })).stdout).toMatch(/paused +0 +0 +nothing yet/)
  expect((await at.adam(`webhooks delete ${id}`)).code, 'a program says --yes').toBe(2)
  expect((await at.adam(`webhooks delete ${id} --yes`)).stdout).toContain('is deleted.')
  expect((await at.adam('webhooks list')).stdout).toBe('There are no webhooks.\n')
})

test('deliveries tell what became of each event, and a replay sends them again', async () => {
  const { at, ok, as, barrel } = await innWith(server)
  const receiver = await startReceiver()
  const secret = 'a secret of our own'
  const made = await ok('adam', `webhooks create ${receiver.url}/in --event comment`, { env: { PH_WEBHOOK_SECRET: secret } })
  expect(made.secret).toBe(secret)
  expect((await at.adam(`webhooks deliveries ${made.id}`)).stdout).toBe('Nothing was sent yet.\n')
  await say(as.max, barrel.entry_id)
  const statuses = async () =>
    (await ok('adam', `webhooks deliveries ${made.id}`)).deliveries.map(({ status, attempt }: Json) => [status, attempt])
  await expect.poll(statuses).toEqual([['delivered', 1]])
  expect((await at.adam(`webhooks replay ${made.id} --since 1h`)).stdout).toBe('1 event is sent again.\n')
  await expect.poll(() => receiver.ids('/in').length).toBe(2)
  expect(new Set(receiver.ids('/in')).size).toBe(1)
})

test('wrong usage is named before anything is asked, and members are told that they may not', async () => {
  const { at } = await innWith(server)
  for (const [line, said] of [
    ['webhooks replay 3', 'The moment to begin at is missing'],
    ['webhooks replay 3 --since yesterday', '--since does not take'],
    ['webhooks update 3', 'No change was named'],
    ['webhooks update 3 --pause --resume', 'exclude each other'],
    ['webhooks test first', 'whole number'],
    ['webhooks create https://8.8.8.8/ --event comment.sing.loud', 'no type of event'],
    ['webhooks listen --chaos dup', '--chaos needs a receiver'],
    ['webhooks listen --forward-to http://127.0.0.1:1/x --chaos earthquake', '--chaos does not take'],
    ['webhooks listen --forward-to localhost:3000', 'Write the whole address'],
  ]) {
    const { code, stderr } = await at.adam(line ?? '')
    expect([code, stderr], line).toEqual([2, expect.stringContaining(said ?? '')])
  }
  expect(await at.adam('webhooks deliveries 987654')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no webhook 987654'),
  })
  expect((await at.mia('webhooks list')).code).toBe(1)
})

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as { port: number }
  probe.close()
  await once(probe, 'close')
  return port
}

/** The receiver of docs/webhooks.md, as it stands there. */
async function documentedReceiver(secret: string): Promise<{ url: string; lines(): string[] }> {
  const root = fileURLToPath(new URL('../../../', import.meta.url))
  const [, source = ''] = /```js\n(.*?)```/s.exec(readFileSync(`${root}docs/webhooks.md`, 'utf8')) ?? []
  const file = `${temporaryFolder()}/receiver.mjs`
  writeFileSync(file, source.replace('@prop-house/client/webhooks', `${root}client/package/webhooks.ts`))
  const port = await freePort()
  const child = spawn(process.execPath, [file], {
    env: { ...process.env, PH_WEBHOOK_SECRET: secret, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill())
  let said = ''
  child.stdout.on('data', (chunk) => (said += chunk))
  const url = `http://127.0.0.1:${port}/hook`
  await expect
    .poll(
      () =>
        fetch(url, { method: 'POST', body: '{}' }).then(
          ({ status }) => status,
          () => 0,
        ),
      { timeout: 20_000 },
    )
    .toBe(401)
  return { url, lines: () => said.trim().split('\n').filter(Boolean) }
}

test('the receiver of the docs takes what is signed, each event once, from the server and from a desk', async () => {
  const { ok, as, barrel, url, keys } = await innWith(server)
  const secret = 'known to both sides'
  const receiver = await documentedReceiver(secret)
  const { id } = await ok('adam', `webhooks create ${receiver.url} --event comment`, { env: { PH_WEBHOOK_SECRET: secret } })
  await say(as.max, barrel.entry_id)
  await expect.poll(() => receiver.lines().length).toBe(1)
  await ok('adam', `webhooks delete ${id} --yes`)

  const desk = new AbortController()
  const env = { ...signedIn(url, keys.miaReads), PH_WEBHOOK_SECRET: secret }
  const listening = ph(
    `webhooks listen --forward-to ${receiver.url} --since 1h --event comment --event push --chaos dup,reorder --json`,
    {
      env,
      signal: desk.signal,
      pause: async (ms, signal) => {
        await new Promise((resolve) => setTimeout(resolve, Math.min(ms, 50)))
        signal?.throwIfAborted()
      },
    },
  )
  for (let n = 0; n < 5; n++) await say(as.max, barrel.entry_id)
  await expect.poll(() => receiver.lines().filter((line) => line.includes('comment')).length, { timeout: 20_000 }).toBe(6)
  await expect.poll(() => receiver.lines().length).toBe(7)
  desk.abort(new Error('Ctrl-C'))
  const { stdout } = await listening
  const heard: Json[] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(heard.every(({ result }) => result === 'delivered')).toBe(true)
  expect(heard.every(({ event, sent_as }) => sent_as.startsWith(`${event.id}.`))).toBe(true)
})
