/** Tags: words that people put on entries, each in one color (spec 2, 4.12). */
import { type Static, Type } from 'typebox'
import { limits } from './limits.ts'
import { routes } from './route.ts'
import { absentOrNull, Count, Cursor, EntryIds, Id, named, nullable, oneOf, PageLimit } from './shapes.ts'

const TagName = named(limits.names.tag)
const TagColor = Type.String({ pattern: '^#[0-9a-fA-F]{6}$' })

/** A tag as an entry shows it. `color` is `#rrggbb`. */
export const TagOnEntry = Type.Object({ id: Id, name: Type.String(), color: nullable(Type.String()) })
export type TagOnEntry = Static<typeof TagOnEntry>

/** A tag as lists show it. Names differ by more than case; `entry_count` counts deprecated entries too. */
export const Tag = Type.Object({ id: Id, name: Type.String(), color: nullable(Type.String()), entry_count: Count })
export type Tag = Static<typeof Tag>

const onEntry = Type.Object({ entry_id: Id, tag_id: Id })
const actions = oneOf(['add', 'remove'])

export const tags = routes({
  list: {
    method: 'GET',
    path: '/tags',
    scope: 'read',
    summary: 'List the tags of the workspace by name.',
    input: Type.Object({ limit: Type.Optional(PageLimit), cursor: Type.Optional(Cursor) }),
    output: Type.Object({ tags: Type.Array(Tag), next_cursor: nullable(Type.String()) }),
    errors: ['VALIDATION'],
  },
  create: {
    method: 'POST',
    path: '/tags',
    scope: 'write',
    summary: 'Make a tag.',
    input: Type.Object({ name: TagName, color: absentOrNull(TagColor) }),
    output: TagOnEntry,
    status: 201,
    errors: ['CONFLICT', 'VALIDATION'],
  },
  update: {
    method: 'PATCH',
    path: '/tags/{tag_id}',
    scope: 'write',
    summary: 'Rename a tag, or give it another color.',
    input: Type.Object({ tag_id: Id, name: Type.Optional(TagName), color: absentOrNull(TagColor) }),
    output: Tag,
    errors: ['TAG_NOT_FOUND', 'CONFLICT', 'VALIDATION'],
  },
  remove: {
    method: 'DELETE',
    path: '/tags/{tag_id}',
    scope: 'write',
    summary: 'Delete a tag, and take it off every entry.',
    input: Type.Object({ tag_id: Id }),
    errors: ['TAG_NOT_FOUND'],
  },
  assign: {
    method: 'PUT',
    path: '/entries/{entry_id}/tags/{tag_id}',
    scope: 'write',
    effect: 'adds',
    summary: 'Put a tag on an entry.',
    input: onEntry,
    errors: ['ENTRY_NOT_FOUND', 'TAG_NOT_FOUND'],
  },
  unassign: {
    method: 'DELETE',
    path: '/entries/{entry_id}/tags/{tag_id}',
    scope: 'write',
    summary: 'Take a tag off an entry.',
    input: onEntry,
    errors: ['ENTRY_NOT_FOUND', 'TAG_NOT_FOUND'],
  },
  bulk: {
    method: 'POST',
    path: '/entries/tags/bulk',
    scope: 'write',
    effect: 'replaces',
    summary: 'Put a tag on many entries, or take it off them: all of them or none.',
    input: Type.Object({ tag_id: Id, entry_ids: EntryIds, action: actions }),
    output: Type.Object({ tag_id: Id, action: actions, affected: Count }),
    repeatable: true,
    errors: ['TAG_NOT_FOUND', 'ENTRY_NOT_FOUND', 'VALIDATION'],
  },
})
