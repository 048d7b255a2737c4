/** Categories: the one label of an entry that says what kind of thing it is; no records of their own (spec 4.2, 4.12). */
import { Type } from 'typebox'
import { Category } from './entries.ts'
import { routes } from './route.ts'
import { Count, EntryIds, nullable } from './shapes.ts'

export const categories = routes({
  rollup: {
    method: 'GET',
    path: '/categories/rollup',
    scope: 'read',
    summary: 'Count the active entries of each category, and the packs that they come from; null is the uncategorized.',
    output: Type.Object({
      categories: Type.Array(Type.Object({ category: nullable(Type.String()), count: Count, pack_count: Count })),
    }),
  },
  bulk: {
    method: 'POST',
    path: '/entries/category/bulk',
    scope: 'write',
    effect: 'replaces',
    summary: 'Categorize many entries and lock that against pushes; null takes both away. All of them or none.',
    input: Type.Object({ entry_ids: EntryIds, category: nullable(Category) }),
    output: Type.Object({ category: nullable(Type.String()), affected: Count }),
    repeatable: true,
    errors: ['ENTRY_NOT_FOUND', 'VALIDATION'],
  },
})
