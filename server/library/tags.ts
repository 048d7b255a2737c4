/** Tags: words that people put on entries (spec 4.12). An entry shows its tags, so whatever changes them changes the entry. */

import { limits } from '../../contract/limits.ts'
import { nameKey } from '../../contract/names.ts'
import type { tags as contract } from '../../contract/tags.ts'
import { noteCurator } from '../curation/curators.ts'
import { sentFields } from '../curation/sent-fields.ts'
import { writeNamed } from '../curation/taken-name.ts'
import { fromCursor, toCursor } from '../cursor.ts'
import { amongIds } from '../database/among.ts'
import type { Sql } from '../database/sql.ts'
import type { Context, Handlers } from '../handler.ts'
import { holdKnownEntries } from '../rows/entry.ts'
import { lockWorkspace } from '../rows/hold.ts'
import { holdTag, selectTagged, selectTags } from '../rows/tag.ts'

export const tags: Handlers<typeof contract> = {
  async list({ sql, workspace, input }) {
    const { limit = limits.page.default, cursor } = input
    const [key, id] = cursor === undefined ? [] : fromCursor(['tags', workspace.id], cursor, ['text', 'id'])
    const after = key === undefined || id === undefined ? sql`` : sql`and (t.name_key, t.id) > (${key}, ${id})`
    const found = await selectTags(sql, workspace.id, sql`${after} order by t.name_key, t.id limit ${limit + 1}`)
    const page = found.slice(0, limit)
    const last = found.length > limit ? page.at(-1) : undefined
    return {
      tags: page.map(({ name_key: _key, ...tag }) => tag),
      next_cursor: last ? toCursor(['tags', workspace.id], [last.name_key, last.id]) : null,
    }
  },

  async create({ sql, workspace, actor, now, input }) {
    const { name, color = null } = input
    const row = {
      workspace_id: workspace.id,
      name,
      name_key: nameKey(name),
      color,
      created_by: actor.id,
      created_at: now.toISOString(),
    }
    const [tag] = await writeNamed(
      sql,
      uniqueTag({ sql, workspaceId: workspace.id, name }),
      () => sql<{ id: number }[]>`insert into tags ${sql(row)} returning id`,
    )
    if (!tag) throw new Error('the tag was not recorded')
    return { id: tag.id, name, color }
  },

  async update(request) {
    const { sql, workspace, feed, input } = request
    const sent = sentFields(input, ['name', 'color'])
    await lockWorkspace(sql, workspace.id)
    const tag = await holdTag(sql, workspace.id, { tagId: input.tag_id, to: 'change' })
    const { name = tag.name, color = tag.color } = sent
    if (name !== tag.name || color !== tag.color) {
      await writeNamed(
        sql,
        uniqueTag({ sql, workspaceId: workspace.id, name }),
        () => sql`
          update tags set name = ${name}, name_key = ${nameKey(name)}, color = ${color}
           where workspace_id = ${workspace.id} and id = ${tag.id}`,
      )
      feed.entriesChanged(await selectTagged(sql, workspace.id, tag.id))
    }
    const [changed] = await selectTags(sql, workspace.id, sql`and t.id = ${tag.id}`)
    if (!changed) throw new Error('a tag that was held is gone')
    const { name_key: _key, ...answer } = changed
    return answer
  },

  async remove({ sql, workspace, feed, input }) {
    await lockWorkspace(sql, workspace.id)
    const { id } = await holdTag(sql, workspace.id, { tagId: input.tag_id, to: 'change' })
    feed.entriesChanged(await selectTagged(sql, workspace.id, id))
    await sql`delete from entry_tags where workspace_id = ${workspace.id} and tag_id = ${id}`
    await sql`delete from tags where workspace_id = ${workspace.id} and id = ${id}`
  },

  async assign(request) {
    const { tag_id: tagId, entry_id } = request.input
    await setTag(request, { tagId, entryIds: [entry_id], action: 'add' })
  },

  async unassign(request) {
    const { tag_id: tagId, entry_id } = request.input
    await setTag(request, { tagId, entryIds: [entry_id], action: 'remove' })
  },

  async bulk(request) {
    const { tag_id, entry_ids, action } = request.input
    return { tag_id, action, affected: await setTag(request, { tagId: tag_id, entryIds: entry_ids, action }) }
  },
}

const uniqueTag = ({ sql, workspaceId, name }: { sql: Sql; workspaceId: number; name: string }) => ({
  constraint: 'tags_name',
  noun: 'tag',
  name,
  holder: sql`select id from tags where workspace_id = ${workspaceId} and name_key = ${nameKey(name)}`,
})

interface Setting {
  tagId: number
  entryIds: readonly number[]
  action: 'add' | 'remove'
}

/** Gives how many entries are named; only those that look different now are recorded. */
async function setTag(request: Context, { tagId, entryIds, action }: Setting): Promise<number> {
  const { sql, workspace, feed } = request
  await holdTag(sql, workspace.id, { tagId, to: 'use' })
  const entries = await holdKnownEntries(sql, workspace.id, entryIds)
  const ids = entries.map((entry) => entry.id)
  const changed =
    action === 'add'
      ? await sql<{ entry_id: number }[]>`
          insert into entry_tags (workspace_id, tag_id, entry_id) select ${workspace.id}, ${tagId}, unnest(${ids}::bigint[])
          on conflict do nothing returning entry_id`
      : await sql<{ entry_id: number }[]>`
          delete from entry_tags where workspace_id = ${workspace.id} and tag_id = ${tagId} and entry_id ${amongIds(sql, ids)}
          returning entry_id`
  const looksNew = new Set(changed.map((row) => row.entry_id))
  await noteCurator(request, [...looksNew])
  feed.entriesChanged(entries.filter((entry) => looksNew.has(entry.id)))
  return entries.length
}
