// `ph server doctor`: what it finds while the server runs, while it does not, and while it hangs.
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startPeer } from '../../support/peer.ts'
import { ph } from '../../support/ph.ts'
import { type ServerHouse, serverHouse } from '../../support/server-house.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const onEmbedded = !process.env.PH_TEST_DATABASE_URL

interface Told {
  problems: number
  server: { url: string; pid: number } | null
  settings: { name: string; value: string; from: string; wrong?: string }[]
  findings: { check: string; verdict: string; said: string; next?: string }[]
}

async function doctor(house: ServerHouse, env: Record<string, string> = {}): Promise<Told & { code: number }> {
  const { code, json } = await ph(['server', 'doctor', '--json', '--data', house.data], { env: { ...house.env, ...env } })
  return { ...(json() as Told), code }
}

const findingIn = ({ findings }: Told, name: string) => findings.find(({ check }) => check === name)

test('a server that is well is said to be, with what was looked at, and its own settings', async () => {
  const house = await serverHouse()
  const server = await house.start([], { PH_RATE_LIMIT_REQUESTS: '99' })
  const told = await doctor(house)
  expect(told).toMatchObject({ code: 0, problems: 0, server: { url: server.url } })
  const good = told.findings.filter(({ verdict }) => verdict === 'ok').map(({ check }) => check)
  const onPostgres = ['postgresql', 'connections', 'clock']
  expect(good).toEqual(
    expect.arrayContaining([
      'server',
      'database',
      'schema',
      'storage',
      'file clock',
      'incoming',
      'data folder',
      ...(onEmbedded ? [] : onPostgres),
    ]),
  )
  expect(told.settings).toContainEqual({ name: 'PH_RATE_LIMIT_REQUESTS', value: '99', from: 'environment' })
  expect(told.settings).toContainEqual({ name: 'PH_DATA', value: house.data, from: '--data' })
  const { stdout } = await ph(['server', 'doctor', '--data', house.data], { env: house.env })
  expect(stdout).toContain('✓ schema')
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
})

test('while no server runs it looks at what the next start would find, and starts nothing', async () => {
  const house = await serverHouse()
  const told = await doctor(house)
  expect(told).toMatchObject({ code: 0, problems: 0, server: null })
  expect(findingIn(told, 'server')).toMatchObject({ verdict: 'note', next: expect.stringContaining('ph server start') })
  expect(findingIn(told, 'schema')?.verdict).toBe('ok')
  await house.start()
})

test('on a folder that is not there nothing is wrong, and nothing is made', async () => {
  const data = join(temporaryFolder(), 'none')
  const { code, stdout } = await ph(['server', 'doctor', '--data', data])
  expect(code).toBe(0)
  expect(stdout).toContain(`${data} is not there yet`)
  expect(() => rmSync(data)).toThrow('ENOENT')
})

test('a database that cannot be reached is bad, and ends with exit code 1 without its password being told', async () => {
  const env = { PH_DATABASE_URL: 'postgres://ph:geheim@127.0.0.1:1/ph?sslpassword=auch' }
  const { code, stdout } = await ph(['server', 'doctor', '--data', temporaryFolder()], { env })
  expect(code).toBe(1)
  expect(stdout).toMatch(/✗ database .*PostgreSQL at PH_DATABASE_URL/)
  expect(stdout).toContain('postgres://ph:***@127.0.0.1:1/ph')
  expect(stdout).not.toMatch(/geheim|auch/)
})

test('a setting that cannot be used is bad, and named with its value and its origin', async () => {
  const env = { PH_DIRECT_UPLOAD: 'perhaps', PH_RATE_LIMIT_PUSH: 'many' }
  const { code, stdout } = await ph(['server', 'doctor', '--data', temporaryFolder()], { env })
  expect(code).toBe(1)
  expect(stdout).toMatch(/✗ PH_DIRECT_UPLOAD .*"perhaps"/)
  expect(stdout).toMatch(/✗ PH_RATE_LIMIT_PUSH .*"many"/)
})

test('folders and files that others may read are doubted, with the command that closes them', async () => {
  const house = await serverHouse()
  const file = join(temporaryFolder({ 'team.json': '{"workspaces": []}' }), 'team.json')
  chmodSync(house.data, 0o755)
  chmodSync(file, 0o644)
  const told = await doctor(house, { PH_PROVISION: file })
  expect(findingIn(told, 'data folder')).toMatchObject({ verdict: 'warning', next: `chmod 700 ${house.data}` })
  expect(findingIn(told, 'provisioning')).toMatchObject({ verdict: 'warning', next: `chmod 600 ${file}` })
})

test('uploads that a killed server left are counted', async () => {
  const house = await serverHouse()
  const left = join(house.data, 'storage', 'incoming', 'p-left')
  mkdirSync(left, { recursive: true })
  writeFileSync(join(left, '1'), Buffer.alloc(3_000_000))
  expect(findingIn(await doctor(house), 'incoming')).toMatchObject({
    verdict: 'note',
    said: expect.stringContaining('1 file, 3 MiB'),
  })
})

test('a public address is asked: the right one is good, a wrong one and one without encryption are doubted', async () => {
  const house = await serverHouse()
  const other = await startPeer((response) => response.end('hello'))
  const server = await house.start([], { PH_PUBLIC_URL: other.url })
  expect(findingIn(await doctor(house), 'public address')).toMatchObject({
    verdict: 'warning',
    said: expect.stringContaining('not this server'),
  })
  await server.stop()
  await house.start([], { PH_PUBLIC_URL: 'http://props.invalid' })
  const { findings, code } = await doctor(house)
  const sayings = findings.filter(({ check }) => check === 'public address').map(({ said }) => said)
  expect(sayings).toEqual([expect.stringContaining('not encrypted'), expect.stringContaining('could not be reached')])
  expect(code).toBe(0)
})

test.runIf(onEmbedded && process.platform !== 'win32')('a server that hangs is found out, and its process named', async () => {
  const house = await serverHouse()
  await house.start()
  const { server } = await doctor(house)
  process.kill(Number(server?.pid), 'SIGSTOP')
  const told = await doctor(house)
  process.kill(Number(server?.pid), 'SIGCONT')
  expect(told).toMatchObject({ code: 1, problems: 1 })
  expect(findingIn(told, 'server')).toMatchObject({ verdict: 'problem', said: expect.stringContaining(`process ${server?.pid}`) })
})
