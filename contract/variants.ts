/** Variant groups: entries that are one prop in several looks; an entry is in one group at most (spec 4.12). */
import { Type } from 'typebox'
import { limits } from './limits.ts'
import { routes } from './route.ts'
import { absentOrNull, Count, EntryIds, Id, named, nullable, oneOf } from './shapes.ts'

export const variants = routes({
  bulk: {
    method: 'POST',
    path: '/entries/variant-group/bulk',
    scope: 'write',
    effect: 'replaces',
    summary: 'Put entries into one variant group, theirs if they have one, or take them out of theirs. All of them or none.',
    input: Type.Object({
      entry_ids: EntryIds,
      action: oneOf(['group', 'ungroup']),
      label: absentOrNull(named(limits.names.entry)),
    }),
    output: Type.Object({ variant_group_id: nullable(Id), affected: Count }),
    errors: ['ENTRY_NOT_FOUND', 'CONFLICT', 'VALIDATION'],
  },
})
