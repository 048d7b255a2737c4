/** Taking back what entries were put into or taken out of: tags, collections, variant groups. */
import type { EntryDetail } from '../../contract/entries.ts'
import { limits } from '../../contract/limits.ts'
import { readEntryDetails } from '../entries/details.ts'
import type { Api } from '../http/api.ts'
import { pagesOf } from '../http/paging.ts'
import { type Kept, type Part, propsIn, type Rows, takenBack } from './row.ts'

interface Change {
  /** Of the tag or the collection. */
  id: number
  action: 'add' | 'remove'
  /** Those that the call changed; the others were so before. */
  entry_ids: number[]
  /** What it is called, where one of the entries said so. */
  called: string
}

interface Group {
  word: 'tag' | 'collection'
  of(entry: EntryDetail): readonly { id: number; name: string }[]
  set(api: Api, change: Pick<Change, 'id' | 'action' | 'entry_ids'>): Promise<unknown>
  /** Pages of all there are, each with its name. */
  all(
    api: Api,
    page: { limit: number; cursor?: string },
  ): Promise<{ some: { id: number; name: string }[]; next_cursor: string | null }>
}

const tag: Group = {
  word: 'tag',
  of: ({ tags }) => tags,
  set: (api, { id, action, entry_ids }) => api.tags.bulk({ tag_id: id, entry_ids, action }),
  all: async (api, page) => {
    const { tags: some, next_cursor } = await api.tags.list(page)
    return { some, next_cursor }
  },
}

const collection: Group = {
  word: 'collection',
  of: ({ collections }) => collections,
  set: (api, { id, action, entry_ids }) => api.collections.bulk({ collection_id: id, entry_ids, action }),
  all: async (api, page) => {
    const { collections: some, next_cursor } = await api.collections.list(page)
    return { some, next_cursor }
  },
}

const opposite = { add: 'remove', remove: 'add' } as const
const isIn = ({ of }: Group, entry: EntryDetail, id: number): boolean => of(entry).some((one) => one.id === id)

interface Before {
  entries: EntryDetail[]
  called: string
}

async function beforeOf(group: Group, { id, ids }: { id: number; ids: readonly number[] }, api: Api): Promise<Before> {
  const entries = [...(await readEntryDetails(api, ids)).values()]
  const known = entries.flatMap((entry) => group.of(entry)).find((one) => one.id === id)
  return { entries, called: `the ${group.word} ${known?.name ?? (await nameOf(group, id, api)) ?? id}` }
}

async function nameOf({ all }: Group, id: number, api: Api): Promise<string | undefined> {
  const ask = (cursor: string | undefined) => all(api, { limit: limits.page.max, ...(cursor ? { cursor } : {}) })
  for await (const { some } of pagesOf(ask)) {
    const found = some.find((one) => one.id === id)
    if (found) return found.name
  }
  return undefined
}

function keepOf(
  group: Group,
  { id, action }: Pick<Change, 'id' | 'action'>,
  { entries, called }: Before,
): Kept<Change> | undefined {
  const changed = entries.filter((entry) => isIn(group, entry, id) !== (action === 'add'))
  if (changed.length === 0) return undefined
  const names = propsIn(changed.map(({ name }) => name))
  const into = group.word === 'tag' ? 'got' : 'put into'
  const out = group.word === 'tag' ? 'lost' : 'taken out of'
  const what = `${names}: ${action === 'add' ? into : out} ${called}`
  return { what, kept: { id, action, entry_ids: changed.map((entry) => entry.id), called } }
}

/** Entries that are back already, or gone, need nothing. */
async function backOf(group: Group, { id, action, entry_ids, called }: Change, api: Api): Promise<Part[]> {
  const now = await readEntryDetails(api, entry_ids)
  const left = [...now.values()].filter((entry) => isIn(group, entry, id) === (action === 'add'))
  if (left.length === 0) return [{ what: `${called}: no prop is as it was left, so nothing is to do` }]
  const names = propsIn(left.map(({ name }) => name))
  const what = action === 'add' ? `${names}: without ${called} again` : `${names}: with ${called} again`
  const change = { id, action: opposite[action], entry_ids: left.map((entry) => entry.id) }
  return [{ what, act: () => group.set(api, change) }]
}

const tagRow = takenBack('tags', 'bulk', {
  before: (api, { tag_id: id, entry_ids: ids }) => beforeOf(tag, { id, ids }, api),
  keep: ({ input: { tag_id: id, action }, before }) => keepOf(tag, { id, action }, before),
  back: (kept, { api }) => backOf(tag, kept, api),
})

const oneTag = (verb: 'assign' | 'unassign', action: Change['action']): Rows =>
  takenBack('tags', verb, {
    before: (api, { tag_id: id, entry_id }) => beforeOf(tag, { id, ids: [entry_id] }, api),
    keep: ({ input: { tag_id: id }, before }) => keepOf(tag, { id, action }, before),
    back: (kept, { api }) => backOf(tag, kept, api),
  })

const collectionRow = takenBack('collections', 'bulk', {
  before: (api, { collection_id: id, entry_ids: ids }) => beforeOf(collection, { id, ids }, api),
  keep: ({ input: { collection_id: id, action }, before }) => keepOf(collection, { id, action }, before),
  back: (kept, { api }) => backOf(collection, kept, api),
})

const oneInCollection = (verb: 'addEntry' | 'removeEntry', action: Change['action']): Rows =>
  takenBack('collections', verb, {
    before: (api, { collection_id: id, entry_id }) => beforeOf(collection, { id, ids: [entry_id] }, api),
    keep: ({ input: { collection_id: id }, before }) => keepOf(collection, { id, action }, before),
    back: (kept, { api }) => backOf(collection, kept, api),
  })

interface Grouped {
  id: number
  name: string
  group: { id: number; label: string | null } | null
  /** Another entry of that group, which stayed in it. */
  beside: number | null
}

const variants = takenBack('variants', 'bulk', {
  async before(api, { entry_ids, action }) {
    const entries = [...(await readEntryDetails(api, entry_ids)).values()]
    const ids = new Set(entries.flatMap(({ variant_group }) => variant_group?.id ?? []))
    const besides = new Map<number, number | null>()
    if (action === 'ungroup') for (const id of ids) besides.set(id, await staysIn(api, id, entry_ids))
    return entries.map(
      ({ id, name, variant_group: group }): Grouped => ({
        id,
        name,
        group: group && { id: group.id, label: group.label },
        beside: group ? (besides.get(group.id) ?? null) : null,
      }),
    )
  },
  keep({ input: { action }, answer: { variant_group_id: into }, before }) {
    const changed = before.filter(({ group }) => (action === 'group' ? group === null : group !== null))
    if (changed.length === 0) return undefined
    const names = propsIn(changed.map(({ name }) => name))
    const what = action === 'group' ? `${names}: put into variant group ${into}` : `${names}: taken out of their variant group`
    return { what, kept: { into, changed } }
  },
  async back({ into, changed }, { api }) {
    const now = await readEntryDetails(
      api,
      changed.map(({ id }) => id),
    )
    if (into === null) return regroup(changed, now, api)
    const left = [...now.values()].filter(({ variant_group }) => variant_group?.id === into)
    if (left.length === 0) return [{ what: `variant group ${into}: none of the props is in it any more` }]
    const entry_ids = left.map(({ id }) => id)
    const what = `${propsIn(left.map(({ name }) => name))}: out of variant group ${into} again`
    return [{ what, act: () => api.variants.bulk({ entry_ids, action: 'ungroup' }) }]
  },
})

async function staysIn(api: Api, group: number, leaving: readonly number[]): Promise<number | null> {
  const { entries } = await api.entries.list({ variant_group: group, include_deprecated: true, limit: limits.page.max })
  return entries.find(({ id }) => !leaving.includes(id))?.id ?? null
}

/** A group that nobody is left in is made again, with its label and another number. */
function regroup(changed: readonly Grouped[], now: ReadonlyMap<number, EntryDetail>, api: Api): Part[] {
  return [...Map.groupBy(changed, ({ group }) => group?.id)].flatMap(([, members]): Part[] => {
    const there = members.flatMap(({ id }) => now.get(id) ?? [])
    const free = there.filter(({ variant_group }) => variant_group === null)
    const taken = there.filter(({ variant_group }) => variant_group !== null)
    const parts = taken.map(
      ({ name, variant_group }): Part => ({
        what: `${name}: into its variant group again`,
        refused: `Someone has put ${name} into variant group ${variant_group?.id} since.`,
      }),
    )
    const [{ group, beside } = { group: null, beside: null }] = members
    const entry_ids = [...free.map(({ id }) => id), ...(beside === null ? [] : [beside])]
    if (free.length === 0) return parts
    const what = `${propsIn(free.map(({ name }) => name))}: into their variant group again`
    const label = group?.label == null ? {} : { label: group.label }
    return [...parts, { what, act: () => api.variants.bulk({ entry_ids, action: 'group', ...label }) }]
  })
}

export const memberships: Rows = {
  ...tagRow,
  ...oneTag('assign', 'add'),
  ...oneTag('unassign', 'remove'),
  ...collectionRow,
  ...oneInCollection('addEntry', 'add'),
  ...oneInCollection('removeEntry', 'remove'),
  ...variants,
}
