/** Taking back what was said of entries: names, categories, deprecation, and which version is current. */
import type { EntryDetail } from '../../contract/entries.ts'
import { versionName } from '../entries/current-version.ts'
import { readEntryDetails } from '../entries/details.ts'
import type { Api } from '../http/api.ts'
import { changedFields, movedField, type Part, propsIn, type Rows, stays, takenBack } from './row.ts'
import { lastActor, memberName, undefinedWhereGone } from './who.ts'

const fields = ['name', 'category', 'category_locked', 'status', 'object_id'] as const
type Field = (typeof fields)[number]
type Said = Partial<Pick<EntryDetail, Field>>

const words: Record<Field, string> = {
  name: 'name',
  category: 'category',
  category_locked: 'lock of the category',
  status: 'status',
  object_id: 'current version',
}

const shown = (value: unknown): string => (value === null ? 'none' : String(value))

/** `named SM_Oak, category Props`: what someone would want to know of such a change. */
const described = (said: Said): string =>
  [
    said.name === undefined ? [] : `named ${said.name}`,
    said.status === undefined ? [] : said.status === 'deprecated' ? 'deprecated' : 'active',
    said.category === undefined ? [] : said.category === null ? 'without a category' : `category ${said.category}`,
    said.object_id === undefined ? [] : `version ${said.object_id} current`,
  ]
    .flat()
    .join(', ') || 'category locked or not as before'

const gone = (name: string): Part => ({ what: `${name}: is not in the library any more` })

/** Sets what was said of an entry before, unless someone has said something else since. */
function backTo(entry: EntryDetail, { before, after }: { before: Said; after: Said }, api: Api): Part {
  const what = `${entry.name}: ${described(before)} again`
  if (movedField(before, entry) === undefined) return { what: `${entry.name}: is as before already` }
  const moved = movedField(after, entry)
  if (moved !== undefined)
    return { what, refused: `Someone has changed the ${words[moved as Field]} of ${entry.name} since: ${shown(entry[moved])}.` }
  const { object_id, ...rest } = before
  const act = async () => {
    if (object_id !== undefined)
      await api.entries.restore({ entry_id: entry.id, object_id, expected_face_object_id: entry.object_id })
    if (Object.keys(rest).length > 0) await api.entries.update({ entry_id: entry.id, ...rest })
  }
  return { what, act }
}

const update = takenBack('entries', 'update', {
  before: (api, { entry_id }) => api.entries.get({ entry_id }),
  keep({ input, answer, before: was }) {
    const own = fields.filter((field) => field !== 'object_id' || input.object_id !== undefined)
    const { changed, before, after } = changedFields(was, answer, own)
    if (changed.length === 0) return undefined
    return { what: `${was.name}: ${described(after)}`, kept: { entry_id: input.entry_id, name: answer.name, before, after } }
  },
  async back({ entry_id, name, before, after }, { api }) {
    const entry = await api.entries.get({ entry_id }).catch(undefinedWhereGone)
    return [entry ? backTo(entry, { before, after }, api) : gone(name)]
  },
})

interface Categorized {
  id: number
  name: string
  before: Pick<EntryDetail, 'category' | 'category_locked'>
}

const categories = takenBack('categories', 'bulk', {
  before: (api, { entry_ids }) => readEntryDetails(api, entry_ids),
  keep({ input: { category }, before }) {
    const after = { category, category_locked: category !== null }
    const changed = [...before.values()].filter((entry) => movedField(after, entry) !== undefined)
    if (changed.length === 0) return undefined
    const was = changed.map(({ id, name, category, category_locked }) => ({ id, name, before: { category, category_locked } }))
    const names = propsIn(changed.map(({ name }) => name))
    const what = category === null ? `${names}: without a category` : `${names}: category ${category}`
    return { what, kept: { after, was } }
  },
  async back({ after, was }: { after: Said; was: Categorized[] }, { api }) {
    const now = await readEntryDetails(
      api,
      was.map(({ id }) => id),
    )
    const parts = was.map((one) => {
      const entry = now.get(one.id)
      return { one, part: entry ? backTo(entry, { before: one.before, after }, api) : gone(one.name) }
    })
    const rest = parts.filter(({ part }) => !part.act).map(({ part }) => part)
    return [...inBulk(parts, api), ...rest]
  },
})

/** Those that get the same category again in one call: it locks a category, and takes the lock away where there is none. */
function inBulk(parts: readonly { one: Categorized; part: Part }[], api: Api): Part[] {
  const acting = parts.filter(({ part }) => part.act)
  const groups = Map.groupBy(acting, ({ one: { before } }) =>
    before.category_locked === (before.category !== null) ? JSON.stringify(before.category) : undefined,
  )
  return [...groups].flatMap(([key, group]): Part[] => {
    if (key === undefined || group.length === 1) return group.map(({ part }) => part)
    const category = JSON.parse(key) as string | null
    const ids = group.map(({ one }) => one.id)
    return [
      {
        what: `${propsIn(group.map(({ one }) => one.name))}: ${described({ category })} again`,
        act: () => api.categories.bulk({ entry_ids: ids, category }),
      },
    ]
  })
}

const restore = takenBack('entries', 'restore', {
  before: async (api, { entry_id, expected_face_object_id }) =>
    expected_face_object_id ?? (await api.entries.get({ entry_id })).object_id,
  keep({ input: { entry_id, object_id }, answer: { name, face }, before }) {
    if (before === object_id) return undefined
    return { what: `${name}: v${face.version} restored`, kept: { entry_id, name, before, after: object_id } }
  },
  async back({ entry_id, name, before, after }, { api }) {
    const entry = await api.entries.get({ entry_id }).catch(undefinedWhereGone)
    if (!entry) return [gone(name)]
    if (entry.object_id === before) return [{ what: `${entry.name}: is as before already` }]
    const lineage = await api.lineages.get({ lineage_id: entry.lineage_id })
    const to = lineage.objects.find(({ object_id }) => object_id === before)
    const what = `${entry.name}: ${to ? versionName(to) : 'the version of before'} current again`
    if (entry.object_id !== after) {
      const who = await lastActor(api, { entryId: entry_id, types: ['push.commit', 'entry.restore'] })
      return [{ what, refused: `${who} has made another version of ${entry.name} current since. It stays.` }]
    }
    if (!to) return [{ what, refused: `The version of ${entry.name} from before is not in the library any more.` }]
    const { lock } = lineage
    const me = lock ? (await api.members.me()).id : undefined
    if (lock && lock.holder.id !== me)
      return [{ what, refused: `${await memberName(api, lock.holder.id)} has ${entry.name} checked out.` }]
    const act = () => api.entries.restore({ entry_id, object_id: before, expected_face_object_id: after })
    return [{ what, act }]
  },
})

export const entryFields: Rows = {
  ...update,
  ...restore,
  ...categories,
  ...stays('entries', 'remove', {
    stays: 'What is deleted is gone from the library. Push it again to have it back.',
    what: ({ entry_id }) => `Deleted prop ${entry_id}`,
  }),
}
