/** ph checkout, as two people with a project each type it, against a real library. */
import { cpSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { agentSessionId } from '../../../contract/agent-sessions.ts'
import { callAs, type Json } from '../../support/api.ts'
import { editBarrel, inn } from '../../support/inn.ts'
import { personAt } from '../../support/person.ts'
import { startTestServer } from '../../support/server.ts'

const server = await startTestServer()

test('a file and a prop are checked out together, with a note and a time, and said so with what to do when done', async () => {
  const { mia, active } = await inn(server)
  const line = ['checkout', 'Content/Inn/SM_Barrel.uasset', 'sm_stool', '--note', 'New rings', '--ttl', '2d']
  const { code, stdout } = await mia.run(line)
  expect(code).toBe(0)
  expect(stdout).toMatch(
    /^Checked out 2 props until \d{4}-\d\d-\d\d \d\d:\d\d, 2 d left:\n {2}SM_Barrel {2}Content\/Inn\/SM_Barrel\.uasset\n/,
  )
  expect(stdout).toContain('`ph checkin <files>` pushes and gives back')
  expect(await active()).toMatchObject([{ note: 'New rings', holder: { name: 'mia' } }, { note: 'New rings' }])
})

test('checking out again moves the time, and says that it was extended', async () => {
  const { mia, active } = await inn(server)
  await mia.ok('checkout SM_Barrel --ttl 1h')
  const [before] = await active()
  const { props } = await mia.ok('checkout SM_Barrel --ttl 3d')
  expect(props).toMatchObject([{ name: 'SM_Barrel', extended: true, standing: 'current', lock: { id: before?.id } }])
  expect((await mia.run('checkout SM_Barrel SM_Stool')).stdout).toContain('Checked out 1 prop and extended 1 check-out of yours')
})

test('of many either all are checked out or none: who has one is named, with since when, until when, why and what to do', async () => {
  const { mia, olivia, active } = await inn(server)
  await mia.run(['checkout', 'SM_Barrel', '--note', 'New\nrings', '--ttl', '1d'])
  const { code, stderr } = await olivia.run('checkout Content')
  expect(code).toBe(5)
  expect(stderr).toMatch(
    /Checked out by someone else: SM_Barrel \(mia, just now, until [\d: -]+, 1 d left: New rings\)\. Nothing was checked out\./,
  )
  expect(stderr).toContain('--steal "<why>"')
  expect(await active()).toHaveLength(1)
  const json = await olivia.run('checkout SM_Stool SM_Barrel --json')
  expect(JSON.parse(json.stderr).error).toMatchObject({ code: 'LOCKED', details: { locked: [{ holder: { name: 'mia' } }] } })
})

test('what goes on around is shown before anything is taken: locks on what it needs and on what needs it, and open editors', async () => {
  const { mia, olivia, api, url, keys } = await inn(server)
  await mia.ok('checkout SM_Barrel')
  const around = await olivia.run('checkout M_Oak --dry-run')
  expect(around.stdout).toMatch(
    /^Around these:\n {2}- SM_Barrel, which needs M_Oak, is checked out by mia, just now, until .*\n\nWould check out/,
  )
  await mia.ok('release SM_Barrel')
  await mia.ok('checkout M_Oak')
  const editor = { project_key: 'Inn', accepts_agent_imports: true, heartbeat_interval_seconds: 60 }
  const heard = await callAs(url, keys.mia).post('/editor-sessions/heartbeat', { session_id: 'editor-one', ...editor })
  expect(heard.status, JSON.stringify(heard.body)).toBeLessThan(300)
  const { stdout } = await olivia.run('checkout SM_Barrel SM_Stool')
  expect(stdout).toContain('- M_Oak, which SM_Barrel needs, is checked out by mia')
  expect(stdout).toContain('- mia has Inn open in the editor, into which SM_Barrel and 1 more of these was pulled')
  // A desktop agent looks after a project that no editor has open.
  await callAs(url, keys.max).post('/editor-sessions/heartbeat', { session_id: agentSessionId('of-max'), ...editor })
  expect((await olivia.run('checkout SM_Barrel SM_Stool --dry-run')).stdout).toContain('- max works on Inn, into which SM_Barrel')
  expect(stdout.indexOf('Around these')).toBeLessThan(stdout.indexOf('Checked out 2 props'))
  expect((await api.get('/locks?active=true')).body.locks).toHaveLength(3)
})

test('what is in review, or was sent back, is said before it is taken', async () => {
  const { mia, api } = await inn(server)
  const { entries } = (await api.get('/entries?name=SM_Stool')).body
  const { id: me } = (await api.get('/members/me')).body
  const asked = { object_id: entries[0].object_id, reviewer_ids: [me] }
  const { request } = (await api.post(`/entries/${entries[0].id}/review-requests`, asked)).body
  const { stdout } = await mia.run('checkout SM_Stool SM_Barrel --dry-run')
  expect(stdout).toMatch(/^Around these:\n {2}- SM_Stool is in review\n\nWould check out/)
  await api.post(`/review-requests/${request.id}/respond`, { response: 'changes_requested' })
  expect((await mia.run('checkout SM_Stool --dry-run')).stdout).toContain('- SM_Stool was reviewed, and changes are requested\n')
  await api.post(`/review-requests/${request.id}/respond`, { response: 'approved' })
  expect((await mia.run('checkout SM_Stool --dry-run')).stdout).not.toContain('Around these')
})

test('an older file is offered the newest version on a terminal, and gets it after the check-out', async () => {
  const { mia, olivia } = await inn(server)
  await editBarrel(olivia, 'second')
  await olivia.ok('push')
  const { code, stdout, stderr } = await mia.run('checkout SM_Barrel', { columns: 80, typed: ['\n'] })
  expect(stderr).toContain('version once checked out? [Y/n]')
  expect(stdout).toContain('1 replaced by another version')
  expect(code).toBe(0)
  expect(readFileSync(mia.path('SM_Barrel'))).toEqual(readFileSync(olivia.path('SM_Barrel')))
})

test('without a terminal nothing is asked: an older file is named with the command that brings it, or brought with --pull', async () => {
  const { mia, olivia, active } = await inn(server)
  const before = readFileSync(mia.path('SM_Barrel'))
  await editBarrel(olivia, 'second')
  await olivia.ok('push')
  const told = await mia.run('checkout SM_Barrel')
  expect(told.code).toBe(6)
  expect(told.stdout).toMatch(
    /Outdated here:\n {2}Content\/Inn\/SM_Barrel\.uasset\n {4}→ Before you edit: `ph pull \d+ --project Inn`/,
  )
  expect(readFileSync(mia.path('SM_Barrel'))).toEqual(before)
  expect(await active()).toHaveLength(1)
  const { props, brought } = await mia.ok('checkout SM_Barrel --pull')
  expect(props).toMatchObject([{ standing: 'current', files: ['Content/Inn/SM_Barrel.uasset'] }])
  expect(brought.jobs).toHaveLength(1)
  expect(readFileSync(mia.path('SM_Barrel'))).toEqual(readFileSync(olivia.path('SM_Barrel')))
})

test('a file that was changed on an older version is reported and never overwritten, with --pull neither', async () => {
  const { mia, olivia } = await inn(server)
  await editBarrel(olivia, 'second')
  await olivia.ok('push')
  await editBarrel(mia, 'mine')
  const mine = readFileSync(mia.path('SM_Barrel'))
  const { code, stdout } = await mia.run('checkout Content/Inn/SM_Barrel.uasset SM_Stool --pull')
  expect(code).toBe(6)
  expect(stdout).toMatch(
    /Diverged, modified here and outdated:\n {2}Content\/Inn\/SM_Barrel\.uasset\n {4}→ Nothing here was overwritten\./,
  )
  expect(stdout).toContain('`ph pull Content/Inn/SM_Barrel.uasset --theirs`')
  expect(readFileSync(mia.path('SM_Barrel'))).toEqual(mine)
})

test('a file that is an edit of the current version is ready', async () => {
  const { mia } = await inn(server)
  await editBarrel(mia, 'mine')
  expect((await mia.ok('checkout SM_Barrel')).props).toMatchObject([{ standing: 'modified' }])
})

test('a project that this machine has never looked at has its files all the same, whether a prop is named or needed', async () => {
  const { olivia, url, keys } = await inn(server)
  const max = personAt(url, keys.max)
  cpSync(join(olivia.root, 'Content'), join(max.root, 'Content'), { recursive: true })
  const { props } = await max.ok('checkout SM_Barrel --closure --dry-run')
  expect(props.map(({ standing, files }: Json) => [standing, files])).toEqual([
    ['current', ['Content/Inn/SM_Barrel.uasset']],
    ['current', ['Content/Inn/M_Oak.uasset']],
  ])
})

test('a prop that the project does not have, or not any more, is brought with --pull', async () => {
  const { mia, olivia } = await inn(server)
  await olivia.save('SM_Lamp')
  await olivia.ok('push')
  rmSync(mia.path('SM_Stool'))
  expect((await mia.run('checkout SM_Lamp')).stdout).toMatch(
    /Not in this project:\n {2}SM_Lamp\n {4}→ `ph pull \d+ --project Inn`/,
  )
  const { props } = await mia.ok('checkout SM_Lamp SM_Stool --pull')
  expect(props.map(({ standing, files }: Json) => [standing, files])).toEqual([
    ['current', ['Content/Inn/SM_Lamp.uasset']],
    ['current', ['Content/Inn/SM_Stool.uasset']],
  ])
})

test('--closure takes what they need along, each once', async () => {
  const { mia, active } = await inn(server)
  const { props } = await mia.ok('checkout SM_Barrel --closure')
  expect(props.map(({ name, is_needed, files }: Json) => [name, is_needed, files])).toEqual([
    ['SM_Barrel', false, ['Content/Inn/SM_Barrel.uasset']],
    ['M_Oak', true, ['Content/Inn/M_Oak.uasset']],
  ])
  expect(await active()).toHaveLength(2)
})

test('a closure of more than 1,000 is checked out whole, and given back whole', async () => {
  const { olivia, active } = await inn(server)
  const names = Array.from({ length: 1000 }, (_, at) => `M_${at}`)
  for (const name of names) await olivia.save(name)
  await olivia.save('SM_All', '', { imports: names.map((name) => `/Game/Inn/${name}`) })
  await olivia.ok('push')
  const { props } = await olivia.ok('checkout SM_All --closure')
  expect(props.filter(({ lock }: Json) => lock !== null)).toHaveLength(1001)
  expect((await olivia.run('undo --yes')).stdout).toContain('released')
  expect(await active()).toEqual([])
  await olivia.ok('checkout SM_All --closure')
  expect(await olivia.ok('release --mine')).toMatchObject({ released: 1001 })
  expect(await active()).toEqual([])
})

test('a dry run says what would happen and takes nothing', async () => {
  const { mia, active } = await inn(server)
  const { code, stdout } = await mia.run('checkout SM_Barrel --closure --dry-run')
  expect(code).toBe(0)
  expect(stdout).toMatch(/^Would check out 2 props:\n[\s\S]*\nNothing was changed\.\n$/)
  expect(await active()).toEqual([])
})

test('only an admin takes over what others have, and the reason is on record', async () => {
  const { mia, olivia, api, active } = await inn(server)
  await olivia.ok('checkout SM_Stool')
  const refused = await mia.run(['checkout', 'SM_Stool', '--steal', 'mine now'])
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('Only an admin of the workspace may take over')])
  await olivia.ok('release SM_Stool')
  await mia.ok('checkout SM_Stool')
  expect((await olivia.run(['checkout', 'SM_Stool', '--steal', 'Mia is on leave'])).code).toBe(0)
  expect(await active()).toMatchObject([{ holder: { name: 'olivia' } }])
  const { events } = (await api.get('/activity?type=lock.release')).body
  expect(JSON.stringify(events)).toContain('Mia is on leave')
})

test('a file that the library does not have is named, and nothing is taken', async () => {
  const { mia, active } = await inn(server)
  await mia.save('SM_New')
  const { code, stderr } = await mia.run('checkout Content/Inn/SM_New.uasset Content/Inn/SM_Barrel.uasset')
  expect(code).toBe(1)
  expect(stderr).toContain('Content/Inn/SM_New.uasset is not in the library. Nothing was checked out.')
  expect(stderr).toContain('push it first')
  expect(await active()).toEqual([])
})

test.each([
  ['checkout SM_Barrel --ttl 31d', '--ttl takes a time from 1h to 30d, not "31d".'],
  ['checkout SM_Barrel --ttl 0h', 'not "0h"'],
  ['checkout SM_Barrel --ttl soon', 'not "soon"'],
  ['checkout Content/Inn/SM_Gone.uasset', 'There is no '],
  ['checkout', '`ph checkout` needs <props>'],
])('ph %s is wrong usage', async (line, said) => {
  const { url, keys } = await server.addWorkspace()
  const { code, stderr } = await personAt(url, keys.mia).run(line)
  expect(code).toBe(2)
  expect(stderr).toContain(said)
})

test('the longest time and the longest note are taken', async () => {
  const { mia, active } = await inn(server)
  expect((await mia.run(['checkout', 'SM_Barrel', '--ttl', '30d', '--note', 'é'.repeat(1000)])).code).toBe(0)
  expect(await active()).toHaveLength(1)
  expect((await mia.run(['checkout', 'SM_Barrel', '--note', 'é'.repeat(1001)])).stderr).toContain('takes up to 1,000 characters')
})

test('a key that only reads is refused before anything is asked', async () => {
  const { url, keys, mia } = await inn(server)
  const { code, stderr } = await mia.run('checkout SM_Barrel', { env: { PH_URL: url, PH_API_KEY: keys.miaReads } })
  expect([code, stderr]).toEqual([1, expect.stringContaining('This key is read-only.')])
})

test('a read-only link into the content cache becomes a file that can be edited without changing the cache', async () => {
  const { url, keys } = await inn(server)
  const max = personAt(url, keys.max)
  await max.ok('pull SM_Stool --project Inn --link')
  expect(statSync(max.path('SM_Stool')).mode & 0o222).toBe(0)
  expect(statSync(max.path('SM_Stool')).nlink).toBeGreaterThan(1)
  await max.ok('checkout SM_Stool')
  expect(statSync(max.path('SM_Stool')).nlink).toBe(1)
  writeFileSync(max.path('SM_Stool'), 'edited')
  expect((await max.ok('status')).files).toMatchObject([{ file: 'Content/Inn/SM_Stool.uasset', state: 'modified' }])
})
