/**
 * The data folder on a disk that other machines use too. No such disk can be had here: the system's answer of what disk it is comes
 * from the test, and locks do not hold because their file is gone when the second server comes.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fine } from '../../system/finding.ts'
import { callAs } from '../support/api.ts'
import { phProcess } from '../support/ph-process.ts'
import { item, pushed } from '../support/push.ts'
import { type ServerHouse, serverHouse } from '../support/server-house.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const onEmbedded = !process.env.PH_TEST_DATABASE_URL && process.platform === 'linux'
const preload = new URL('../support/disk-type.ts', import.meta.url).href
const on = (type: number) => ({ NODE_OPTIONS: `--import ${preload}`, PH_TEST_DISK_TYPE: String(type) })
const nfs = on(0x6969)
const allowed = { ...nfs, PH_NETWORK_DISK: 'allow' }
const loseLock = (house: ServerHouse) => rmSync(join(house.data, 'database', 'in-use.sqlite'))

async function findings(house: ServerHouse, env: Record<string, string>) {
  const { stdout } = await house.administer(['doctor', '--json'], { env })
  const told = JSON.parse(stdout) as { findings: { check: string; verdict: string; said: string; next?: string }[] }
  return (check: string) => told.findings.filter((one) => one.check === check)
}

test.runIf(onEmbedded).each([
  ['NFS', 0x6969],
  ['SMB', 0xff534d42],
  ['SMB', 0xfe534d42 | 0],
  ['9p', 0x01021997],
  ['FUSE', 0x65735546],
])('the embedded database is not made on %s, and what to do is said', async (name, type) => {
  const data = join(temporaryFolder(), 'data')
  const { code, stderr } = await phProcess(['server', 'start', '--port', '0', '--data', data], { env: on(type) })
  expect([code, stderr]).toEqual([2, expect.stringMatching(`would lie on ${name}.* two servers would destroy it`)])
  for (const way of ['PH_DATA', 'PH_DATABASE_URL', 'PH_NETWORK_DISK=allow']) expect(stderr).toContain(way)
  expect(existsSync(join(data, 'database'))).toBe(false)
})

test.runIf(onEmbedded)('commands that would open such a database are refused too, and the doctor calls it a fault', async () => {
  const house = await serverHouse()
  const { code, stderr } = await house.administer(['user', 'list'], { env: nfs })
  expect([code, stderr]).toEqual([2, expect.stringContaining('would lie on NFS')])
  expect((await findings(house, nfs))('file system')).toMatchObject([
    { verdict: 'problem', said: expect.stringContaining('NFS'), next: expect.stringContaining('PH_DATABASE_URL') },
  ])
})

test.runIf(onEmbedded)('where locks do not hold, a second server finds the first by its note and is refused', async () => {
  const house = await serverHouse()
  const first = await house.start([], allowed)
  loseLock(house)
  // It does not find the first one's control socket either, as on another machine.
  rmSync(join(house.data, 'control'), { recursive: true })
  await expect(house.start([], allowed)).rejects.toThrow(/Another server is using .* \(process \d+ on /)
  expect((await fetch(`${first.url}/readyz`)).status).toBe(200)
  await pushed(callAs(`${first.url}/w/acme`, house.keys.mia), [item()])
  expect((await first.stop()).code).toBe(0)
  expect(existsSync(join(house.data, 'database', 'owner.json'))).toBe(false)
})

test.runIf(onEmbedded)('a server that stood still until another took its folder writes nothing more and ends', async () => {
  const house = await serverHouse()
  const first = await house.start([], allowed)
  const before = item()
  await pushed(callAs(`${first.url}/w/acme`, house.keys.mia), [before])
  first.signal('SIGSTOP')
  loseLock(house)
  rmSync(join(house.data, 'control'), { recursive: true })
  const second = await house.start([], allowed)
  const mia = callAs(`${second.url}/w/acme`, house.keys.mia)
  const after = item()
  await pushed(mia, [after])
  first.signal('SIGCONT')
  const ending = await first.ended
  expect([ending.code, ending.stderr]).toEqual([
    1,
    expect.stringMatching(/was closed at once: another process has taken it \(process \d+ on /),
  ])
  for (const one of [before, after]) expect((await mia.get(`/blobs/${one.content_hash}/url`)).status).toBe(200)
  await pushed(mia, [item()])
  await second.stop()
  const third = await house.start()
  const again = callAs(`${third.url}/w/acme`, house.keys.mia)
  for (const one of [before, after]) expect((await again.get(`/blobs/${one.content_hash}/url`)).status).toBe(200)
})

test.runIf(process.platform === 'linux')(
  'on such a disk uploads under way on another machine are left alone, and the doctor names them, also right after a crash',
  async () => {
    const house = await serverHouse()
    const incoming = join(house.data, 'storage', 'incoming')
    const elsewhere = join(incoming, 'p-anothermachine-x')
    mkdirSync(elsewhere, { recursive: true })
    writeFileSync(join(elsewhere, '1'), 'half')
    const server = await house.start([], allowed)
    const own = readdirSync(incoming).find((name) => name !== 'p-anothermachine-x') ?? ''
    await server.kill()
    const found = await findings(house, allowed)
    expect(found('database')).toMatchObject([{ verdict: fine('database', '').verdict }])
    const next = await house.start([], allowed)
    expect(readdirSync(incoming)).not.toContain(own)
    expect(readdirSync(elsewhere)).toEqual(['1'])
    expect(found('incoming')).toContainEqual(
      expect.objectContaining({ verdict: 'note', said: expect.stringContaining(elsewhere) }),
    )
    expect(found('file system')).toMatchObject([
      { verdict: onEmbedded ? 'warning' : 'note', said: expect.stringContaining('NFS') },
    ])
    await next.stop()
  },
)

test.runIf(process.platform === 'linux')('a disk without journal is doubted by the doctor, and this one is not', async () => {
  const house = await serverHouse()
  expect((await findings(house, on(0x2011bab0)))('file system')).toMatchObject([
    { verdict: 'warning', said: expect.stringContaining('exFAT'), next: expect.stringContaining('Move') },
  ])
  expect((await findings(house, on(0xef53)))('file system')).toMatchObject([
    { verdict: 'ok', said: expect.stringContaining('ext4') },
  ])
})
