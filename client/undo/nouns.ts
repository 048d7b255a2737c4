/** Taking back what was made or changed of tags, collections, packs, projects and webhooks. */
import { ApiError } from '../../contract/errors.ts'
import type { Api } from '../http/api.ts'
import { pagesOf } from '../http/paging.ts'
import { changedFields, movedField, type Part, type Rows, stays, takenBack } from './row.ts'
import { memberName, undefinedWhereGone } from './who.ts'

type Fields = Record<string, unknown>

/** One kind of thing: how it is read, what can be said of it, and how it is changed and deleted. */
interface Kind {
  word: string
  key: 'name' | 'url'
  fields: readonly string[]
  /** Undefined where it is not there any more. */
  read(api: Api, id: number): Promise<Fields | undefined>
  set(api: Api, id: number, fields: Fields): Promise<unknown>
  remove(api: Api, id: number): Promise<unknown>
  /** What others have done with it, which would be lost with it. */
  usedBy?(thing: Fields): string | undefined
  /** Only admins delete one. */
  adminRemoves?: boolean
}

const used = (thing: Fields, field: string, [one, more]: readonly [string, string]): string | undefined => {
  const many = Number(thing[field])
  return many > 0 ? `${many} ${many === 1 ? one : more}` : undefined
}

const tag: Kind = {
  word: 'tag',
  key: 'name',
  fields: ['name', 'color'],
  async read(api, id) {
    for await (const { tags } of pagesOf((cursor) => api.tags.list({ limit: 200, ...(cursor ? { cursor } : {}) }))) {
      const found = tags.find((one) => one.id === id)
      if (found) return found
    }
    return undefined
  },
  set: (api, tag_id, fields) => api.tags.update({ tag_id, ...fields }),
  remove: (api, tag_id) => api.tags.remove({ tag_id }),
  usedBy: (thing) => used(thing, 'entry_count', ['prop has it', 'props have it']),
}

const collection: Kind = {
  word: 'collection',
  key: 'name',
  fields: ['name', 'description'],
  read: (api, collection_id) => api.collections.get({ collection_id }).catch(undefinedWhereGone),
  set: (api, collection_id, fields) => api.collections.update({ collection_id, ...fields }),
  remove: (api, collection_id) => api.collections.remove({ collection_id }),
  usedBy: (thing) => used(thing, 'entry_count', ['prop is in it', 'props are in it']),
}

const pack: Kind = {
  word: 'pack',
  key: 'name',
  fields: ['name', 'source_path', 'source_type', 'engine_version', 'product_url', 'notes'],
  read: (api, pack_id) => api.packs.get({ pack_id }).catch(undefinedWhereGone),
  set: (api, pack_id, fields) => api.packs.update({ pack_id, ...fields }),
  remove: (api, pack_id) => api.packs.remove({ pack_id }),
  usedBy: (thing) => used(thing, 'object_count', ['version came with it', 'versions came with it']),
  adminRemoves: true,
}

const project: Kind = {
  word: 'project',
  key: 'name',
  fields: ['name', 'default_root', 'notes'],
  read: async (api, id) => (await api.projects.list()).projects.find((one) => one.id === id),
  set: (api, project_id, fields) => api.projects.update({ project_id, ...fields }),
  remove: (api, project_id) => api.projects.remove({ project_id }),
  usedBy: (thing) => used(thing, 'job_count', ['pull job brings props there', 'pull jobs bring props there']),
}

const webhook: Kind = {
  word: 'webhook',
  key: 'url',
  fields: ['url', 'events', 'format', 'active'],
  read: async (api, id) => (await api.webhooks.list()).webhooks.find((one) => one.id === id),
  set: (api, webhook_id, fields) => api.webhooks.update({ webhook_id, ...fields }),
  remove: (api, webhook_id) => api.webhooks.remove({ webhook_id }),
}

const pick = (thing: Fields, fields: readonly string[]): Fields =>
  Object.fromEntries(fields.map((field) => [field, thing[field]]))

const sinceChanged = async (api: Api, called: string, thing: Fields): Promise<string> =>
  `${await memberName(api, thing.updated_by as number | undefined)} has changed ${called} since. It stays as it is.`

/** How the library changes things whose calls look alike; each row below names its route. */
const made = (kind: Kind) => ({
  keep({ answer }: { answer: Fields }) {
    const left = pick(answer, kind.fields)
    const called = `the ${kind.word} ${answer[kind.key]}`
    return { what: `Made ${called}`, kept: { id: Number(answer.id), called, left } }
  },
  async back(
    { id, called, left }: { id: number; called: string; left: Fields },
    { api, isAlone }: { api: Api; isAlone: boolean },
  ): Promise<Part[]> {
    const what = `${called}: deleted`
    const thing = await kind.read(api, id)
    if (!thing) return [{ what: `${called}: is deleted already` }]
    if (movedField(left, thing) !== undefined) return [{ what, refused: await sinceChanged(api, called, thing) }]
    const uses = kind.usedBy?.(thing)
    if (isAlone && uses) return [{ what, refused: stillUsed(called, uses) }]
    if (kind.adminRemoves && (await api.identity.me()).user.role !== 'admin')
      return [{ what, refused: `Only an admin of the workspace can delete ${called}.` }]
    return [{ what, act: () => removeUnused(kind, { id, called }, api) }]
  },
})

const stillUsed = (called: string, uses: string): string => `${called} is in use by now: ${uses}. It stays.`

/** Looks again: what was undone before it may have been all that used it. */
async function removeUnused(kind: Kind, { id, called }: { id: number; called: string }, api: Api): Promise<void> {
  const thing = await kind.read(api, id)
  const uses = thing && kind.usedBy?.(thing)
  if (uses) throw new ApiError('CONFLICT', stillUsed(called, uses))
  if (thing) await kind.remove(api, id)
}

const changed = (kind: Kind) => ({
  keepOf(before: Fields, answer: Fields) {
    const told = changedFields(before, answer, kind.fields)
    if (told.changed.length === 0) return undefined
    const called = `the ${kind.word} ${answer[kind.key]}`
    const what = `Changed ${called}: ${told.changed.join(', ')}`
    return { what, kept: { id: Number(answer.id), called, before: told.before as Fields, after: told.after as Fields } }
  },
  async back(
    { id, called, before, after }: { id: number; called: string; before: Fields; after: Fields },
    { api }: { api: Api },
  ): Promise<Part[]> {
    const what = `${called}: ${Object.keys(before).join(', ')} as before`
    const thing = await kind.read(api, id)
    if (!thing) return [{ what: `${called}: is not in the library any more` }]
    if (movedField(before, thing) === undefined) return [{ what: `${called}: is as before already` }]
    if (movedField(after, thing) !== undefined) return [{ what, refused: await sinceChanged(api, called, thing) }]
    return [{ what, act: () => kind.set(api, id, before) }]
  },
})

const read = async (kind: Kind, api: Api, id: number): Promise<Fields> => (await kind.read(api, id)) ?? {}

const deleted = 'What is deleted is gone from the library. Make it again to have it back.'

export const nouns: Rows = {
  ...takenBack('tags', 'create', made(tag)),
  ...takenBack('collections', 'create', made(collection)),
  ...takenBack('packs', 'create', made(pack)),
  ...takenBack('projects', 'create', made(project)),
  ...takenBack('webhooks', 'create', made(webhook)),
  ...takenBack('tags', 'update', {
    before: (api, { tag_id }) => read(tag, api, tag_id),
    keep: ({ answer, before }) => changed(tag).keepOf(before, answer),
    back: changed(tag).back,
  }),
  ...takenBack('collections', 'update', {
    before: (api, { collection_id }) => read(collection, api, collection_id),
    keep: ({ answer, before }) => changed(collection).keepOf(before, answer),
    back: changed(collection).back,
  }),
  ...takenBack('packs', 'update', {
    before: (api, { pack_id }) => read(pack, api, pack_id),
    keep: ({ answer, before }) => changed(pack).keepOf(before, answer),
    back: changed(pack).back,
  }),
  ...takenBack('projects', 'update', {
    before: (api, { project_id }) => read(project, api, project_id),
    keep: ({ answer, before }) => changed(project).keepOf(before, answer),
    back: changed(project).back,
  }),
  ...takenBack('webhooks', 'update', {
    before: (api, { webhook_id }) => read(webhook, api, webhook_id),
    keep: ({ answer, before }) => changed(webhook).keepOf(before, answer),
    back: changed(webhook).back,
  }),
  ...stays('tags', 'remove', { stays: deleted, what: ({ tag_id }) => `Deleted tag ${tag_id}` }),
  ...stays('collections', 'remove', { stays: deleted, what: ({ collection_id }) => `Deleted collection ${collection_id}` }),
  ...stays('packs', 'remove', { stays: deleted, what: ({ pack_id }) => `Deleted pack ${pack_id}` }),
  ...stays('projects', 'remove', { stays: deleted, what: ({ project_id }) => `Deleted project ${project_id}` }),
  ...stays('webhooks', 'remove', { stays: deleted, what: ({ webhook_id }) => `Deleted webhook ${webhook_id}` }),
  ...stays('webhooks', 'test', {
    stays: 'A test event was sent, and its receiver has it.',
    what: ({ webhook_id }) => `Tested webhook ${webhook_id}`,
  }),
  ...stays('webhooks', 'replay', {
    stays: 'Events were queued again, and receivers may have them.',
    what: ({ webhook_id }) => `Sent events of webhook ${webhook_id} again`,
  }),
}
