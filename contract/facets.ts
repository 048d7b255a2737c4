/** Facets: how many of the entries that pass the filters have what (spec 4.2). */
import { type Static, Type } from 'typebox'
import { Count, Id, nullable, oneOf, previewStatuses, reviewStates } from './shapes.ts'

const Text = Type.String()

/** From the smallest to the largest value; both null when no entry has one. */
const Range = Type.Object({ min: nullable(Type.Number()), max: nullable(Type.Number()) })

/** Values that no entry has are left out; the most frequent come first. A `null` category is the uncategorized. */
export const Facets = Type.Object({
  packs: Type.Array(Type.Object({ id: Id, name: Text, count: Count })),
  categories: Type.Array(Type.Object({ value: nullable(Text), count: Count })),
  tags: Type.Array(Type.Object({ id: Id, name: Text, color: nullable(Text), count: Count })),
  types: Type.Array(Type.Object({ value: Text, count: Count })),
  variant: Type.Array(Type.Object({ value: Type.Boolean(), count: Count })),
  preview: Type.Array(Type.Object({ value: oneOf(previewStatuses), count: Count })),
  review: Type.Array(Type.Object({ value: oneOf(reviewStates), count: Count })),
  /** `bounds`: the longest edge, in centimetres. */
  metadata: Type.Object({ tri_count: Range, vert_count: Range, material_count: Range, lod_count: Range, bounds: Range }),
})
export type Facets = Static<typeof Facets>
