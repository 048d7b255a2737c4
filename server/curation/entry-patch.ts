/** What PATCH changes of an entry: all that was sent, or nothing (spec 4.12; contract-gaps 5). */
import type { EntryDetail, entries } from '../../contract/entries.ts'
import type { InputOf } from '../../contract/route.ts'
import { requireAdmin } from '../front-door/roles.ts'
import type { Context } from '../handler.ts'
import { viewOf } from '../rows/comment.ts'
import { holdKnownEntries, type KnownEntry, requireEntryDetail } from '../rows/entry.ts'
import { noteFormerName } from '../rows/former/entry-names.ts'
import { lockWorkspace } from '../rows/hold.ts'
import { noteCurator } from './curators.ts'
import { moveFace } from './current-version.ts'
import { sentFields } from './sent-fields.ts'
import { spelledCategory } from './spellings.ts'

type Patch = Context & { input: InputOf<(typeof entries)['update']> }

export async function patchEntry(request: Patch): Promise<EntryDetail> {
  const { sql, workspace, actor, input } = request
  sentFields(input, ['name', 'category', 'category_locked', 'object_id', 'status'])
  if (input.status !== undefined) requireAdmin(actor)
  if (input.category) await lockWorkspace(sql, workspace.id)
  if (input.object_id !== undefined) await moveFace(request, { entryId: input.entry_id, objectId: input.object_id })
  const known = await holdKnownEntries(sql, workspace.id, [input.entry_id])
  for (const entry of known) await writeFields(request, entry)
  return requireEntryDetail(sql, viewOf(request), input.entry_id)
}

/** A category that is set by hand is locked, and one that is taken away unlocked, unless the same request says otherwise. */
async function writeFields(request: Patch, entry: KnownEntry): Promise<void> {
  const { sql, workspace, now, feed, input } = request
  const { status = entry.status } = input
  const name = input.name?.normalize('NFC') ?? entry.name
  const category =
    input.category === undefined
      ? entry.category
      : await spelledCategory(sql, workspace.id, { category: input.category, entries: [entry] })
  const byCategory = input.category === undefined ? entry.category_locked : input.category !== null
  const category_locked = input.category_locked ?? byCategory
  const changed = { name, category, category_locked, status }
  if (Object.entries(changed).every(([field, value]) => entry[field as keyof typeof changed] === value)) return
  await sql`
    update entries set ${sql({ ...changed, date_updated: now.toISOString() })} where workspace_id = ${workspace.id} and id = ${entry.id}`
  await noteCurator(request, [entry.id])
  if (name !== entry.name) await noteFormerName({ sql, workspace, now }, { entryId: entry.id, before: entry.name, name })
  feed.entriesChanged([entry])
}
