/** The filters of lists of entries, of their facets and of searches by image (spec 4.2; contract-gaps 9). */
import { Type } from 'typebox'
import { limits } from './limits.ts'
import { Id, named, oneOf, previewStatuses, repeatable, reviewStates } from './shapes.ts'

/** A package path, a folder ending in `/`, or a path in which `*` stands for any characters, slashes too. */
const PathPattern = Type.String({ pattern: '^[/*]([^*]*\\*){0,20}[^*]*$', maxLength: 1000 })
const Range = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

/** The filters of GET /entries; repeatable ones are ORed, different ones ANDed. */
export const entryFilters = {
  pack: Type.Optional(repeatable(Id)),
  category: Type.Optional(repeatable(Type.String({ maxLength: 120 }))),
  uncategorized: Type.Optional(Type.Boolean()),
  exclude_category: Type.Optional(repeatable(Type.String({ maxLength: 120 }))),
  exclude_uncategorized: Type.Optional(Type.Boolean()),
  tag: Type.Optional(repeatable(Type.String({ maxLength: 80 }))),
  type: Type.Optional(repeatable(Type.String({ maxLength: 100 }))),
  variant: Type.Optional(Type.Boolean()),
  variant_group: Type.Optional(Id),
  preview: Type.Optional(oneOf(previewStatuses)),
  review: Type.Optional(oneOf(reviewStates)),
  has_collision: Type.Optional(Type.Boolean()),
  nanite: Type.Optional(Type.Boolean()),
  tri_min: Type.Optional(Range),
  tri_max: Type.Optional(Range),
  vert_min: Type.Optional(Range),
  vert_max: Type.Optional(Range),
  material_min: Type.Optional(Range),
  material_max: Type.Optional(Range),
  lod_min: Type.Optional(Range),
  lod_max: Type.Optional(Range),
  bounds_min: Type.Optional(Type.Number()),
  bounds_max: Type.Optional(Type.Number()),
  include_deprecated: Type.Optional(Type.Boolean()),
  origin_path: Type.Optional(repeatable(Type.String({ maxLength: 1000 }))),
  name: Type.Optional(repeatable(named(200))),
  /** A name that the entry has, had within a year, or that the file of its current version has. */
  known_as: Type.Optional(repeatable(named(200))),
  path: Type.Optional(Type.Array(PathPattern, { minItems: 1, maxItems: 20 })),
  pushed_from: Type.Optional(repeatable(named(limits.pullJob.projectName))),
}
