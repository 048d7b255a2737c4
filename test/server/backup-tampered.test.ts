// Backups that someone has changed: each ends with a sentence that names the file and what to do, and none is half restored and called whole.
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { BackupFolder } from '../../server/administration/backup/backup-folder.ts'
import { restoreBackup } from '../../server/administration/backup/restore.ts'
import { migrate } from '../../server/database/migrate.ts'
import { type Database, openDatabase } from '../../server/database/open.ts'
import { administered } from '../support/administered.ts'
import { callAs, type Json } from '../support/api.ts'
import { freshPostgres } from '../support/fresh-postgres.ts'
import { ofMany } from '../support/long-runs.ts'
import { seeded } from '../support/random-library.ts'
import { byHand, startTestServer, type TestServer } from '../support/server.ts'
import { fillSmallLibrary } from '../support/small-library.ts'
import { endOf, parts, TamperedBackup, tamper } from '../support/tampered-backup.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const limits = { timeout: ofMany(480_000, 3_600_000) }

let server: TestServer
let database: Database
let honest: string
let dropDatabase: (() => Promise<void>) | undefined

beforeAll(async () => {
  server = await startTestServer({}, byHand)
  const { url, keys } = await server.addWorkspace()
  await fillSmallLibrary(callAs(url, keys.adam))
  honest = `${server.dataDir}-honest`
  const made = await administered(server).administer(['backup', honest])
  expect(made.code, made.stderr).toBe(0)
  const own = server.settings.databaseUrl === undefined ? undefined : await freshPostgres()
  dropDatabase = own && (async () => own.drop())
  const embeddedDir = `${honest}-load`
  database = await openDatabase({ databaseUrl: own?.url, embeddedDir, cacheMiB: 16, networkDisk: false })
  // Once: each load then is rows alone, and is taken back.
  await migrate(database, new Date())
}, 240_000)
afterAll(async () => {
  await database?.close()
  await dropDatabase?.()
  for (const folder of [honest, `${honest}-load`]) rmSync(folder, { recursive: true, force: true })
})

const tampered = () => new TamperedBackup(honest)
const ends = (backup: TamperedBackup): Promise<Json> => endOf(backup, { settings: server.settings, database })

/** Changes the first line of a table's rows. */
const inRow = (table: string, change: (row: Json) => unknown) => (backup: TamperedBackup) => {
  const lines = backup.lines('database')
  const at = lines.indexOf(`{"#table":"${table}"}`) + 1
  lines[at] = JSON.stringify(change(JSON.parse(lines[at] ?? '')))
  backup.rewrite('database', lines)
}
const inLines = (change: (lines: string[]) => unknown) => (backup: TamperedBackup) => {
  const lines = backup.lines('database')
  change(lines)
  backup.rewrite('database', lines)
}
/** The same of its text: no program writes all of what can stand there. */
const inText = (table: string, change: (row: string) => string) =>
  inLines((lines) => {
    const at = lines.indexOf(`{"#table":"${table}"}`) + 1
    lines[at] = change(lines[at] ?? '')
  })
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
const lineOf = (lines: readonly string[], begin: string) => lines.findIndex((line) => line.startsWith(begin))
const described = (change: Json) => (backup: TamperedBackup) => backup.describe((manifest) => ({ ...manifest, ...change }))
const swapped = (file: string, make: (path: string) => unknown) => (backup: TamperedBackup) => {
  rmSync(backup.path(file))
  make(backup.path(file))
}

test('what nobody changed goes through', limits, async () => {
  expect(await ends(tampered())).toBeUndefined()
})

test.each<[what: string, change: (backup: TamperedBackup) => unknown, names: RegExp]>([
  ['a description that is no JSON', (one) => writeFileSync(one.path('backup.json'), '{'), /backup\.json cannot be read/],
  ['an empty description', (one) => writeFileSync(one.path('backup.json'), ''), /backup\.json cannot be read/],
  ['a folder for a description', swapped('backup.json', (path) => mkdirSync(path)), /backup\.json cannot be read/],
  ['a pipe for a description', swapped('backup.json', (path) => execFileSync('mkfifo', [path])), /backup\.json cannot be read/],
  ['no migration at all', described({ migration: 0 }), /backup\.json cannot be read/],
  ['half a migration', described({ migration: 12.5 }), /backup\.json cannot be read/],
  ['a newer format', described({ format: 2 }), /newer Prop House/],
  ['a newer database', described({ migration: 999 }), /newer Prop House/],
  ['keys out of the store', described({ lacks: ['../../x'] }), /backup\.json cannot be read/],
  [
    'a database that is cut',
    (one) => one.put('database', gzipSync('{"#table":"accounts"}\n').subarray(0, 20)),
    /database\.ndjson\.gz cannot be unpacked/,
  ],
  ['an empty database', (one) => one.put('database', Buffer.alloc(0)), /database\.ndjson\.gz/],
  [
    'no compressed database',
    (one) => one.put('database', Buffer.from('{"#end":true}\n')),
    /database\.ndjson\.gz cannot be unpacked/,
  ],
  [
    'bytes that are no text',
    (one) => one.put('database', gzipSync(Buffer.from([0x7b, 0xff, 0xfe, 0x0a]))),
    /database\.ndjson\.gz holds bytes that are no text/,
  ],
  ['half a line', (one) => one.put('database', gzipSync('{"#table":"accounts"}')), /ends in the middle of a line/],
  ['a folder for a database', swapped(parts.database, (path) => mkdirSync(path)), /database\.ndjson\.gz is missing/],
  ['a pipe for a database', swapped(parts.database, (path) => execFileSync('mkfifo', [path])), /database\.ndjson\.gz is missing/],
  ['a link to itself for a database', swapped(parts.database, (path) => symlinkSync(path, path)), /database\.ndjson\.gz/],
  [
    'the list for a database',
    (one) => one.rewrite('database', one.lines('files')),
    /database\.ndjson\.gz, line 1: is a row before any table/,
  ],
  [
    'the database for a list',
    (one) => one.rewrite('files', one.lines('database')),
    /files\.ndjson\.gz has a line that is none, line 1/,
  ],
  [
    'a list with a file twice',
    (one) => one.rewrite('files', [...one.lines('files'), one.lines('files')[0] ?? '']),
    /files\.ndjson\.gz, line \d+: names/,
  ],
  ['a mark that is no JSON', inLines((lines) => (lines[0] = '{"#table":')), /database\.ndjson\.gz, line 1: is no object of JSON/],
  ['a mark of another type', inLines((lines) => (lines[0] = '{"#table":7}')), /line 1: says something that no backup says/],
  ['a table that is none', inLines((lines) => (lines[0] = '{"#table":"pg_authid"}')), /line 1: names a table pg_authid/],
  ['a table twice', inLines((lines) => lines.unshift(lines[0] ?? '')), /line 2: names \w+, which stands above already/],
  [
    'a sequence that is none',
    inLines((lines) => lines.splice(-1, 0, '{"#sequence":"nobody_id_seq","last":1}')),
    /line \d+: names a sequence/,
  ],
  [
    'a sequence of a huge number',
    inLines((lines) => lines.splice(-1, 0, '{"#sequence":"x_id_seq","last":1e300}')),
    /line \d+: says something/,
  ],
  [
    'a sequence that lies behind',
    inLines((lines) => (lines[lineOf(lines, '{"#sequence":"members')] = '{"#sequence":"members_id_seq","last":1}')),
    /behind the rows of members/,
  ],
  ['no sequence', inLines((lines) => lines.splice(lineOf(lines, '{"#sequence":"members'), 1)), /behind the rows of members/],
  [
    'a document that is nested without end',
    inText('objects', (row) => row.replace(/"metadata_doc":(null|\{[^{}]*\})/, `"metadata_doc":${nested(100_000)}`)),
    /database\.ndjson\.gz, line \d+: is nested deeper than 512 levels/,
  ],
  [
    'a number of very many digits',
    inText('objects', (row) => row.replace(/"blob_size":\d+/, `"blob_size":${'9'.repeat(200_000)}`)),
    /database\.ndjson\.gz, line \d+: is no row that objects takes: value "9{100,300}…\.$/,
  ],
  ['a row that is no JSON', inLines((lines) => (lines[lineOf(lines, '{"id"')] = '{"id":')), /line \d+: is no object of JSON/],
  ['two rows on a line', inLines((lines) => (lines[lineOf(lines, '{"id"')] += ',{}')), /line \d+: is no object of JSON/],
  ['rows behind the end', inLines((lines) => lines.push('{"id":1}')), /line \d+: stands behind the end/],
  [
    'another number of rows',
    inLines((lines) => (lines[lines.length - 1] = '{"#end":true,"rows":3}')),
    /line \d+: says that there are 3 rows/,
  ],
  ['no end', inLines((lines) => lines.pop()), /database\.ndjson\.gz has no end/],
  ['a table less', inLines((lines) => lines.splice(lineOf(lines, '{"#table":"throttles"}'), 1)), /lacks the table throttles/],
  ['a column more', inRow('workspaces', (row) => ({ ...row, is_admin: true })), /line \d+: has other columns than/],
  ['a column less', inRow('workspaces', ({ slug: _, ...row }) => row), /line \d+: has other columns than/],
  ['a text for a number', inRow('workspaces', (row) => ({ ...row, id: 'x' })), /line \d+: is no row that workspaces takes/],
  [
    'a number that is too large',
    inRow('workspaces', (row) => ({ ...row, id: 1e30 })),
    /line \d+: is no row that workspaces takes/,
  ],
  [
    'nothing where there must be something',
    inRow('workspaces', (row) => ({ ...row, slug: null })),
    /line \d+: is no row that workspaces takes/,
  ],
  ['a value that a rule forbids', inRow('members', (row) => ({ ...row, role: 'god' })), /line \d+: is no row that members takes/],
  [
    'a time that is none',
    inRow('accounts', (row) => ({ ...row, created_at: '32 May' })),
    /line \d+: is no row that accounts takes/,
  ],
  [
    'a reference to nobody',
    inRow('members', (row) => ({ ...row, account_id: 999_999 })),
    /has a row of members that refers to one that is not there/,
  ],
  [
    'fewer lines than were written',
    (one) =>
      one.put(
        'database',
        gzipSync(
          one
            .lines('database')
            .map((line) => `${line}\n`)
            .join(''),
        ),
        3,
      ),
    /database\.ndjson\.gz has \d+ of 3 lines/,
  ],
])('a backup with %s is refused in words that name the place', limits, async (_, change, names) => {
  const backup = tampered()
  change(backup)
  const { code, message, next } = await ends(backup)
  expect([code, message]).toEqual([expect.stringMatching(/^(CONFLICT|NOT_FOUND|ELOOP)$/), expect.stringMatching(names)])
  expect(next).not.toBe('')
})

test('a row twice among many is found at its line', limits, async () => {
  const backup = tampered()
  const lines = backup.lines('database')
  const begin = lines.indexOf('{"#table":"members"}') + 1
  lines.splice(begin + 2, 0, lines[begin] ?? '')
  const end = JSON.parse(lines.at(-1) ?? '')
  lines[lines.length - 1] = JSON.stringify({ ...end, rows: end.rows + 1 })
  backup.rewrite('database', lines)
  expect((await ends(backup)).message).toContain(`line ${begin + 3}: is no row that members takes`)
})

test('files that the list no longer names are told as missing, and the exit is that of a part', limits, async () => {
  const backup = tampered()
  const [gone = '', ...rest] = backup.lines('files')
  backup.rewrite('files', rest)
  const own = server.settings.databaseUrl === undefined ? undefined : await freshPostgres()
  onTestFinished(() => own?.drop())
  const settings = { ...server.settings, databaseUrl: own?.url, dataDir: join(temporaryFolder(), 'data') }
  const signal = new AbortController().signal
  const report = await restoreBackup({ settings, folder: backup.folder, backup: undefined, tell: () => {}, signal })
  expect(report.damaged.map(({ key }) => key)).toEqual([JSON.parse(gone).key])
})

test('a database of another library is refused', limits, async () => {
  const backup = tampered()
  backup.describe((manifest) => ({ ...manifest, library: 'f'.repeat(32) }))
  const own = server.settings.databaseUrl === undefined ? undefined : await freshPostgres()
  onTestFinished(() => own?.drop())
  const settings = { ...server.settings, databaseUrl: own?.url, dataDir: join(temporaryFolder(), 'data') }
  const signal = new AbortController().signal
  const restored = restoreBackup({ settings, folder: backup.folder, backup: undefined, tell: () => {}, signal })
  await expect(restored).rejects.toThrow(
    /is that of another library\. Nothing of its database was kept; .*data holds files of it: remove that folder/,
  )
})

test('a folder whose mark is no JSON is named when it is backed up to', async () => {
  const backup = tampered()
  writeFileSync(join(backup.folder, 'prop-house-backups.json'), '{')
  await expect(new BackupFolder(backup.folder).prepare('x')).rejects.toThrow(
    /prop-house-backups\.json does not say which library/,
  )
})

test('whatever is changed by chance, the end is a sentence about the backup, or a backup that is whole', limits, async () => {
  const unexpected: unknown[] = []
  for (let seed = 1; seed <= ofMany(300, 5_000); seed++) {
    const backup = tampered()
    const what = tamper(backup, seeded(seed))
    const failure = await ends(backup)
    if (failure && !['CONFLICT', 'NOT_FOUND'].includes(failure.code)) unexpected.push({ seed, what, failure })
    rmSync(backup.folder, { recursive: true })
  }
  expect(unexpected).toEqual([])
})
