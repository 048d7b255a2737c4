/** Collections: entries that someone gathered for a purpose; any entry may be in several (spec 2, 4.12). */
import { type Static, Type } from 'typebox'
import { limits } from './limits.ts'
import { routes } from './route.ts'
import {
  absentOrNull,
  Count,
  Cursor,
  EntryIds,
  entryStatuses,
  Id,
  named,
  nullable,
  oneOf,
  PageLimit,
  Timestamp,
} from './shapes.ts'

const Text = Type.String()
const CollectionName = named(limits.names.collection)
const Description = Type.String({ maxLength: limits.description })

const collectionFields = {
  id: Id,
  name: Text,
  description: nullable(Text),
  created_by: nullable(Id),
  created_at: Timestamp,
  updated_by: nullable(Id),
  date_updated: Timestamp,
  entry_count: Count,
}

/** A collection as lists show it. */
export const Collection = Type.Object(collectionFields)
export type Collection = Static<typeof Collection>

/** An entry as a collection shows it. */
export const CollectionEntry = Type.Object({
  id: Id,
  name: Text,
  entry_type: Text,
  category: nullable(Text),
  status: oneOf(entryStatuses),
  has_thumbnail: Type.Boolean(),
  added_at: Timestamp,
})
export type CollectionEntry = Static<typeof CollectionEntry>

/** A collection with its entries, in the order in which they were added. */
export const CollectionDetail = Type.Object({ ...collectionFields, entries: Type.Array(CollectionEntry) })
export type CollectionDetail = Static<typeof CollectionDetail>

const member = Type.Object({ collection_id: Id, entry_id: Id })
const actions = oneOf(['add', 'remove'])

export const collections = routes({
  list: {
    method: 'GET',
    path: '/collections',
    scope: 'read',
    summary: 'List the collections of the workspace by name.',
    input: Type.Object({ limit: Type.Optional(PageLimit), cursor: Type.Optional(Cursor) }),
    output: Type.Object({ collections: Type.Array(Collection), next_cursor: nullable(Text) }),
    errors: ['VALIDATION'],
  },
  create: {
    method: 'POST',
    path: '/collections',
    scope: 'write',
    summary: 'Make a collection.',
    input: Type.Object({ name: CollectionName, description: absentOrNull(Description) }),
    output: Collection,
    status: 201,
    errors: ['CONFLICT', 'VALIDATION'],
  },
  get: {
    method: 'GET',
    path: '/collections/{collection_id}',
    scope: 'read',
    summary: 'Show a collection with its entries.',
    input: Type.Object({ collection_id: Id }),
    output: CollectionDetail,
    errors: ['COLLECTION_NOT_FOUND'],
  },
  update: {
    method: 'PATCH',
    path: '/collections/{collection_id}',
    scope: 'write',
    summary: 'Rename a collection, or describe it.',
    input: Type.Object({ collection_id: Id, name: Type.Optional(CollectionName), description: absentOrNull(Description) }),
    output: Collection,
    errors: ['COLLECTION_NOT_FOUND', 'CONFLICT', 'VALIDATION'],
  },
  remove: {
    method: 'DELETE',
    path: '/collections/{collection_id}',
    scope: 'write',
    summary: 'Delete a collection; its entries stay.',
    input: Type.Object({ collection_id: Id }),
    errors: ['COLLECTION_NOT_FOUND'],
  },
  addEntry: {
    method: 'PUT',
    path: '/collections/{collection_id}/entries/{entry_id}',
    scope: 'write',
    effect: 'adds',
    summary: 'Put an entry into a collection.',
    input: member,
    errors: ['COLLECTION_NOT_FOUND', 'ENTRY_NOT_FOUND'],
  },
  removeEntry: {
    method: 'DELETE',
    path: '/collections/{collection_id}/entries/{entry_id}',
    scope: 'write',
    summary: 'Take an entry out of a collection.',
    input: member,
    errors: ['COLLECTION_NOT_FOUND', 'ENTRY_NOT_FOUND'],
  },
  bulk: {
    method: 'POST',
    path: '/collections/{collection_id}/entries/bulk',
    scope: 'write',
    effect: 'replaces',
    summary: 'Put many entries into a collection, or take them out: all of them or none.',
    input: Type.Object({ collection_id: Id, entry_ids: EntryIds, action: actions }),
    output: Type.Object({ collection_id: Id, action: actions, affected: Count }),
    repeatable: true,
    errors: ['COLLECTION_NOT_FOUND', 'ENTRY_NOT_FOUND', 'VALIDATION'],
  },
})
