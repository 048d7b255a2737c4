/** ph checkin, release and locks, and what push and status say of check-outs, as two people type them, against a real library. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Json } from '../../support/api.ts'
import { editBarrel, inn } from '../../support/inn.ts'
import { startTestServer } from '../../support/server.ts'

const server = await startTestServer()

test('checkin pushes with the note and gives back in one step; what was not changed is given back without a version', async () => {
  const { mia, active, versions } = await inn(server)
  await mia.ok('checkout SM_Barrel SM_Stool')
  await mia.save('SM_Stool', 'mine')
  const { code, stdout } = await mia.run(['checkin', 'Content/Inn/SM_Stool.uasset', 'SM_Barrel', '--note', 'Straight legs'])
  expect(stdout).toContain('  + SM_Stool  StaticMesh, new version')
  expect(stdout).toContain('Released 2 props.')
  expect(code).toBe(0)
  expect(await active()).toEqual([])
  expect(await versions('SM_Stool')).toMatchObject([{ push_note: 'Straight legs' }, {}])
  expect(await versions('SM_Barrel')).toHaveLength(1)
})

test('with --keep it stays checked out, from the version that was just pushed', async () => {
  const { mia, active, versions } = await inn(server)
  await mia.ok('checkout SM_Stool')
  await mia.save('SM_Stool', 'mine')
  const { still_checked_out, released } = await mia.ok('checkin SM_Stool --keep')
  expect([released, still_checked_out]).toMatchObject([[], [{ name: 'SM_Stool', because: 'kept' }]])
  const [version] = await versions('SM_Stool')
  expect(await active()).toMatchObject([{ base_object_id: version?.object_id }])
})

test('what did not register stays checked out and is named with the reason; the rest is given back', async () => {
  const { mia, olivia, active } = await inn(server)
  await olivia.ok('checkout M_Oak')
  await mia.ok('checkout SM_Barrel SM_Stool')
  await mia.save('M_Oak', 'mine')
  await editBarrel(mia, 'mine')
  await mia.save('SM_Stool', 'mine')
  const { code, stdout } = await mia.run('checkin Content/Inn/SM_Barrel.uasset Content/Inn/SM_Stool.uasset')
  expect(code).toBe(6)
  expect(stdout).toContain('Released 1 prop.')
  expect(stdout).toMatch(
    /still checked out by you:\n {2}Content\/Inn\/SM_Barrel\.uasset {2}it needs something that someone else has checked out/,
  )
  expect(stdout).toMatch(/Content\/Inn\/M_Oak\.uasset.*\n {8}olivia, just now, until /)
  expect((await active()).map(({ holder }) => holder.name).sort()).toEqual(['mia', 'olivia'])
  const [, release = ''] = /→ To give it back as it is: `ph (release Content\/Inn\/SM_Barrel\.uasset)`/.exec(stdout) ?? []
  expect((await mia.run(release)).stdout).toContain('Released 1 prop:\n  SM_Barrel')
})

test('a file that was changed on an older version does not register, and stays checked out', async () => {
  const { mia, olivia, active } = await inn(server)
  await olivia.save('SM_Stool', 'second')
  await olivia.ok('push')
  await mia.save('SM_Stool', 'mine')
  await mia.run('checkout SM_Stool')
  const { code, stdout } = await mia.run('checkin SM_Stool')
  expect([code, stdout]).toEqual([6, expect.stringContaining('another version became current meanwhile')])
  expect(await active()).toHaveLength(1)
  await mia.ok('pull Content/Inn/SM_Stool.uasset --mine')
  const [, again = ''] = /→ Once that is settled: `ph (checkin Content\/Inn\/SM_Stool\.uasset)`/.exec(stdout) ?? []
  expect((await mia.run(again)).stdout).toContain('Released 1 prop.')
  expect(await active()).toHaveLength(0)
})

test('a file that was changed on an older version is given back with a word on it', async () => {
  const { mia, olivia } = await inn(server)
  await olivia.save('SM_Stool', 'second')
  await olivia.ok('push')
  await mia.save('SM_Stool', 'mine')
  await mia.run('checkout SM_Stool')
  const given = (await mia.run('release SM_Stool')).stdout
  expect(given).toMatch(
    /Diverged, modified here and outdated:\n {2}Content\/Inn\/SM_Stool\.uasset\n {4}→ Until you choose one of these, a push does not send them:/,
  )
  expect(given).not.toContain('Modified here and not pushed')
})

test('a checkin of a prop that has no file here is refused, with the release that needs none', async () => {
  const { olivia, mia } = await inn(server)
  await olivia.save('SM_Lamp')
  await olivia.ok('push')
  const { code, stderr } = await mia.run('checkin SM_Lamp')
  expect(code).toBe(1)
  expect(stderr).toContain('There is no file of SM_Lamp in the project here. Nothing was pushed.')
  expect(stderr).toContain('ph release')
})

test('release gives back without a version, and names what was changed and not pushed', async () => {
  const { mia, active } = await inn(server)
  await mia.ok('checkout SM_Barrel SM_Stool')
  await mia.save('SM_Stool', 'mine')
  const { code, stdout } = await mia.run('release Content/Inn/SM_Stool.uasset M_Oak')
  expect(code).toBe(0)
  expect(stdout).toMatch(/^Released 1 prop:\n {2}SM_Stool/)
  expect(stdout).toContain('M_Oak is not checked out.')
  expect(stdout).toMatch(/Modified here and not pushed:\n {2}Content\/Inn\/SM_Stool\.uasset/)
  expect(await active()).toHaveLength(1)
  expect((await mia.run('release --mine --dry-run')).stdout).toMatch(
    /^Would release 1 prop:\n {2}SM_Barrel[\s\S]*Nothing was changed\.\n$/,
  )
  expect(await active()).toHaveLength(1)
  expect(await mia.ok('release --mine')).toMatchObject({ released: 1 })
  expect(await active()).toEqual([])
})

test("another person's check-out is released by admins only, after a question", async () => {
  const { mia, olivia, active } = await inn(server)
  await olivia.ok('checkout SM_Stool')
  const member = await mia.run('release SM_Stool')
  expect([member.code, member.stderr]).toEqual([
    1,
    expect.stringContaining('Checked out by someone else: SM_Stool (olivia, just now'),
  ])
  expect((await olivia.run('release SM_Stool')).stdout).toBe('Released 1 prop:\n  SM_Stool\n')
  await mia.ok('checkout SM_Stool')
  const unasked = await olivia.run('release SM_Stool')
  expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining('Add --yes')])
  const declined = await olivia.run('release SM_Stool', { columns: 80, typed: ['\n'] })
  expect([declined.code, declined.stderr]).toEqual([1, expect.stringContaining('Release it all the same? [y/N]')])
  expect(await active()).toHaveLength(1)
  expect((await olivia.run('release SM_Stool --yes')).stdout).toContain('SM_Stool  mia had it')
  expect(await active()).toEqual([])
})

test('locks lists what is checked out, what ends soonest first, with the time left, the note and whether the base is current', async () => {
  const { mia, olivia, api, versions } = await inn(server)
  await olivia.save('SM_Stool', 'second')
  await olivia.ok('push')
  await mia.run('checkout SM_Barrel --ttl 3d')
  await mia.run(['checkout', 'SM_Stool', '--ttl', '5h', '--note', 'New\u001b[31m legs'])
  await olivia.ok('checkout M_Oak --ttl 2d')
  const [entry] = (await api.get('/entries?name=SM_Stool')).body.entries
  const first = (await versions('SM_Stool')).at(-1)
  await api.post(`/entries/${entry.id}/restore`, { object_id: first.object_id })
  const { stdout } = await mia.run('locks')
  const rows = stdout.split('\n').slice(0, -1)
  const cells = rows.map((row) => row.split('\t').slice(1))
  expect(cells).toEqual([
    ['SM_Stool', 'mia', '5 h', 'outdated', 'just now', 'New\ufffd[31m legs'],
    ['M_Oak', 'olivia', '2 d', 'current', 'just now', ''],
    ['SM_Barrel', 'mia', '3 d', 'current', 'just now', ''],
  ])
  const mine = await mia.ok('locks --mine')
  expect(mine.locks.map(({ name }: Json) => name)).toEqual(['SM_Stool', 'SM_Barrel'])
  const table = (await mia.run('locks', { columns: 80 })).stdout
  expect(table).toMatch(/ID +NAME +WHO +LEFT +BASE +SINCE +NOTE\n/)
  for (const line of table.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
})

test('locks --project lists only what the project here has', async () => {
  const { mia, olivia } = await inn(server)
  await olivia.save('SM_Lamp')
  await olivia.ok('push')
  await olivia.ok('checkout SM_Lamp SM_Stool')
  const { locks } = await mia.ok('locks --project')
  expect(locks.map(({ name }: Json) => name)).toEqual(['SM_Stool'])
  const outside = await mia.run('locks --project', { cwd: '/' })
  expect([outside.code, outside.stderr]).toEqual([2, expect.stringContaining('leave --project out')])
  await olivia.ok('release --mine')
  expect((await mia.run('locks --project')).stdout).toBe('Nothing of this project is checked out.\n')
})

test('status names every file that someone else has checked out, with who, until when and why, and advises no push of it', async () => {
  const { mia, olivia } = await inn(server)
  await mia.run(['checkout', 'SM_Stool', '--note', 'New legs'])
  await olivia.ok('checkout SM_Barrel')
  await olivia.save('SM_Stool', 'mine')
  const { code, stdout } = await olivia.run('status')
  expect(code).toBe(0)
  expect(stdout).toMatch(/Modified here:\n {2}M Content\/Inn\/SM_Stool\.uasset {2}checked out by someone else, as below\n\n/)
  expect(stdout).toMatch(
    /Checked out by someone else:\n {2}Content\/Inn\/SM_Stool\.uasset {2}mia, just now, until .*, 3 d left: New legs\n {4}→ Before you edit/,
  )
  expect(stdout).toMatch(/Checked out by you:\n {2}Content\/Inn\/SM_Barrel\.uasset {2}until .*, 3 d left\n/)
  const { locks } = await olivia.ok('status')
  expect(locks.map(({ file, mine }: Json) => [file, mine])).toEqual([
    ['Content/Inn/SM_Barrel.uasset', true],
    ['Content/Inn/SM_Stool.uasset', false],
  ])
})

test('push says of every locked file who has it, until when, why and what to do, and of what needs it that it waits', async () => {
  const { mia, olivia } = await inn(server)
  await mia.run(['checkout', 'M_Oak', '--note', 'Lighter'])
  await olivia.save('M_Oak', 'mine')
  await editBarrel(olivia, 'mine')
  const before = readFileSync(olivia.path('M_Oak'))
  for (const line of ['push --dry-run', 'push']) {
    const { code, stdout } = await olivia.run(line)
    expect(code).toBe(6)
    expect(stdout).toContain('Ask them to check in or to release, then push again.')
    expect(stdout).toMatch(/Content\/Inn\/M_Oak\.uasset\n {8}mia, just now, until .*, 3 d left: Lighter\n/)
    expect(stdout).toMatch(/Content\/Inn\/SM_Barrel\.uasset.*\n {8}needs M_Oak, checked out by someone else\n/)
    expect(stdout).toContain('2 locked')
  }
  expect(readFileSync(olivia.path('M_Oak'))).toEqual(before)
  const { items } = (await olivia.run('push --json')).json() as Json
  expect(items.find(({ name }: Json) => name === 'M_Oak')).toMatchObject({ status: 'locked', lock: { holder: { name: 'mia' } } })
})

test('previews of what was pushed are made last, when it is given back; --no-previews leaves them to the next push', async () => {
  const { mia, active, api } = await inn(server)
  const env = { PH_PREVIEWS: 'on' }
  const statuses = async (): Promise<Json> => {
    const { entries } = (await api.get('/entries')).body
    return Object.fromEntries(entries.map((entry: Json) => [entry.name, entry.preview_status]))
  }
  await mia.ok('checkout SM_Stool SM_Barrel')
  await mia.save('SM_Stool', 'mine')
  const left = await mia.ok('checkin SM_Stool --no-previews', { env })
  expect(left).toMatchObject({ push: { summary: { new: 1 }, previews_due: true }, released: [{ name: 'SM_Stool' }] })
  expect(left.push).not.toHaveProperty('previews')
  expect(await statuses()).toMatchObject({ SM_Stool: 'none' })
  await editBarrel(mia, 'mine')
  // These packages have nothing to show, which the library is told of both: the one before is gone on with.
  const { push, released } = await mia.ok('checkin SM_Barrel', { env })
  expect(released).toMatchObject([{ name: 'SM_Barrel' }])
  expect(push).toMatchObject({ previews_due: false, previews: { failed: [], unavailable: expect.any(Array) } })
  expect(push.previews.unavailable.map(({ name }: Json) => name).sort()).toEqual(['SM_Barrel', 'SM_Stool'])
  expect(await statuses()).toMatchObject({ SM_Stool: 'unavailable', SM_Barrel: 'unavailable' })
  expect(await active()).toEqual([])
})

test('Ctrl-C while previews are made leaves a checkin done: given back, with its exit code', async () => {
  const { mia, active } = await inn(server)
  await mia.ok('checkout SM_Stool')
  await mia.save('SM_Stool', 'mine')
  const stopping = new AbortController()
  const before = server.logLines.length
  const now = () => {
    // The display of the previews asks for the time whenever it is told something.
    if (server.logLines.slice(before).some((line) => line.includes('/push/preview-queue'))) stopping.abort('interrupted')
    return new Date()
  }
  const { code, stdout, stderr } = await mia.run('checkin SM_Stool', { signal: stopping.signal, now, env: { PH_PREVIEWS: 'on' } })
  expect(stopping.signal.aborted).toBe(true)
  expect([code, stdout]).toEqual([0, expect.stringContaining('Released 1 prop.')])
  expect(stderr).toContain('The push is done; the next push makes the previews that are missing.')
  expect(await active()).toEqual([])
})
