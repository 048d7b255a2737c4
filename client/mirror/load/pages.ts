/** Loads a mirror as the specification says it for every server (spec 4.6): the feed's head, then the pages of GET /entries. */
import Database from 'better-sqlite3'
import type { EntrySummary, EntryWithTags } from '../../../contract/entries.ts'
import { ApiError } from '../../../contract/errors.ts'
import { limits } from '../../../contract/limits.ts'
import type { TagOnEntry } from '../../../contract/tags.ts'
import { entryPages } from '../../entries/pages.ts'
import type { Api } from '../../http/api.ts'
import { type Mirror, makeTables, putMeta } from '../mirror.ts'
import { MirrorRows } from '../rows.ts'
import { listBeside } from './lists.ts'
import type { LoadOptions } from './news.ts'
import { settle } from './settle.ts'

/** `page_cursor`: behind the last page that is kept; empty before the first, `done` behind the last of all. */
interface Progress {
  cursor: number
  page_cursor: string
}

const done = 'done'

/** Goes on where an earlier start left off. */
export async function loadPages(mirror: Mirror, api: Api, options: LoadOptions): Promise<number> {
  const { signal, tell, now = Date.now } = options
  tell?.({ kind: 'pages' })
  const db = openLoading(mirror)
  try {
    const rows = new MirrorRows(db)
    const progress = readProgress(db) ?? (await begin(db, api, signal))
    if (progress.page_cursor !== done) await readPages({ api, db, rows, from: progress.page_cursor, ...options })
    const lists = await listBeside(api, signal)
    const tags = await readTags(api, lists.tags, signal)
    db.transaction(() => {
      lists.write(rows, db)
      writeTags(db, rows, tags)
    })()
    await settle(db, signal)
    db.prepare("delete from meta where name = 'page_cursor'").run()
    putMeta(db, { address: mirror.address, cursor: progress.cursor, loaded_at: now(), synced_at: now() })
    db.pragma('wal_checkpoint(truncate)')
    db.pragma('journal_mode = delete')
    return db.prepare('select count(*) from entries').pluck().get() as number
  } finally {
    db.close()
  }
}

/** What an earlier start left, if it can be read; else begun anew. */
function openLoading(mirror: Mirror): Database.Database {
  for (const isLast of [false, true]) {
    const db = new Database(mirror.files.loading)
    try {
      db.pragma('journal_mode = wal')
      db.pragma('synchronous = normal')
      if (readProgress(db)) return db
    } catch (error) {
      if (isLast) throw error
    }
    db.close()
    mirror.files.removeLoading()
  }
  const db = new Database(mirror.files.loading)
  db.pragma('journal_mode = wal')
  db.pragma('synchronous = normal')
  makeTables(db)
  return db
}

function readProgress(db: Database.Database): Progress | undefined {
  const has = db.prepare("select 1 from sqlite_master where name = 'meta'").get()
  if (!has) return undefined
  const read = db.prepare('select value from meta where name = ?').pluck()
  const [cursor, page_cursor] = [read.get('cursor'), read.get('page_cursor')]
  return typeof cursor === 'number' && typeof page_cursor === 'string' ? { cursor, page_cursor } : undefined
}

/** The feed's end, before anything is listed: what changes from here on is told by the feed. */
async function begin(db: Database.Database, api: Api, signal: AbortSignal | undefined): Promise<Progress> {
  let cursor = 0
  let epoch: string | undefined
  for (;;) {
    const page = await api.changes.list({ cursor, limit: limits.changesPage.max }, { signal })
    const isEnd = page.changes.length === 0 || page.next_cursor <= cursor
    cursor = Math.max(cursor, page.next_cursor)
    epoch = page.library_epoch?.id
    if (isEnd && !page.reset) break
    if (page.reset) break
  }
  putMeta(db, { cursor, page_cursor: '', ...(epoch === undefined ? {} : { epoch }) })
  return { cursor, page_cursor: '' }
}

interface Reading extends LoadOptions {
  api: Api
  db: Database.Database
  rows: MirrorRows
  from: string
}

async function readPages({ api, db, rows, from, signal, tell }: Reading): Promise<void> {
  const paging = from === '' ? {} : { cursor: from }
  try {
    for await (const { entries, next_cursor, total } of entryPages(api, { include_deprecated: true, sort: 'name' }, paging)) {
      signal?.throwIfAborted()
      db.transaction(() => {
        for (const entry of entries) rows.putEntry({ ...withoutScore(entry), tags: [] })
        putMeta(db, { page_cursor: next_cursor ?? done })
      })()
      tell?.({ kind: 'loading', entries: db.prepare('select count(*) from records').pluck().get() as number, total })
    }
  } catch (error) {
    // The server does not know the cursor of an earlier start any more.
    if (from === '' || !(error instanceof ApiError && error.status === 422)) throw error
    await readPages({ api, db, rows, from: '', signal, tell })
  }
}

const withoutScore = ({
  score: _score,
  matched: _matched,
  reason: _reason,
  ...entry
}: EntrySummary): Omit<EntryWithTags, 'tags'> => entry

/** Lists show no tags; each tag lists its entries. */
async function readTags(
  api: Api,
  tags: readonly TagOnEntry[],
  signal: AbortSignal | undefined,
): Promise<Map<number, TagOnEntry[]>> {
  const byEntry = new Map<number, TagOnEntry[]>()
  for (const { id, name, color } of tags) {
    signal?.throwIfAborted()
    for await (const { entries } of entryPages(api, { tag: [name], include_deprecated: true, sort: 'name' }))
      for (const entry of entries) byEntry.set(entry.id, [...(byEntry.get(entry.id) ?? []), { id, name, color }])
  }
  return byEntry
}

function writeTags(db: Database.Database, rows: MirrorRows, tags: ReadonlyMap<number, TagOnEntry[]>): void {
  const read = db.prepare('select summary from records where id = ?').pluck()
  for (const [id, list] of tags) {
    const summary = read.get(id) as string | undefined
    if (summary !== undefined) rows.putEntry({ ...(JSON.parse(summary) as EntryWithTags), tags: list })
  }
}
