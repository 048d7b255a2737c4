/** Duplicates: the same geometry, pixels or sound in different entries (contract-gaps 9). */
import { type Static, Type } from 'typebox'
import { limits } from './limits.ts'
import { routes } from './route.ts'
import { Count, Cursor, Id, nullable, oneOf, PageLimit, repeatable } from './shapes.ts'
import { PayloadId } from './version-facts.ts'

const Text = Type.String()

export const payloadKinds = ['mesh', 'picture', 'sound'] as const
export type PayloadKind = (typeof payloadKinds)[number]

/**
 * Active entries whose current versions hold the same source data. `bytes`: what the copies take: the sizes of these versions without
 * the largest. `entries`: by id, at most 100 of `total_entries`. Where the same entries have several payloads in common they are one
 * group, under the lowest id.
 */
export const DuplicateGroup = Type.Object({
  payload_id: PayloadId,
  kind: oneOf(payloadKinds),
  bytes: Count,
  entries: Type.Array(Type.Object({ id: Id, name: Text })),
  total_entries: Count,
})
export type DuplicateGroup = Static<typeof DuplicateGroup>

export const duplicates = routes({
  list: {
    method: 'GET',
    path: '/catalog/duplicates',
    scope: 'read',
    summary: `List which active entries hold the same mesh, picture or sound, by the payload ids of their current versions, the largest saving first. \`entry_id\`: groups with this entry; \`pack\`: with an entry from one of these packs. A group names at most ${limits.duplicates.entries} entries, and how many there are.`,
    input: Type.Object({
      kind: Type.Optional(oneOf(payloadKinds)),
      entry_id: Type.Optional(Id),
      pack: Type.Optional(repeatable(Id)),
      limit: Type.Optional(PageLimit),
      cursor: Type.Optional(Cursor),
    }),
    output: Type.Object({ groups: Type.Array(DuplicateGroup), next_cursor: nullable(Text) }),
    extension: true,
    errors: ['VALIDATION', 'ENTRY_NOT_FOUND'],
  },
})
