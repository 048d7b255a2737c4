/** The desktop agent warns people while they edit, and checks props out for those who chose that. */
import { delimiter } from 'node:path'
import { expect, test, vi } from 'vitest'
import { AutoCheckOut } from '../../../agent/watching/auto-check-out.ts'
import type { Row } from '../../../agent/watching/file-table.ts'
import type { StatusFile } from '../../../client/status/report.ts'
import { type Person, personAt } from '../../support/person.ts'
import { startTestServer } from '../../support/server.ts'
import { startProxy } from '../../support/tcp-proxy.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { agentOf, until } from '../../support/watched-agent.ts'

const server = await startTestServer()

/** Mia's project with two props that the library has, and Max with a project of his own. */
async function twoPeople(way = (url: string) => url): Promise<{ mia: Person; max: Person; slug: string }> {
  const { url, keys, slug } = await server.addWorkspace()
  const [mia, max] = [personAt(way(url), keys.mia), personAt(url, keys.max)]
  await mia.save('SM_Stool', 'one')
  await mia.save('SM_Barrel', 'one')
  await mia.ok('push Content')
  return { mia, max, slug }
}

test('who edits what another person holds is warned, by an event and on the desktop, once', async () => {
  const { mia, max } = await twoPeople()
  const agent = await agentOf(mia)
  await max.run(['checkout', 'SM_Stool', '--note', 'new legs'])
  await until(async () => expect(await agent.row('SM_Stool')).toBeDefined())
  await mia.save('SM_Stool', 'two')
  await until(() => expect(agent.of('warning')).toHaveLength(1))
  const [warning] = agent.of('warning')
  expect(warning).toMatchObject({
    project_key: 'Inn',
    file: 'Content/Inn/SM_Stool.uasset',
    path: mia.path('SM_Stool'),
    kind: 'held',
  })
  expect(warning.message).toMatch(
    /^max has SM_Stool\.uasset checked out since .*, until .*, for: new legs\. .* ask max to check it in/,
  )
  await until(() => expect(agent.notices()).toHaveLength(1))
  expect(agent.notices()[0]).toContain(
    '--app-name=Prop House|--|SM_Stool.uasset is checked out|max has SM_Stool.uasset checked out',
  )
  await mia.save('SM_Stool', 'three')
  await mia.save('SM_Barrel', 'two')
  await until(async () => expect(await agent.state('SM_Barrel')).toBe('modified'))
  expect(agent.of('warning')).toHaveLength(1)
})

test('the hour is counted by a clock that nobody sets', async () => {
  const { mia, max } = await twoPeople()
  const agent = await agentOf(mia)
  await max.ok('checkout SM_Stool')
  await until(async () => expect(await agent.row('SM_Stool')).toBeDefined())
  await mia.save('SM_Stool', 'two')
  await until(() => expect(agent.of('warning')).toHaveLength(1))
  vi.setSystemTime(Date.now() + 2 * 3_600_000)
  try {
    await mia.save('SM_Stool', 'three')
    await mia.save('SM_Barrel', 'two')
    await until(async () => expect(await agent.state('SM_Barrel')).toBe('modified'))
    expect(agent.of('warning')).toHaveLength(1)
  } finally {
    vi.useRealTimers()
  }
})

test('who edits an old version is warned, and so is who has edited one that someone else takes or overtakes', async () => {
  const { mia, max } = await twoPeople()
  const agent = await agentOf(mia)
  await mia.save('SM_Stool', 'mine')
  await mia.save('SM_Barrel', 'mine')
  await until(async () =>
    expect([await agent.state('SM_Stool'), await agent.state('SM_Barrel')]).toEqual(['modified', 'modified']),
  )
  await max.ok('pull SM_Stool SM_Barrel --project Inn')
  await max.save('SM_Stool', 'his')
  await max.ok('push Content')
  await max.ok('checkout SM_Barrel')
  await until(() => expect(agent.of('warning')).toHaveLength(2))
  expect(Object.fromEntries(agent.of('warning').map(({ file, kind }) => [file.split('/').at(-1), kind]))).toEqual({
    'SM_Stool.uasset': 'diverged',
    'SM_Barrel.uasset': 'held',
  })
})

test('an edit of what this person holds themselves is no reason to warn', async () => {
  const { mia } = await twoPeople()
  const agent = await agentOf(mia)
  await mia.ok('checkout SM_Stool')
  await until(async () => expect(await agent.row('SM_Stool')).toMatchObject({ mine: true }))
  await mia.save('SM_Stool', 'two')
  await until(async () => expect(await agent.state('SM_Stool')).toBe('modified'))
  expect(agent.of('warning')).toEqual([])
})

test('hostile names reach the desktop as text', async () => {
  const { mia, max } = await twoPeople()
  const name = 'SM_$(touch x)`id`\'"; <b>&'
  await mia.save(name, 'one')
  await mia.ok('push Content')
  const agent = await agentOf(mia)
  await max.run([
    'checkout',
    (await mia.ok('search --limit 50')).entries.find((one: { name: string }) => one.name === name).id.toString(),
  ])
  await until(async () => expect(await agent.row(name)).toMatchObject({ held_by: { name: 'max' } }))
  await mia.save(name, 'two')
  await until(() => expect(agent.notices()).toHaveLength(1))
  expect(agent.notices()[0]).toContain(
    `--|${name}.uasset is checked out|max has SM_$(touch x)\`id\`'"; &lt;b&gt;&amp;.uasset checked`,
  )
})

test('many warnings at once are few notices', async () => {
  const { mia, max } = await twoPeople()
  const names = Array.from({ length: 12 }, (_, n) => `SM_Chair${n}`)
  for (const name of names) await mia.save(name, `${name} one`)
  await mia.ok('push Content')
  await max.run(['checkout', ...names])
  const agent = await agentOf(mia)
  for (const name of names) await mia.save(name, `${name} two`)
  await until(() => expect(agent.of('warning')).toHaveLength(12))
  await until(() => expect(agent.notices()).toHaveLength(4))
  expect(agent.notices()[3]).toContain('9 more')
})

test('no notices where a person wants none, a missing program is said once; the log has the warning either way', async () => {
  const { mia, max } = await twoPeople()
  await max.ok('checkout SM_Stool')
  const off = await agentOf(mia, { notices: false })
  await mia.save('SM_Stool', 'two')
  await until(() => expect(off.of('warning')).toHaveLength(1))
  expect((await off.api.agent.status()).parts.find(({ name }) => name === 'notices')?.message).toMatch(/off/)
  const warned = `warning: ${mia.path('SM_Stool')}: max has SM_Stool.uasset checked out since `
  await until(() => expect(off.log.filter((line) => line.includes(warned))).toHaveLength(1))
  await off.agent.stop()
  expect(off.notices()).toEqual([])
  vi.stubEnv('PATH', temporaryFolder())
  await max.ok('checkout SM_Barrel')
  const on = await agentOf(mia)
  vi.stubEnv('PATH', (process.env.PATH ?? '').split(delimiter).slice(1).join(delimiter))
  await mia.save('SM_Barrel', 'two')
  await until(() => expect(on.log.filter((line) => line.includes('notices cannot be shown'))).toHaveLength(1))
  expect(on.log.filter((line) => line.includes(`${mia.path('SM_Barrel')}: max has SM_Barrel`))).toHaveLength(1)
})

test('a prop is checked out at its first save where its people chose that, and not again when it was released', async () => {
  const { mia } = await twoPeople()
  const agent = await agentOf(mia, { autoCheckout: true })
  await mia.save('SM_Stool', 'two')
  await until(async () => expect(await agent.row('SM_Stool')).toMatchObject({ state: 'modified', mine: true }))
  expect(agent.of('auto_checkout')).toMatchObject([{ file: 'Content/Inn/SM_Stool.uasset', state: 'taken' }])
  await until(() => expect(agent.notices()).toHaveLength(1))
  await mia.ok('release SM_Stool')
  await until(async () => expect(await agent.row('SM_Stool')).toMatchObject({ mine: false, held_by: null }))
  await mia.save('SM_Stool', 'three')
  await mia.save('SM_New', 'one')
  await until(async () => expect(await agent.state('SM_New')).toBe('untracked'))
  expect(agent.of('auto_checkout')).toHaveLength(1)
  expect(await agent.row('SM_Stool')).toMatchObject({ held_by: null })
})

test('what someone took between the look and the check-out is not said to be checked out here; what is free is', async () => {
  const { mia, max } = await twoPeople()
  const { agent, of } = await agentOf(mia)
  await max.ok('checkout SM_Stool')
  await mia.save('SM_Stool', 'two')
  await mia.save('SM_Barrel', 'two')
  // As they were looked at before he took one of them.
  const all = (file: string): Row => ({ file, differing: { file, state: 'modified' } as StatusFile, lock: undefined })
  const [stool, barrel] = ['Content/Inn/SM_Stool.uasset', 'Content/Inn/SM_Barrel.uasset']
  const taking = new AutoCheckOut(agent.agent, agent.agent.watching.looks(mia.root))
  await taking.take([stool, barrel].map(all), { root: mia.root, projectKey: 'Inn', all })
  await until(() => expect(of('auto_checkout')).toMatchObject([{ file: barrel, state: 'taken' }]))
})

test('of a project that a program changed as a whole, a hundred files are checked out, and that others are not is said', async () => {
  const { mia } = await twoPeople()
  const { agent, of } = await agentOf(mia)
  const all = (file: string): Row => ({ file, differing: { file, state: 'modified' } as StatusFile, lock: undefined })
  const rows = Array.from({ length: 140 }, (_, index) => all(`Content/Inn/SM_${index}.uasset`))
  const taking = new AutoCheckOut(agent.agent, agent.agent.watching.looks(mia.root))
  const place = { root: mia.root, projectKey: 'Inn', all }
  await taking.take(rows, place)
  await taking.take(rows, place)
  await until(() =>
    expect(of('auto_checkout').map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/^40 more files .*ph checkout/),
    ),
  )
  expect(of('auto_checkout')).toHaveLength(2)
})

test('what someone else holds stays theirs, and is a warning', async () => {
  const { mia, max } = await twoPeople()
  await max.ok('checkout SM_Stool')
  const agent = await agentOf(mia, { autoCheckout: true })
  await mia.save('SM_Stool', 'two')
  await mia.save('SM_Barrel', 'two')
  await until(async () => expect(await agent.row('SM_Barrel')).toMatchObject({ mine: true }))
  expect(agent.of('warning')).toMatchObject([{ kind: 'held', file: 'Content/Inn/SM_Stool.uasset' }])
  expect(await agent.row('SM_Stool')).toMatchObject({ held_by: { name: 'max' } })
})

test('what is saved while the server is away is judged by what was last heard, and checked out when it is back', async () => {
  let isAway = false
  const proxy = await startProxy(server.url, () => (isAway ? 'cut' : undefined))
  const { mia, max } = await twoPeople(proxy.url)
  await max.ok('checkout SM_Barrel')
  const agent = await agentOf(mia, { autoCheckout: true })
  isAway = true
  await mia.save('SM_Stool', 'two')
  await mia.save('SM_Barrel', 'two')
  await until(async () =>
    expect([await agent.state('SM_Stool'), await agent.state('SM_Barrel')]).toEqual(['modified', 'modified']),
  )
  await until(() => expect(agent.of('auto_checkout')).toMatchObject([{ state: 'waiting', file: 'Content/Inn/SM_Stool.uasset' }]))
  expect(agent.of('warning')).toMatchObject([{ kind: 'held', file: 'Content/Inn/SM_Barrel.uasset' }])
  expect(await agent.report()).toMatchObject({ state: 'watching', message: expect.stringContaining('as of') })
  expect((await agent.why('SM_Stool')).map(({ kind }) => kind)).toEqual(['modified', 'offline'])
  isAway = false
  await until(async () => expect(await agent.row('SM_Stool')).toMatchObject({ mine: true }))
  expect(await agent.report()).toMatchObject({ message: null })
  expect(agent.of('auto_checkout').map(({ state }) => state)).toEqual(['waiting', 'taken'])
})

test('with a key that counts no more, files are still watched and judged', async () => {
  const { mia, slug } = await twoPeople()
  const agent = await agentOf(mia)
  await server.changeWorkspace(slug, {
    members: [{ email: `mia@${slug}.test`, name: 'mia', display_name: 'mia', role: 'member', status: 'disabled' }],
  })
  await until(async () => expect((await agent.api.agent.status()).state).toBe('signed_out'))
  await mia.save('SM_Stool', 'two')
  await until(async () => expect(await agent.state('SM_Stool')).toBe('modified'))
})

test('the end of a check-out of this person is told a day before', async () => {
  const { mia } = await twoPeople()
  await mia.ok('checkout SM_Stool --ttl 3d')
  await mia.ok('checkout SM_Barrel --ttl 4h')
  vi.setSystemTime(Date.now() + 50 * 3_600_000)
  try {
    const agent = await agentOf(mia)
    await until(() => expect(agent.of('lock.ending')).toMatchObject([{ file: 'Content/Inn/SM_Stool.uasset' }]))
  } finally {
    vi.useRealTimers()
  }
})

test('a notice of an import says what has arrived', async () => {
  const { mia } = await twoPeople()
  const agent = await agentOf(mia)
  agent.agent.agent.events.tell('imported', { project_key: 'Inn', job_id: 1, packages: ['/Game/A'], files: ['a', 'b'] })
  agent.agent.agent.events.tell('conflict', { state: 'asked', path: '/x/SM_A.uasset', project_key: 'Inn' })
  await until(() =>
    expect(agent.notices().join('\n')).toMatch(/Props have arrived\|2 files in Inn[\s\S]*Which version stays\?.*SM_A/),
  )
})
