/** What a mirror holds besides entries, read when it is loaded: packs, collections, tags, locks, and who the key acts as. */
import type Database from 'better-sqlite3'
import type { Collection } from '../../../contract/collections.ts'
import { limits } from '../../../contract/limits.ts'
import type { Lock } from '../../../contract/locks.ts'
import type { Member } from '../../../contract/members.ts'
import type { Pack } from '../../../contract/packs.ts'
import type { Tag } from '../../../contract/tags.ts'
import { activeLocks } from '../../entries/active-locks.ts'
import type { Api } from '../../http/api.ts'
import { pagesOf } from '../../http/paging.ts'
import { putMeta } from '../mirror.ts'
import type { MirrorRows } from '../rows.ts'

interface Lists {
  packs: Pack[]
  collections: Collection[]
  tags: Tag[]
  locks: Lock[]
  me: Member
}

export interface ReadLists extends Lists {
  write(rows: MirrorRows, db: Database.Database): void
}

/** One request at a time. The feed tells of locks, and of entries when a tag or a pack has another name; of the lists it tells nothing. */
export async function listBeside(api: Api, signal?: AbortSignal): Promise<ReadLists> {
  const lists: Lists = {
    ...(await readNames(api, signal)),
    locks: (await activeLocks(api)).locks,
    me: await api.members.me({}, { signal }),
  }
  return { ...lists, write: (rows, db) => writeLists(lists, rows, db) }
}

async function readNames(api: Api, signal: AbortSignal | undefined): Promise<Pick<Lists, 'packs' | 'collections' | 'tags'>> {
  const names: Pick<Lists, 'packs' | 'collections' | 'tags'> = { packs: [], collections: [], tags: [] }
  const page = (cursor: string | undefined) => ({ limit: limits.page.max, ...(cursor === undefined ? {} : { cursor }) })
  for await (const { packs } of pagesOf((cursor) => api.packs.list(page(cursor), { signal }))) names.packs.push(...packs)
  for await (const { collections } of pagesOf((cursor) => api.collections.list(page(cursor), { signal })))
    names.collections.push(...collections)
  for await (const { tags } of pagesOf((cursor) => api.tags.list(page(cursor), { signal }))) names.tags.push(...tags)
  return names
}

/** In place of what was there. Tags that only entries know stay: filters ask for them by name. */
function writeLists({ packs, collections, tags, locks, me }: Lists, rows: MirrorRows, db: Database.Database): void {
  db.exec('delete from packs; delete from collections; delete from locks')
  const pack = db.prepare('insert or replace into packs (id, record) values (?, ?)')
  for (const one of packs) pack.run(one.id, JSON.stringify(one))
  for (const collection of collections) rows.putCollection(collection)
  for (const tag of tags) rows.putTag(tag)
  for (const lock of locks) rows.putLock(lock)
  putMeta(db, { me: JSON.stringify(me) })
}
