/** Props that a colleague renamed, moved or made anew: a pull puts the new files in their places and moves unchanged old ones away. */
import { spawn } from 'node:child_process'
import { existsSync, openSync, readFileSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { callAs, type Json } from '../support/api.ts'
import { filesBelow } from '../support/pull.ts'
import { item, pushed } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'
import { writeFiles } from '../support/temporary-folder.ts'
import { type Workstation, workstation } from '../support/workstation.ts'

const server = await startTestServer()
const payload = (text: string) => ({ payload: Buffer.from(text) })
const [barrel, cask] = ['Content/Props/SM_Barrel.uasset', 'Content/Furniture/SM_Cask.uasset']
const [guid, newGuid] = ['0123456789ABCDEF0123456789ABCDEF', 'FEDCBA9876543210FEDCBA9876543210']
const level = 'Content/Maps/L_Inn.umap'

async function house() {
  const { url, keys } = await server.addWorkspace()
  const mia = workstation({ url, key: keys.mia }, 'Inn')
  await mia.save({ [barrel]: { ...payload('v1'), guid } })
  await mia.ph('push')
  const max = workstation({ url, key: keys.max }, 'Inn')
  await max.ph('pull --all')
  return { mia, max, build: workstation({ url, key: keys.adam }, 'Inn'), call: callAs(url, keys.mia) }
}

/** On the disk: the package keeps its identity. */
async function move(who: Workstation): Promise<void> {
  await who.save({ [cask]: { ...payload('v2'), guid } })
  who.remove(barrel)
  await who.ph('push')
}

const read = ({ root }: Workstation, file: string) => readFileSync(join(root, file))
const has = ({ root }: Workstation, file: string) => existsSync(join(root, file))
const contentOf = ({ root }: Workstation) => filesBelow(join(root, 'Content'))
const statesOf = async (who: Workstation) =>
  Object.fromEntries((await who.ask('status --all')).files.map(({ file, state }: Json) => [file, state]))
const advised = (text: string): string[] =>
  [...text.replaceAll(/\s+/g, ' ').matchAll(/`ph ([^`]+)`/g)].map(([, line = '']) => line)

test('an unchanged old file is moved away, planned and said; its empty folder goes, and ph undo brings it back', async () => {
  for (const way of ['pull', 'pull SM_Cask']) {
    const { mia, max } = await house()
    const before = read(max, barrel)
    await move(mia)
    expect((await max.ask(`${way} --plan`)).plans[0].leaving).toMatchObject([{ file: barrel, why: 'moved', to: cask }])
    expect(has(max, barrel)).toBe(true)
    const { jobs } = await max.ask(way)
    expect(jobs[0]).toMatchObject({
      summary: { added: 1 },
      not_taken_away: [],
      taken_away: [{ file: barrel, why: 'moved', to: cask }],
    })
    expect(contentOf(max)).toEqual(contentOf(mia))
    expect(has(max, 'Content/Props')).toBe(false)
    expect(await statesOf(max)).toEqual({ [cask]: 'current' })
    expect(read(max, jobs[0].taken_away[0].backup)).toEqual(before)
    expect((await max.ask('undo --list')).changes).toMatchObject([
      { what: 'Moved 1 old file out of Inn: their props lie elsewhere now' },
    ])
    await max.ph('undo --yes')
    expect(read(max, barrel)).toEqual(before)
    expect((await max.ph('pull')).code).toBe(0)
  }
})

test('a file that something still refers to stays until that is saved again, as the plan says; then it goes', async () => {
  const { mia, max } = await house()
  await mia.save({ [level]: { imports: ['/Game/Props/SM_Barrel'] } })
  await mia.ph('push')
  await max.ph('pull L_Inn')
  await move(mia)
  const stays = /Something still refers to it there\.[\s\S]*SM_Cask\.uasset \(L_Inn\)/
  const planned = await max.ph('pull --plan')
  expect(planned.stdout).toMatch(stays)
  expect(planned.stdout).not.toContain('Would be moved away')
  const { jobs } = await max.ask('pull', 6)
  expect(jobs[0]).toMatchObject({ taken_away: [], not_taken_away: [{ file: barrel, reason: 'referred', referred_by: 'L_Inn' }] })
  expect(has(max, barrel)).toBe(true)
  expect((await max.ph('pull', 6)).stdout).toMatch(stays)
  await mia.save({ [level]: { ...payload('again'), imports: ['/Game/Furniture/SM_Cask'] } })
  await mia.ph('push')
  await max.ph('pull')
  expect(await statesOf(max)).toEqual({ [cask]: 'current', [level]: 'current' })
})

test('what refers to the old place and is not in this project keeps no file there; it says what it needs when it comes', async () => {
  const { mia, max } = await house()
  await mia.save({ [level]: { imports: ['/Game/Props/SM_Barrel'] } })
  await mia.ph('push')
  await move(mia)
  expect((await max.ask('pull --plan')).plans[0].leaving).toMatchObject([{ file: barrel, why: 'moved' }])
  await max.ph('pull')
  expect([has(max, barrel), has(max, cask)]).toEqual([false, true])
  await max.ph('status --exit-code')
  expect((await max.ph('pull L_Inn')).stdout).toMatch(/SM_Barrel is now \/Game\/Furniture\/SM_Cask[\s\S]*save L_Inn again/)
})

test('props of two games that both moved to one path are brought apart by ways that name them together', async () => {
  const { url, keys } = await server.addWorkspace()
  const [keg, both] = ['Content/Props/SM_Keg.uasset', 'Content/Shared/SM_Round.uasset']
  const games = [
    { who: workstation({ url, key: keys.mia }, 'Inn'), file: barrel, id: guid },
    { who: workstation({ url, key: keys.max }, 'Pub'), file: keg, id: newGuid },
  ]
  const third = workstation({ url, key: keys.adam }, 'Fair')
  for (const { who, file, id } of games) {
    await who.save({ [file]: { ...payload(`v1 of ${file}`), guid: id } })
    await who.ph('push')
  }
  await third.ph('pull SM_Barrel SM_Keg')
  for (const { who, file, id } of games) {
    await who.save({ [both]: { ...payload(`v2 of ${file}`), guid: id } })
    who.remove(file)
    await who.ph('push --held attach')
    await third.save({ [file]: { ...payload(`mine of ${file}`), guid: id } })
  }
  const { stdout } = await third.ph(`pull ${barrel} ${keg} --theirs`, 6)
  expect(stdout).toContain('Another prop lies there:')
  expect(read(third, both)).toEqual(read(games[0]?.who ?? third, both))
  expect((await third.ph('pull SM_Round', 1)).stderr).toContain('SM_Round')
})

test('a file to which an edited or new file of this machine refers stays too, and what was not looked at since is read', async () => {
  for (const isPushed of [true, false]) {
    const { mia, max } = await house()
    if (isPushed) {
      await mia.save({ [level]: {} })
      await mia.ph('push')
      await max.ph('pull --all')
    }
    await max.save({ [level]: { ...payload('mine'), imports: ['/Game/Props/SM_Barrel'] } })
    await move(mia)
    const stays = { file: barrel, reason: 'referred', referred_by: level }
    expect((await max.ask('pull --plan')).plans[0].leaving).toMatchObject([{ file: barrel, referred_by: level }])
    expect((await max.ask('pull', 6)).jobs[0]).toMatchObject({ taken_away: [], not_taken_away: [stays] })
    expect(has(max, barrel)).toBe(true)
    await max.save({ [level]: { ...payload('again'), imports: ['/Game/Furniture/SM_Cask'] } })
    expect((await max.ask('pull')).jobs[0]).toMatchObject({ taken_away: [{ file: barrel }], not_taken_away: [] })
    expect(has(max, barrel)).toBe(false)
  }
})

test('where the editor left a redirector that a level here needs, a get latest puts it into the old place, as status advises', async () => {
  const { mia, max } = await house()
  await mia.save({ [level]: { imports: ['/Game/Props/SM_Barrel'] } })
  await mia.ph('push')
  await max.ph('pull L_Inn')
  await mia.save({
    [cask]: { ...payload('v2'), guid: newGuid },
    [barrel]: { ...payload('r'), assetClass: 'ObjectRedirector', imports: ['/Game/Furniture/SM_Cask'], guid },
  })
  await mia.ph('push')
  const [, advised = ''] = /Outdated, newer in the library:[\s\S]*?→ ph (.*)\n/.exec((await max.ph('status')).stdout) ?? []
  await max.ph(advised)
  expect(contentOf(max)).toEqual(contentOf(mia))
  expect((await max.ph('pull')).stdout).toContain('is current')
  expect((await max.ph('status')).stdout).not.toContain('utdated')
})

test('what was taken away is kept for 30 days; backups of other kinds stay', async () => {
  const { mia, max } = await house()
  const backups = (when: string, what: string) => `Saved/PropHouse/Backups/${when} 10.00.00 max, ${what} 7/old.uasset`
  const dayAgo = new Date(Date.now() - 24 * 3600 * 1000).toISOString().slice(0, 10)
  const [old, fresh, edit] = [
    backups('2020-01-01', 'taken away by pull'),
    backups(dayAgo, 'taken away by pull'),
    backups('2020-01-01', 'before pull'),
  ]
  writeFiles(max.root, { [old]: 'a', [fresh]: 'b', [edit]: 'c' })
  await move(mia)
  await max.ph('pull')
  expect([old, fresh, edit].map((file) => has(max, file))).toEqual([false, true, true])
})

test('a redirector of the library takes the place of an unchanged file, which is kept', async () => {
  const { mia, max, call } = await house()
  const before = read(max, barrel)
  const [{ lineage_id, content_hash }] = (await mia.ask('status --all')).files
  const engine_version = '5.3.0'
  const cask = item({
    engine_version,
    origin_path: '/Game/Furniture/SM_Cask',
    stamped_lineage_id: lineage_id,
    stamped_base_hash: content_hash,
  })
  const redirector = item({ engine_version, origin_path: '/Game/Props/SM_Barrel', asset_class: 'ObjectRedirector', entry: null })
  const level = item({
    engine_version,
    origin_path: '/Game/Maps/L_Inn',
    asset_class: 'World',
    dependencies: [redirector, cask].map(({ content_hash }) => ({ content_hash, hard: true })),
  })
  const results = await pushed(call, [cask, redirector, level], { project: 'Inn' })
  const { jobs } = await max.ask(`pull ${results[2]?.entry_id}`)
  expect(jobs[0].summary).toMatchObject({ added: 2, updated: 1, kept: 0 })
  expect(read(max, jobs[0].files.find(({ file }: Json) => file === barrel).backup)).toEqual(before)
  expect(read(max, barrel)).toEqual(redirector.bytes)
})

test('where the project has a redirector in the place of an edited file, theirs is that redirector', async () => {
  const { mia, max, call } = await house()
  const [{ lineage_id, content_hash }] = (await mia.ask('status --all')).files
  const engine_version = '5.3.0'
  const again = { engine_version, origin_path: '/Game/Props/SM_Barrel' }
  await pushed(call, [item({ ...again, stamped_lineage_id: lineage_id, stamped_base_hash: content_hash })], { project: 'Barn' })
  const cask = item({ engine_version, origin_path: '/Game/Furniture/SM_Cask' })
  const redirector = item({ ...again, asset_class: 'ObjectRedirector', entry: null })
  const needing = (...needed: { content_hash: string }[]) => ({
    dependencies: needed.map(({ content_hash }) => ({ content_hash, hard: true })),
  })
  // The level refers to it through another redirector.
  const old = { engine_version, origin_path: '/Game/Old/SM_Barrel', asset_class: 'ObjectRedirector', entry: null }
  const first = item({ ...old, ...needing(redirector) })
  const inn = item({ engine_version, origin_path: '/Game/Maps/L_Inn', asset_class: 'World', ...needing(first, cask) })
  const results = await pushed(call, [cask, redirector, first, inn], { project: 'Inn' })
  await max.save({ [barrel]: { ...payload('mine'), guid }, [level]: payload('mine') })
  await max.ph(`pull ${results[3]?.entry_id}`, 6)
  const [theirs = ''] = advised((await max.ph('status')).stdout).filter((line) => line.includes('--theirs'))
  expect(theirs).toContain(barrel)
  const { jobs } = await max.ask(theirs.replace(barrel, `${barrel} ${level}`))
  expect(read(max, barrel)).toEqual(redirector.bytes)
  expect(read(max, level)).toEqual(inn.bytes)
  expect(jobs[0].files.find(({ file }: Json) => file === barrel)).toMatchObject({ outcome: 'overwritten' })
  await max.save({ [barrel]: { ...payload('mine'), guid } })
  await max.ph(theirs)
  expect(read(max, barrel)).toEqual(redirector.bytes)
})

test('the ways out of a conflict with a redirector of an unpushed rename are those of the renamed file', async () => {
  for (const way of ['--theirs', '--mine']) {
    const { mia, max } = await house()
    const moved = 'Content/Furniture/SM_Cask.uasset'
    await max.save({
      [moved]: { ...payload('moved'), guid: newGuid },
      [barrel]: { ...payload('r'), assetClass: 'ObjectRedirector', imports: ['/Game/Furniture/SM_Cask'], guid },
    })
    await mia.save({ [barrel]: { ...payload('v2'), guid } })
    await mia.ph('push')
    const { stdout } = await max.ph('pull SM_Barrel', 6)
    const line = advised(stdout).find((one) => one.endsWith(way)) ?? ''
    expect(line).toContain(barrel)
    const { jobs } = await max.ask(line)
    if (way === '--theirs') {
      expect(read(max, barrel)).toEqual(read(mia, barrel))
      // The rename is undone: the renamed file is kept as a backup, for good.
      const [{ backup }] = jobs[0].taken_away
      expect(jobs[0].taken_away).toMatchObject([{ file: moved, why: 'moved', to: barrel }])
      expect(backup).toContain('before pull')
      expect([has(max, moved), has(max, backup)]).toEqual([false, true])
      await max.ph('status --exit-code')
      await max.ph('undo --yes')
      expect(has(max, moved)).toBe(true)
    } else expect((await max.ask('push')).items).toMatchObject([{ file: moved, status: 'new', entry_created: false }])
  }
})

test('what waited for long does not come to the place that its prop has left since, planned or pulled', async () => {
  const { mia, max } = await house()
  await mia.ph('send SM_Barrel --project Inn')
  await move(mia)
  await max.ph('pull SM_Cask')
  expect([has(max, barrel), has(max, cask)]).toEqual([false, true])
  const { plans } = await max.ask('pull --plan')
  expect(plans.flatMap(({ files }: Json) => files)).toMatchObject([{ file: barrel, action: 'newer' }])
  await max.ph('pull')
  expect([has(max, barrel), has(max, cask)]).toEqual([false, true])
})

test('the ways out of a conflict with a redirector work where nothing is known of the file that it leads to', async () => {
  for (const way of ['--theirs', '--mine']) {
    const { mia, build: fresh } = await house()
    const moved = 'Content/Furniture/SM_Cask.uasset'
    await fresh.save({
      [moved]: { ...payload('moved'), guid: newGuid },
      [barrel]: { ...payload('r'), assetClass: 'ObjectRedirector', imports: ['/Game/Furniture/SM_Cask'], guid: null },
    })
    const { stdout } = await fresh.ph('pull SM_Barrel', 6)
    const line = advised(stdout).find((one) => one.endsWith(way)) ?? ''
    expect(line).toContain(barrel)
    await fresh.ph(line)
    if (way === '--theirs') expect(read(fresh, barrel)).toEqual(read(mia, barrel))
    else expect((await fresh.ask('push')).items).toMatchObject([{ file: moved, status: 'new', entry_created: false }])
  }
})

test('a prop that was renamed here too leaves its redirector in the old place, without a word', async () => {
  const { mia, max } = await house()
  // Both rename it to the same name, as they had agreed.
  for (const who of [mia, max]) {
    await who.save({
      [cask]: { ...payload('v2'), guid: newGuid },
      [barrel]: { ...payload('r'), assetClass: 'ObjectRedirector', imports: ['/Game/Furniture/SM_Cask'], guid },
    })
  }
  await mia.ph('push')
  const before = read(max, barrel)
  const { jobs } = await max.ask('pull SM_Cask')
  expect(jobs[0]).toMatchObject({ taken_away: [], not_taken_away: [] })
  expect(read(max, barrel)).toEqual(before)
})

test('theirs of a renamed file leaves it where an edited file refers to it, and names both', async () => {
  const { mia, max } = await house()
  const moved = 'Content/Furniture/SM_Cask.uasset'
  await max.save({
    [moved]: { ...payload('moved'), guid: newGuid },
    [barrel]: { ...payload('r'), assetClass: 'ObjectRedirector', imports: ['/Game/Furniture/SM_Cask'], guid },
    'Content/Props/SM_New.uasset': { ...payload('new'), imports: ['/Game/Furniture/SM_Cask'] },
  })
  await mia.save({ [barrel]: { ...payload('v2'), guid } })
  await mia.ph('push')
  expect((await max.ph('status')).stdout).toContain(`ph pull ${moved} --theirs`)
  const { stdout } = await max.ph(`pull ${moved} --theirs`, 6)
  expect(stdout).toContain('SM_Cask.uasset → Content/Props/SM_Barrel.uasset (Content/Props/SM_New.uasset)')
  expect(has(max, moved)).toBe(true)
  expect(read(max, barrel)).toEqual(read(mia, barrel))
})

test('an old file that was edited stays and is named; both ways out that the pull advises work', async () => {
  for (const way of ['--theirs', '--mine']) {
    const { mia, max } = await house()
    await max.save({ [barrel]: { ...payload('mine'), guid } })
    const mine = read(max, barrel)
    await move(mia)
    const { stdout } = await max.ph('pull SM_Cask', 6)
    expect(stdout).toMatch(
      /Still in the old place:[\s\S]*It was changed here\.[\s\S]*SM_Barrel\.uasset → Content\/Furniture\/SM_Cask\.uasset/,
    )
    expect(read(max, barrel)).toEqual(mine)
    expect(read(max, cask)).toEqual(read(mia, cask))
    const line = advised(stdout).find((one) => one.includes(way))
    await max.ph(String(line))
    expect(has(max, barrel)).toBe(way === '--mine')
    if (way === '--mine') expect((await max.ask(`push ${barrel}`)).summary).toMatchObject({ new: 1, outdated: 0 })
    else expect(await statesOf(max)).toEqual({ [cask]: 'current' })
  }
})

test('of an edited old file the latest names the ways out once', async () => {
  const { mia, max } = await house()
  await mia.save({ [level]: { ...payload('v1'), imports: ['/Game/Props/SM_Barrel'] } })
  await mia.ph('push')
  await max.ph('pull --all')
  await max.save({ [barrel]: { ...payload('mine'), guid } })
  await mia.save({ [level]: { ...payload('v2'), imports: ['/Game/Furniture/SM_Cask'] } })
  await move(mia)
  const { stdout } = await max.ph('pull', 6)
  expect(stdout).toContain('Still in the old place:')
  expect(stdout.split('--theirs`')).toHaveLength(2)
  await max.ph(`pull ${barrel} --theirs`)
  await max.ph('status --exit-code')
})

test('more than 20 files are moved after a yes alone: without a terminal they stay, with exit code 6', async () => {
  const { mia, max } = await house()
  const props = Array.from({ length: 21 }, (_, n) => ({
    file: `Content/Many/SM_${n}.uasset`,
    to: `Content/More/SM_${n}.uasset`,
    guid: String(n).padStart(32, 'A'),
  }))
  await mia.save(Object.fromEntries(props.map(({ file, guid }, n) => [file, { ...payload(`v1 ${n}`), guid }])))
  await mia.ph('push')
  await max.ph('pull --all')
  await mia.save(Object.fromEntries(props.map(({ to, guid }, n) => [to, { ...payload(`v2 ${n}`), guid }])))
  mia.remove(...props.map(({ file }) => file))
  await mia.ph('push')
  const { stdout } = await max.ph('pull', 6)
  expect(stdout).toMatch(/21 added[\s\S]*Nobody said yes to taking it away\.[\s\S]*→ The same command with `--yes`/)
  expect(props.every(({ file }) => has(max, file))).toBe(true)
  await max.ph('pull --yes')
  expect(contentOf(max)).toEqual(contentOf(mia))
})

test('what is open, lies behind a link, or was put elsewhere by hand stays', async () => {
  const { mia, max } = await house()
  await max.ph('pull SM_Barrel --root /Game/Kit')
  const kit = 'Content/Kit/Props/SM_Barrel.uasset'
  await move(mia)
  const editor = spawn('sleep', ['60'], { stdio: [openSync(join(max.root, barrel), 'r'), 'ignore', 'ignore'] })
  try {
    const { jobs } = await max.ask('pull SM_Cask', 6)
    expect(jobs[0]).toMatchObject({ taken_away: [], not_taken_away: [{ file: barrel, reason: 'open' }] })
  } finally {
    editor.kill()
  }
  renameSync(join(max.root, 'Content/Props'), join(max.root, 'Elsewhere'))
  symlinkSync(join(max.root, 'Elsewhere'), join(max.root, 'Content/Props'))
  expect((await max.ask('pull SM_Cask', 6)).jobs[0].not_taken_away).toMatchObject([{ file: barrel, reason: 'no_file' }])
  expect([has(max, barrel), has(max, kit)]).toEqual([true, true])
})

test('a prop that was made anew in the place of another replaces the unchanged file, which is kept; an edited one is a conflict', async () => {
  const { build, max } = await house()
  await build.save({ [barrel]: { ...payload('made anew'), guid: newGuid } })
  await build.ph('push --held new')
  const before = read(max, barrel)
  const { jobs, latest } = await max.ask('pull')
  expect(latest).toMatchObject({ outdated: [barrel], added: [] })
  expect(read(max, barrel)).toEqual(read(build, barrel))
  expect(read(max, jobs[0].files[0].backup)).toEqual(before)
  expect(await statesOf(max)).toEqual({ [barrel]: 'current' })
})
