/** Collections: entries that someone gathered (spec 4.12). Each change of one is told by the change feed (contract-gaps 5a). */

import type { collections as contract } from '../../contract/collections.ts'
import { limits } from '../../contract/limits.ts'
import { sentFields } from '../curation/sent-fields.ts'
import { writeNamed } from '../curation/taken-name.ts'
import { fromCursor, toCursor } from '../cursor.ts'
import { amongIds } from '../database/among.ts'
import type { Sql } from '../database/sql.ts'
import { atOneMoment } from '../database/transaction.ts'
import type { Context, Handlers } from '../handler.ts'
import { holdCollection, requireCollection, selectCollectionEntries, selectCollections } from '../rows/collection.ts'
import { holdKnownEntries } from '../rows/entry.ts'
import { lockWorkspace } from '../rows/hold.ts'

export const collections: Handlers<typeof contract> = {
  async list({ sql, workspace, input }) {
    const { limit = limits.page.default, cursor } = input
    const [name, id] = cursor === undefined ? [] : fromCursor(['collections', workspace.id], cursor, ['text', 'id'])
    const after = name === undefined || id === undefined ? sql`` : sql`and (c.name, c.id) > (${name}, ${id})`
    const found = await selectCollections(sql, workspace.id, sql`${after} order by c.name, c.id limit ${limit + 1}`)
    const page = found.slice(0, limit)
    const last = found.length > limit ? page.at(-1) : undefined
    return { collections: page, next_cursor: last ? toCursor(['collections', workspace.id], [last.name, last.id]) : null }
  },

  async create({ sql, workspace, actor, now, feed, input }) {
    const at = now.toISOString()
    const by = { created_by: actor.id, created_at: at, updated_by: actor.id, date_updated: at }
    const row = { workspace_id: workspace.id, name: input.name, description: input.description ?? null, ...by }
    const [made] = await writeNamed(
      sql,
      uniqueCollection({ sql, workspaceId: workspace.id, name: input.name }),
      () => sql<{ id: number }[]>`insert into collections ${sql(row)} returning id`,
    )
    if (!made) throw new Error('the collection was not recorded')
    feed.changed({ entity: 'collection', entityId: made.id, lineageId: null, op: 'upsert' })
    return requireCollection(sql, workspace.id, made.id)
  },

  async get({ sql, workspace, input }) {
    return atOneMoment(sql, async (sql) => {
      const collection = await requireCollection(sql, workspace.id, input.collection_id)
      return { ...collection, entries: await selectCollectionEntries(sql, workspace.id, collection.id) }
    })
  },

  async update({ sql, workspace, actor, now, feed, input }) {
    const sent = sentFields(input, ['name', 'description'])
    await holdCollection(sql, workspace.id, { id: input.collection_id, to: 'change' })
    const changes = { ...sent, updated_by: actor.id, date_updated: now.toISOString() }
    await writeNamed(
      sql,
      uniqueCollection({ sql, workspaceId: workspace.id, name: input.name ?? '' }),
      () => sql`update collections set ${sql(changes)} where workspace_id = ${workspace.id} and id = ${input.collection_id}`,
    )
    feed.changed({ entity: 'collection', entityId: input.collection_id, lineageId: null, op: 'upsert' })
    return requireCollection(sql, workspace.id, input.collection_id)
  },

  async remove({ sql, workspace, feed, input }) {
    // Deletions of entries take their rows out of many collections.
    await lockWorkspace(sql, workspace.id)
    await holdCollection(sql, workspace.id, { id: input.collection_id, to: 'change' })
    await sql`delete from collection_entries where workspace_id = ${workspace.id} and collection_id = ${input.collection_id}`
    await sql`delete from collections where workspace_id = ${workspace.id} and id = ${input.collection_id}`
    feed.changed({ entity: 'collection', entityId: input.collection_id, lineageId: null, op: 'delete' })
  },

  async addEntry(request) {
    await setMembers(request, { collectionId: request.input.collection_id, entryIds: [request.input.entry_id], action: 'add' })
  },

  async removeEntry(request) {
    await setMembers(request, { collectionId: request.input.collection_id, entryIds: [request.input.entry_id], action: 'remove' })
  },

  async bulk(request) {
    const { collection_id, entry_ids, action } = request.input
    const affected = await setMembers(request, { collectionId: collection_id, entryIds: entry_ids, action })
    return { collection_id, action, affected }
  },
}

const uniqueCollection = ({ sql, workspaceId, name }: { sql: Sql; workspaceId: number; name: string }) => ({
  constraint: 'collections_name',
  noun: 'collection',
  name,
  holder: sql`select id from collections where workspace_id = ${workspaceId} and name = ${name}`,
})

interface Setting {
  collectionId: number
  entryIds: readonly number[]
  action: 'add' | 'remove'
}

/** Gives how many entries are named. */
async function setMembers(
  { sql, workspace, actor, now, feed }: Context,
  { collectionId, entryIds, action }: Setting,
): Promise<number> {
  await holdCollection(sql, workspace.id, { id: collectionId, to: 'change' })
  const ids = (await holdKnownEntries(sql, workspace.id, entryIds)).map((entry) => entry.id)
  const at = now.toISOString()
  const changed =
    action === 'add'
      ? await sql`
          insert into collection_entries (workspace_id, collection_id, entry_id, added_by, added_at)
          select ${workspace.id}, ${collectionId}, unnest(${ids}::bigint[]), ${actor.id}, ${at}
          on conflict do nothing returning entry_id`
      : await sql`
          delete from collection_entries
           where workspace_id = ${workspace.id} and collection_id = ${collectionId} and entry_id ${amongIds(sql, ids)} returning entry_id`
  if (changed.length === 0) return ids.length
  await sql`
    update collections set updated_by = ${actor.id}, date_updated = ${at} where workspace_id = ${workspace.id} and id = ${collectionId}`
  feed.changed({ entity: 'collection', entityId: collectionId, lineageId: null, op: 'upsert' })
  return ids.length
}
