/** Documents of commands that keep the library in order: tags, collections, categories, variants, packs, projects, names. */
import type { TSchema } from 'typebox'
import { categories } from '../../../contract/categories.ts'
import { Collection, CollectionDetail } from '../../../contract/collections.ts'
import { Pack, packs } from '../../../contract/packs.ts'
import { Project } from '../../../contract/projects.ts'
import { Tag, TagOnEntry } from '../../../contract/tags.ts'
import { WatchedEntry } from '../../../contract/watches.ts'
import { ErrorDocument, either, type Shapes, shape } from './shape.ts'

/** A bulk change; a dry run names the entries, the change itself what it was about. */
const bulk = (more: string): TSchema =>
  shape(
    `{ dry_run: boolean, affected: integer, entries?: { entry_id: integer, name: string, change: string | null }[], ${more} }`,
  )

const Row = shape(
  '{ entry_id: integer, name: string | null, status: "done" | "would" | "unchanged" | "failed", outcome: string, error?: ErrorDocument }',
  { ErrorDocument },
)
/** A change of entries one after the other. */
const each = (more = ''): TSchema =>
  shape(`{ dry_run: boolean, changed: integer, unchanged: integer, failed: integer, entries: Row[], ${more} }`, { Row })

const ofTag = bulk('tag_id?: integer | null, action?: "add" | "remove"')
const ofCollection = bulk('collection_id?: integer, action?: "add" | "remove"')
const ofCategory = bulk('category?: string | null')
const ofVariants = bulk('variant_group_id?: integer | null')

export const curationShapes: Shapes = {
  'tag list': shape('{ tags: Tag[] }', { Tag }),
  'tag create': TagOnEntry,
  'tag edit': Tag,
  'tag delete': shape('{ dry_run: boolean, tag: Tag }', { Tag }),
  'tag add': ofTag,
  'tag remove': ofTag,
  'collection list': shape('{ collections: Collection[] }', { Collection }),
  'collection show': CollectionDetail,
  'collection create': Collection,
  'collection edit': Collection,
  'collection delete': shape('{ dry_run: boolean, collection: Collection }', { Collection }),
  'collection add': ofCollection,
  'collection remove': ofCollection,
  'category list': categories.rollup.output,
  'category set': ofCategory,
  'category clear': ofCategory,
  'variant group': ofVariants,
  'variant ungroup': ofVariants,
  'pack list': shape('{ packs: Pack[] }', { Pack }),
  'pack show': Pack,
  'pack create': Pack,
  'pack edit': Pack,
  'pack delete': either(
    shape('{ dry_run: true, pack: Pack }', { Pack }),
    shape('{ dry_run: false } & Gone', { Gone: packs.remove.output }),
  ),
  'project list': shape('{ projects: Project[] }', { Project }),
  'project create': Project,
  'project edit': Project,
  'project delete': shape('{ dry_run: boolean, project: Project }', { Project }),
  rename: each(),
  restore: each(),
  deprecate: each(),
  delete: each(),
  watch: each(),
  unwatch: each(),
  mute: each(),
  watches: shape('{ watches: WatchedEntry[] }', { WatchedEntry }),
  undo: either(
    each(
      'root: string, pushed_at: string, without_entry?: { file: string, object_id: integer }[], also_undone?: { file: string, object_id: integer }[]',
    ),
    shape(
      `{ dry_run: boolean, number: integer, at: string, what: string, changed: integer, unchanged: integer, failed: integer,
        parts: { what: string, status: "done" | "would" | "unchanged" | "failed", why: string | null }[] }`,
    ),
    shape(
      `{ changes: { number: integer, at: string, what: string, root: string | null, can_be_taken_back: boolean,
        why: string | null, undone_at: string | null }[] }`,
    ),
  ),
}
