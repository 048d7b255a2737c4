/** `ph server backup` and `ph server restore`: what a library answered before, it answers after, whatever its database is; and what goes wrong on the way. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { BackupFolder } from '../../server/administration/backup/backup-folder.ts'
import { dump } from '../../server/administration/backup/dump.ts'
import { linesOf } from '../../server/administration/backup/lines.ts'
import { restoreBackup } from '../../server/administration/backup/restore.ts'
import { SpooledFile } from '../../server/administration/backup/spooled-file.ts'
import { operatorApiOn } from '../../server/administration/operator.ts'
import type { Settings } from '../../server/config.ts'
import { atOneMoment } from '../../server/database/transaction.ts'
import { startServer } from '../../server/main.ts'
import { endHold, holdForBackup, holdMs } from '../../server/storage/backup-hold.ts'
import { administered } from '../support/administered.ts'
import { callAs, type Json } from '../support/api.ts'
import { freshPostgres } from '../support/fresh-postgres.ts'
import { GrowingProject } from '../support/growing-project.ts'
import { readsOf } from '../support/library-reads.ts'
import { phProcess, startPhProcess } from '../support/ph-process.ts'
import { item } from '../support/push.ts'
import { byHand, type Keys, startTestServer, type TestServer } from '../support/server.ts'
import { mountSmallDisk } from '../support/small-disk.ts'
import { fillSmallLibrary } from '../support/small-library.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { requireWholeLibrary } from '../support/whole-library.ts'

const hourMs = 3_600_000

let server: TestServer
let library: { url: string; slug: string; key: string; workspaceId: number; keys: Keys }
let backups: string

beforeAll(async () => {
  server = await startTestServer({}, byHand)
  const made = await server.addWorkspace()
  library = { ...made, key: made.keys.olivia }
  const ids = await fillSmallLibrary(callAs(library.url, library.keys.adam))
  const olivia = callAs(library.url, library.key)
  await olivia.post(`/entries/${ids.SM_Stone}/comments`, { body: 'As grey as it gets: “schön”, \\u0041 \\\\ \n and a tab\t.' })
  backups = `${server.dataDir}-backups`
})
afterAll(() => rmSync(backups, { recursive: true, force: true }))

/** Of a command in a process of its own. */
const environment = (): Record<string, string> =>
  server.settings.databaseUrl === undefined ? {} : { PH_DATABASE_URL: server.settings.databaseUrl }

const run = async (words: string[], of: Pick<TestServer, 'dataDir' | 'settings'> = server) => {
  const { code, stdout, stderr } = await administered(of).administer([...words, '--json'])
  return { code, stderr, answer: stdout === '' ? undefined : (JSON.parse(stdout) as Json) }
}

/** A place for a restored library: with an empty database in PostgreSQL, or one below the data folder. */
async function emptyPlace(kind: 'same' | 'embedded' = 'same') {
  const database = kind === 'same' ? await freshPostgres() : undefined
  onTestFinished(() => database?.drop())
  const dataDir = join(temporaryFolder(), 'data')
  const settings: Settings = { ...server.settings, dataDir, databaseUrl: database?.url }
  const start = async () => {
    const running = await startServer({ settings, log: 'none', lookMs: hourMs })
    onTestFinished(() => running.stop())
    return { ...running, dataDir, settings, library: { url: `${running.url}/w/${library.slug}`, key: library.key } }
  }
  return { dataDir, settings, start }
}

/** The only backup of a folder. */
function nameIn(folder: string): string {
  const [name = '', ...more] = readdirSync(folder).filter((one) => /^\d{4}/.test(one))
  expect(more).toEqual([])
  return name
}

/** A copy whose list someone has written anew, with a manifest that fits it. */
function forged(folder: string, change: (file: Json) => Json): string {
  const copy = join(temporaryFolder(), 'forged')
  cpSync(folder, copy, { recursive: true })
  const [list, manifest] = ['files.ndjson.gz', 'backup.json'].map((name) => join(copy, nameIn(copy), name)) as [string, string]
  const [first = '', ...rest] = gunzipSync(readFileSync(list)).toString().split('\n')
  writeFileSync(list, gzipSync([JSON.stringify(change(JSON.parse(first))), ...rest].join('\n')))
  const said = JSON.parse(readFileSync(manifest, 'utf8'))
  said.files.sha256 = createHash('sha256').update(readFileSync(list)).digest('hex')
  writeFileSync(manifest, JSON.stringify(said))
  return copy
}

test('a running library is backed up and restored, and answers every read as before, with the same keys; the next backup copies no file', async () => {
  const before = await readsOf(library)
  expect(Object.keys(before).length).toBeGreaterThan(50)
  const first = await run(['backup', backups])
  expect(first).toMatchObject({ code: 0, stderr: '', answer: { lacks: [], removed: [] } })
  expect(first.answer.copied_files).toBe(first.answer.files)
  expect((await run(['backup', backups])).answer).toMatchObject({ files: first.answer.files, copied_files: 0 })

  for (const kind of server.settings.databaseUrl ? (['same', 'embedded'] as const) : (['same'] as const)) {
    const place = await emptyPlace(kind)
    expect(await run(['restore', backups], place)).toMatchObject({
      code: 0,
      answer: { files: first.answer.files, damaged: [] },
    })
    const restored = await place.start()
    expect(await readsOf(restored.library)).toEqual(before)
    expect(await run(['check'], place)).toMatchObject({ code: 0, answer: { damaged: [], references: { broken: [] } } })
    const project = await GrowingProject.begin(restored.library, kind)
    await project.grow()
    expect((await project.push()).summary).toMatchObject({ new: 5, failed: 0 })
    await restored.stop()
    // Now no server runs there: the command opens the database itself.
    const again = await run(['backup', join(temporaryFolder(), 'again')], place)
    expect(again).toMatchObject({ code: 0, answer: { lacks: [] } })
    expect(again.answer.files).toBeGreaterThan(first.answer.files)
  }
})

test('only so many backups stay as --keep says, the one just taken among them, with the files that they name', async () => {
  const folder = join(temporaryFolder(), 'kept')
  await run(['backup', folder])
  // Taken by a clock that was wrong.
  const late = '2099-01-01T00-00-00Z'
  renameSync(join(folder, nameIn(folder)), join(folder, late))
  const unnamed = join(folder, 'files', '00', '0'.repeat(64))
  mkdirSync(dirname(unnamed), { recursive: true })
  writeFileSync(unnamed, 'of a backup that is gone')
  const second = await run(['backup', folder, '--keep', '1'])
  expect(second.answer).toMatchObject({ removed: [late] })
  expect(nameIn(folder)).toBe(second.answer.backup)
  expect(existsSync(unnamed)).toBe(false)

  const place = await emptyPlace()
  const lock = await new BackupFolder(folder).lock()
  const meanwhile = await run(['restore', folder], place)
  lock.release()
  expect([meanwhile.code, meanwhile.stderr]).toEqual([5, expect.stringContaining('goes on')])
  expect(await run(['restore', folder], place)).toMatchObject({ code: 0, answer: { files: second.answer.files, damaged: [] } })
})

test('a backup is restored into an empty place only, and is taken only where nothing but backups of the same library lie', async () => {
  const place = await emptyPlace()
  mkdirSync(place.dataDir)
  writeFileSync(join(place.dataDir, 'notes.txt'), 'mine')
  const refused = await run(['restore', backups], place)
  expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining('is not empty: there is notes.txt')])
  expect(readdirSync(place.dataDir)).toEqual(['notes.txt'])
  const full = await run(['restore', backups], {
    ...place,
    settings: { ...place.settings, databaseUrl: server.settings.databaseUrl },
    dataDir: server.dataDir,
  })
  expect([full.code, full.stderr]).toEqual([5, expect.stringContaining('is not empty')])
  const elsewhere = await run(['backup', place.dataDir])
  expect([elsewhere.code, elsewhere.stderr]).toEqual([5, expect.stringContaining('something else than backups')])
  const inside = await run(['backup', join(server.dataDir, 'backups')])
  expect([inside.code, existsSync(join(server.dataDir, 'backups'))]).toEqual([5, false])
})

test('of a damaged backup everything else comes back, what is damaged is named, and the restored library asks pushes for it', async () => {
  const { url, keys, slug } = await server.addWorkspace()
  const project = await GrowingProject.begin({ url, key: keys.mia }, 'damaged')
  await project.grow()
  await project.push()
  const folder = join(temporaryFolder(), 'damaged')
  const storage = join(server.dataDir, 'storage')
  renameSync(storage, `${storage}-away`)
  mkdirSync(storage)
  const unmounted = await run(['backup', folder])
  rmSync(storage, { recursive: true })
  renameSync(`${storage}-away`, storage)
  expect([unmounted.code, unmounted.stderr]).toEqual([1, expect.stringContaining('may not be mounted')])
  await run(['backup', folder])
  const [flipped, gone, swollen] = (await requireWholeLibrary({ url, key: keys.mia })).objects as [Json, Json, Json]
  const fileOf = ({ content_hash: hash }: Json) => join(folder, 'files', hash.slice(0, 2), hash)
  const bytes = readFileSync(fileOf(flipped))
  bytes.writeUInt8(bytes.readUInt8(50) ^ 255, 50)
  writeFileSync(fileOf(flipped), bytes)
  rmSync(fileOf(gone))
  // More than any disk has room for: it is not copied to find that out.
  truncateSync(fileOf(swollen), 2 ** 40)
  const place = await emptyPlace()
  const { code, answer } = await run(['restore', folder], place)
  expect(code).toBe(6)
  expect(Object.fromEntries(answer.damaged.map((file: Json) => [file.sha256, file.damage]))).toEqual({
    [flipped.content_hash]: 'content',
    [gone.content_hash]: 'missing',
    [swollen.content_hash]: 'size',
  })
  const restored = await place.start()
  project.library.url = `${restored.url}/w/${slug}`
  expect((await project.push()).summary).toMatchObject({ new: 0, failed: 0 })
  await requireWholeLibrary(project.library)
  expect((await run(['check'], place)).code).toBe(0)

  const name = nameIn(folder)
  const database = readFileSync(join(folder, name, 'database.ndjson.gz'))
  writeFileSync(join(folder, name, 'database.ndjson.gz'), database.subarray(0, database.length - 9))
  const next = await emptyPlace()
  const cut = await run(['restore', folder], next)
  expect([cut.code, cut.stderr]).toEqual([5, expect.stringContaining('database.ndjson.gz is damaged')])
  expect(existsSync(next.dataDir)).toBe(false)
})

test('a backup that someone has forged writes nothing outside of the library', async () => {
  const folder = join(temporaryFolder(), 'honest')
  await run(['backup', folder])
  const parent = temporaryFolder()
  const outside = { ...(await emptyPlace()), dataDir: join(parent, 'data') }
  for (const wrong of [
    { key: '../../stolen' },
    { key: '1/../../../stolen' },
    { key: join(parent, 'stolen') },
    { sha256: '../../../etc/passwd' },
    { size: -1 },
  ]) {
    const { code, stderr } = await run(['restore', forged(folder, (file) => ({ ...file, ...wrong }))], outside)
    expect([wrong, code, stderr]).toEqual([wrong, 5, expect.stringContaining('has a line that is none')])
    expect(readdirSync(parent)).toEqual([])
  }
})

test('a restore that ended in the middle is taken up by the same command, and until then no server starts there, nor does a command use it', async () => {
  const folder = join(temporaryFolder(), 'taken-up')
  await run(['backup', folder])
  const made = await run(['backup', folder, '--keep', '1'])
  const place = await emptyPlace()
  const ended = new AbortController()
  const restoring = { settings: place.settings, folder, backup: undefined }
  const endsInFiles = restoreBackup({
    ...restoring,
    tell: ({ kind }) => kind === 'files' && ended.abort(),
    signal: ended.signal,
  })
  await expect(endsInFiles).rejects.toThrow('abort')
  const unfinished = 'Run the same `ph server restore` again'
  await expect(place.start()).rejects.toThrow(unfinished)
  expect((await run(['check'], place)).stderr).toContain(unfinished)

  const mark = join(place.dataDir, 'restoring.json')
  let kept = ''
  const keepMark = () => {
    kept = readFileSync(mark, 'utf8')
  }
  const { rows } = await restoreBackup({ ...restoring, tell: keepMark, signal: new AbortController().signal })
  // As it is when the process ends after the rows are committed and before the mark is gone.
  writeFileSync(mark, kept.replace(/"id":"../, '"id":"zz'))
  expect(await run(['restore', folder], place)).toMatchObject({ code: 5, stderr: expect.stringContaining('is not empty') })
  writeFileSync(mark, kept)
  await expect(place.start()).rejects.toThrow(unfinished)
  expect(await run(['restore', folder], place)).toMatchObject({
    code: 0,
    answer: { rows, files: made.answer.files, damaged: [] },
  })
  const restored = await place.start()
  expect(Object.keys(await readsOf(restored.library)).length).toBeGreaterThan(50)
})

test('a backup that is killed counts for nothing: the one before is restored, the next one comes to its end', async () => {
  const folder = join(temporaryFolder(), 'killed')
  const whole = await run(['backup', folder])
  const { url, keys, workspaceId } = await server.addWorkspace()
  const project = await GrowingProject.begin({ url, key: keys.mia }, 'killed')
  await project.grow()
  await project.push()
  const [{ content_hash: hash }] = (await requireWholeLibrary({ url, key: keys.mia })).objects as [Json]
  const blob = join(server.dataDir, 'storage', String(workspaceId), 'blobs', hash.slice(0, 2), hash)
  // Who reads a pipe into which nobody writes waits for ever.
  renameSync(blob, `${blob}-aside`)
  execFileSync('mkfifo', [blob])
  const killed = startPhProcess(['server', 'backup', folder, '--data', server.dataDir], { env: environment() })
  await expect.poll(() => existsSync(join(folder, 'incoming.partial')), { timeout: 60_000 }).toBe(true)
  killed.signal('SIGKILL')
  await killed.ended
  rmSync(blob)
  renameSync(`${blob}-aside`, blob)

  expect((await run(['restore', folder], await emptyPlace())).answer.backup).toBe(whole.answer.backup)
  const next = await run(['backup', folder])
  expect(next).toMatchObject({ code: 0, answer: { lacks: [] } })
  expect(readdirSync(folder).filter((name) => name.endsWith('.partial'))).toEqual([])
})

test('no sweep removes a file while a backup goes on; when it is over, or was killed and is silent for five minutes, the sweep goes on', async () => {
  const { url, keys, workspaceId } = await server.addWorkspace()
  const path = (hash: string) => join(server.dataDir, 'storage', String(workspaceId), 'blobs', hash.slice(0, 2), hash)
  const [one, other] = [item(), item()]
  const { sql } = server.database
  const upload = async ({ content_hash, bytes }: typeof one) => {
    await callAs(url, keys.mia).put(`/blobs/${content_hash}`, bytes)
    await server.ledger.written()
    server.clock.advance(26 * hourMs)
  }
  await upload(one)
  await holdForBackup(sql, 'one', server.clock.now())
  await server.work.look()
  const adam = callAs(url, keys.adam)
  const sweep = (dry_run: boolean) => adam.post('/admin/sweeps', { kind: 'orphan_blobs', dry_run })
  expect(await sweep(true)).toMatchObject({ status: 200, body: { candidates: 1 } })
  const { status, body } = await sweep(false)
  expect([status, body.error.message]).toEqual([503, expect.stringContaining('Sweep again when it is over')])
  expect(existsSync(path(one.content_hash))).toBe(true)
  await endHold(sql, 'one')
  server.clock.advance(2 * hourMs)
  await server.work.look()
  expect(existsSync(path(one.content_hash))).toBe(false)
  await upload(other)
  await holdForBackup(sql, 'other', server.clock.now())
  server.clock.advance(holdMs + 1)
  await server.work.look()
  expect(existsSync(path(other.content_hash))).toBe(false)
})

test('a backup that finds its disk full says so and leaves nothing half done; the one before stays, and with room the next one goes through', async () => {
  const parent = temporaryFolder()
  const disk = await mountSmallDisk(parent, 16 * 1024 * 1024)
  const folder = join(parent, 'backups')
  const words = ['server', 'backup', folder, '--data', server.dataDir, '--json']
  const backUp = () => phProcess(words, { env: environment(), within: disk.within })
  const first = await backUp()
  expect([first.code, first.stderr]).toEqual([0, ''])
  const { url, keys } = await server.addWorkspace()
  const project = await GrowingProject.begin({ url, key: keys.mia }, 'full')
  await project.grow()
  await project.push()
  disk.fill(200 * 1024)
  const full = await backUp()
  expect([full.code, full.stderr]).toEqual([3, expect.stringMatching(/holds .*backups is full/)])
  const [only = '', ...more] = readdirSync(disk.seen(folder)).filter((name) => /^\d{4}|partial/.test(name))
  expect(more).toEqual([])
  disk.free()
  expect(only).toBe(JSON.parse(first.stdout).backup)
  expect(await backUp()).toMatchObject({ code: 0 })
})

test('a backup whose database takes longer to be written down than a hold lasts goes on all the same', async () => {
  const { database, settings } = server
  let minutes = 0
  const clock = { now: () => new Date(server.clock.now().getTime() + minutes * 60_000) }
  // Asked for when the hold has begun, by what writes the database down.
  const slow = Object.defineProperty({ ...settings }, 'dataDir', {
    get: () => {
      minutes += 10
      return settings.dataDir
    },
  })
  const parts = {
    database,
    settings: slow,
    clock,
    isServer: true,
    files: () => Promise.reject(new Error('not asked for')),
    record: () => {},
  }
  const { backup } = operatorApiOn(parts, 'test')
  const { id } = await backup.begin()
  expect(minutes * 60_000).toBeGreaterThan(holdMs)
  expect(await backup.keep({ id })).toEqual({ id })
  await backup.end({ id })
  await expect(backup.keep({ id })).rejects.toThrow('given this backup up')
})

test('rows of some MiB are backed up as they are, and read back a few at a time', async () => {
  const { sql } = server.database
  const names = Array.from({ length: 12 }, (_, at) => `long-${at}`)
  await sql`insert into settings (name, value) select name, repeat('äbcdefg', 150000) from unnest(${names}::text[]) as t(name)`
  const path = (name: string) => join(folder, name)
  const folder = temporaryFolder()
  const into = { database: new SpooledFile(path('database')), files: new SpooledFile(path('files')) }
  await atOneMoment(sql, (inside) => dump(inside, into))
  await sql`delete from settings where name like 'long-%'`
  const { lines } = await into.database.close()
  await into.files.close()
  const pages: string[][] = []
  for await (const page of linesOf(path('database'))) pages.push(page)
  const all = pages.flat()
  expect(all).toHaveLength(lines)
  expect(JSON.parse(all.at(-1) ?? '')).toEqual({ '#end': true, rows: all.filter((line) => !line.startsWith('{"#')).length })
  const long = all.filter((line) => line.startsWith('{"name":"long-')).map((line) => JSON.parse(line))
  expect(long.map(({ name }) => name).toSorted()).toEqual(names.toSorted())
  expect(new Set(long.map(({ value }) => value))).toEqual(new Set(['äbcdefg'.repeat(150_000)]))
  const lengths = pages.map((page) => page.reduce((sum, line) => sum + line.length, 0))
  expect(Math.max(...lengths)).toBeLessThan(6 * 1024 * 1024)
})
