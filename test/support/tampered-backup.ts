/** Backups that someone has changed: a copy of one, changed in one place, with a description that fits it where that is wished. */
import { createHash } from 'node:crypto'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { failureOf } from '../../cli/exit.ts'
import { load } from '../../server/administration/backup/load.ts'
import { restoreBackup } from '../../server/administration/backup/restore.ts'
import type { Settings } from '../../server/config.ts'
import type { Database } from '../../server/database/open.ts'
import { inTransaction } from '../../server/database/transaction.ts'
import type { Json } from './api.ts'
import type { Random } from './random-library.ts'
import { temporaryFolder } from './temporary-folder.ts'

export const parts = { database: 'database.ndjson.gz', files: 'files.ndjson.gz' }
export type Part = keyof typeof parts

/** A copy of a folder with one backup. */
export class TamperedBackup {
  readonly folder = join(temporaryFolder(), 'tampered')

  constructor(honest: string) {
    cpSync(honest, this.folder, { recursive: true })
  }

  get name(): string {
    return readdirSync(this.folder).find((one) => /^\d{4}/.test(one)) ?? ''
  }

  path(file: string): string {
    return join(this.folder, this.name, file)
  }

  get manifest(): Json {
    return JSON.parse(readFileSync(this.path('backup.json'), 'utf8'))
  }

  describe(change: (manifest: Json) => unknown): void {
    const manifest = this.manifest
    writeFileSync(this.path('backup.json'), JSON.stringify(change(manifest) ?? manifest))
  }

  lines(part: Part): string[] {
    return gunzipSync(readFileSync(this.path(parts[part])))
      .toString()
      .split('\n')
      .slice(0, -1)
  }

  /** Writes the lines of a part anew, and a description that fits them. */
  rewrite(part: Part, lines: readonly string[]): void {
    this.put(part, gzipSync(lines.map((line) => `${line}\n`).join('')), lines.length)
  }

  /** The same of bytes. */
  put(part: Part, bytes: Buffer, lines?: number): void {
    writeFileSync(this.path(parts[part]), bytes)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    this.describe((manifest) => {
      manifest[part] = { sha256, bytes: bytes.length, lines: lines ?? manifest[part].lines }
    })
  }
}

/** What a restore of it ends with; undefined where it goes through. The database is loaded in a transaction that is taken back. */
export async function endOf(
  backup: TamperedBackup,
  { settings, database }: { settings: Settings; database: Database },
): Promise<Json> {
  const looked = new AbortController()
  const place: Settings = { ...settings, databaseUrl: undefined, dataDir: join(temporaryFolder(), 'data') }
  const tell = (event: { kind: string; says?: string }) => {
    if (event.says === 'Bringing the database back') looked.abort(new Error('looked'))
  }
  try {
    await restoreBackup({ settings: place, folder: backup.folder, backup: undefined, tell, signal: looked.signal })
  } catch (error) {
    if ((error as Error).message !== 'looked') return failureOf(error)
  }
  return loadedAndTakenBack(backup, database)
}

const takenBack = new Error('taken back')

async function loadedAndTakenBack(backup: TamperedBackup, database: Database): Promise<Json> {
  const { migration } = backup.manifest
  const loading = { kind: database.kind, now: new Date(), migration, path: backup.path(parts.database) }
  try {
    return await inTransaction(database.sql, async (sql) => {
      await load({ sql, ...loading })
      throw takenBack
    })
  } catch (error) {
    return error === takenBack ? undefined : failureOf(error)
  }
}

const values: readonly unknown[] = [
  null,
  '',
  0,
  -1,
  1e15,
  1.5,
  1e308,
  true,
  [],
  {},
  '../../x',
  '\u0000',
  'x'.repeat(5000),
  '9'.repeat(400),
]

/** Changes one thing, chosen by chance; says what. */
export function tamper(backup: TamperedBackup, below: Random): string {
  const kind = below(4)
  if (kind === 0) return tamperBytes(backup, below)
  if (kind === 1) return tamperManifest(backup, below)
  const part = kind === 2 ? 'files' : 'database'
  const lines = backup.lines(part)
  const at = below(lines.length)
  const line = lines[at] ?? ''
  const what = below(7)
  if (what === 0) lines.splice(at, 1)
  else if (what === 1) lines.splice(at, 0, line)
  else if (what === 2) lines.push(lines.splice(at, 1)[0] ?? '')
  else if (what === 3) lines[at] = line.slice(0, below(line.length))
  else if (what === 4)
    lines[at] = ['', 'null', '[]', '{}', '{"#table":"../x"}', '{"#end":true,"rows":1}', '{"a":1},{"a":2}'][below(7)] ?? ''
  else lines[at] = withOther(line, below)
  backup.rewrite(part, lines)
  return `${part} line ${at + 1}: ${what}: ${line.slice(0, 200)} -> ${(lines[at] ?? '').slice(0, 200)}`
}

/** A field of a line that has another value, or another name. */
function withOther(line: string, below: Random): string {
  const read = JSON.parse(line)
  const names = Object.keys(read)
  const name = names[below(names.length)] ?? ''
  const value = read[name]
  if (below(4) === 0) return JSON.stringify({ ...read, [name]: undefined, [`${name}x`]: value })
  return JSON.stringify({ ...read, [name]: values[below(values.length)] })
}

function tamperBytes(backup: TamperedBackup, below: Random): string {
  const file = [...Object.values(parts), 'backup.json'][below(3)] ?? ''
  const bytes = readFileSync(backup.path(file))
  const at = below(bytes.length)
  const cut = below(2) === 0
  if (!cut) bytes[at] = (bytes[at] ?? 0) ^ (1 + below(255))
  const changed = cut ? bytes.subarray(0, at) : bytes
  const part = (Object.keys(parts) as Part[]).find((one) => parts[one] === file)
  if (part && below(2) === 0) backup.put(part, changed)
  else writeFileSync(backup.path(file), changed)
  return `${file}, byte ${at}${cut ? ', cut' : ''}`
}

function tamperManifest(backup: TamperedBackup, below: Random): string {
  let said = ''
  backup.describe((manifest) => {
    const names = Object.keys(manifest)
    const name = names[below(names.length)] ?? ''
    manifest[name] = values[below(values.length)]
    said = `backup.json: ${name} is ${String(JSON.stringify(manifest[name])).slice(0, 60)}`
  })
  return said
}
