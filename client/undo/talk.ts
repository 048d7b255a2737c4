/** Taking back what people said: comments, reactions, drawings, watches, settings of notifications. */
import { type Part, type Rows, stays, takenBack } from './row.ts'
import { memberName, undefinedWhereGone } from './who.ts'

const mostWords = 40
const quoted = (body: string): string => {
  const line = body.split('\n')[0] ?? ''
  return `"${line.length > mostWords ? `${line.slice(0, mostWords)}…` : line}"`
}

const created = takenBack('comments', 'create', {
  keep: ({ answer: { id, entry_id, body, parent_id } }) => ({
    what: `${parent_id === null ? 'Commented' : 'Replied'} ${quoted(body)}`,
    kept: { id, entry_id, body },
  }),
  async back({ id, entry_id, body }, { api }) {
    const what = `the comment ${quoted(body)}: deleted`
    const thread = await api.comments.list({ entry_id }).catch(undefinedWhereGone)
    const now = thread?.comments.find((one) => one.id === id)
    if (!thread || !now) return [{ what: `the comment ${quoted(body)}: is deleted already` }]
    const reply = thread.comments.find(({ parent_id }) => parent_id === id)
    if (reply) return [{ what, refused: `${reply.author.display_name} has replied to it, and the reply would go with it.` }]
    if (now.body !== body)
      return [{ what, refused: `${await memberName(api, now.updated_by)} has edited the comment since: ${quoted(now.body)}.` }]
    return [{ what, act: () => api.comments.remove({ comment_id: id }) }]
  },
})

const edited = takenBack('comments', 'update', {
  before: (api, { comment_id }) => api.comments.get({ comment_id }),
  keep({ answer: { id, body }, before }) {
    if (body === before.body) return undefined
    return { what: `Edited a comment: ${quoted(body)}`, kept: { id, before: before.body, after: body } }
  },
  async back({ id, before, after }, { api }) {
    const what = `the comment ${quoted(after)}: ${quoted(before)} again`
    const now = await api.comments.get({ comment_id: id }).catch(undefinedWhereGone)
    if (!now) return [{ what: 'the comment: is deleted' }]
    if (now.body === before) return [{ what: `the comment ${quoted(before)}: is as before already` }]
    if (now.body !== after)
      return [{ what, refused: `${await memberName(api, now.updated_by)} has edited the comment since: ${quoted(now.body)}.` }]
    return [{ what, act: () => api.comments.update({ comment_id: id, body: before }) }]
  },
})

const thread = (verb: 'resolve' | 'unresolve'): Rows =>
  takenBack('comments', verb, {
    before: async (api, { comment_id }) => (await api.comments.get({ comment_id })).resolved_at,
    keep({ answer: { id, body, resolved_at }, before }) {
      if ((before === null) === (resolved_at === null)) return undefined
      return { what: `${resolved_at === null ? 'Reopened' : 'Resolved'} ${quoted(body)}`, kept: { id, body, resolved_at } }
    },
    async back({ id, body, resolved_at }, { api }): Promise<Part[]> {
      const what = `the thread ${quoted(body)}: ${resolved_at === null ? 'resolved' : 'open'} again`
      const now = await api.comments.get({ comment_id: id }).catch(undefinedWhereGone)
      if (!now) return [{ what: `the thread ${quoted(body)}: is deleted` }]
      if ((now.resolved_at === null) !== (resolved_at === null))
        return [{ what: `the thread ${quoted(body)}: is as before already` }]
      if (now.resolved_at !== resolved_at)
        return [{ what, refused: `${now.resolved_by?.display_name ?? 'someone'} has resolved it again since.` }]
      const to = resolved_at === null ? api.comments.resolve : api.comments.unresolve
      return [{ what, act: () => to({ comment_id: id }) }]
    },
  })

const reaction = (verb: 'react' | 'unreact'): Rows =>
  takenBack('comments', verb, {
    before: (api, { comment_id }) => api.comments.get({ comment_id }),
    keep({ input: { comment_id, emoji }, before: { reactions, body } }) {
      const had = reactions.some((one) => one.emoji === emoji && one.me)
      if (had === (verb === 'react')) return undefined
      const what = verb === 'react' ? `Reacted ${emoji} to ${quoted(body)}` : `Took ${emoji} off ${quoted(body)}`
      return { what, kept: { comment_id, emoji, body } }
    },
    async back({ comment_id, emoji, body }, { api }): Promise<Part[]> {
      const now = await api.comments.get({ comment_id }).catch(undefinedWhereGone)
      if (!now) return [{ what: `the comment ${quoted(body)}: is deleted` }]
      const has = now.reactions.some((one) => one.emoji === emoji && one.me)
      if (has !== (verb === 'react')) return [{ what: `${emoji} at ${quoted(body)}: is as before already` }]
      const what = `${emoji} at ${quoted(body)}: ${has ? 'taken off' : 'there'} again`
      const to = has ? api.comments.unreact : api.comments.react
      return [{ what, act: () => to({ comment_id, emoji }) }]
    },
  })

const drawn = takenBack('annotations', 'create', {
  keep: ({ answer: { id, entry_id, shape } }) => ({ what: `Drew a ${shape} on prop ${entry_id}`, kept: { id, entry_id, shape } }),
  async back({ id, entry_id, shape }, { api }) {
    const what = `the ${shape} on prop ${entry_id}: deleted`
    const there = await api.annotations.list({ entry_id }).catch(undefinedWhereGone)
    if (!there?.annotations.some((one) => one.id === id)) return [{ what: `the ${shape}: is deleted already` }]
    return [{ what, act: () => api.annotations.remove({ annotation_id: id }) }]
  },
})

const watch = (verb: 'set' | 'remove'): Rows =>
  takenBack('watches', verb, {
    before: (api, { entry_id }) => api.watches.get({ entry_id }),
    keep({ answer, before }) {
      const [was, is] = [stateOf(before), stateOf(answer)]
      if (was === is) return undefined
      return { what: `Prop ${answer.entry_id}: ${wordsOf(is)}`, kept: { entry_id: answer.entry_id, was, is } }
    },
    async back({ entry_id, was, is }, { api }): Promise<Part[]> {
      const now = await api.watches.get({ entry_id }).catch(undefinedWhereGone)
      if (!now) return [{ what: `prop ${entry_id}: is not in the library any more` }]
      const what = `prop ${entry_id}: ${wordsOf(was)} again`
      if (stateOf(now) === was) return [{ what: `prop ${entry_id}: is as before already` }]
      if (stateOf(now) !== is) return [{ what, refused: `You have set it to ${wordsOf(stateOf(now))} since.` }]
      const act = () => (was === null ? api.watches.remove({ entry_id }) : api.watches.set({ entry_id, state: was }))
      return [{ what, act }]
    },
  })

type State = 'watching' | 'muted' | null

/** What a person chose; null where nothing was chosen. */
const stateOf = ({ state, implicit }: { state: State; implicit: boolean }): State => (implicit ? null : state)
const wordsOf = (state: State): string => state ?? 'neither watched nor muted'

const preferences = takenBack('notifications', 'setPrefs', {
  before: (api) => api.notifications.prefs(),
  keep({ answer: { prefs: after }, before: { prefs: before } }) {
    if (JSON.stringify(before) === JSON.stringify(after)) return undefined
    return { what: 'Changed which notifications you get', kept: { before, after } }
  },
  async back({ before, after }, { api }) {
    const what = 'notifications: on and off as before'
    const now = JSON.stringify((await api.notifications.prefs()).prefs)
    if (now === JSON.stringify(before)) return [{ what: 'notifications: are as before already' }]
    if (now !== JSON.stringify(after)) return [{ what, refused: 'You have changed which notifications you get since.' }]
    return [{ what, act: () => api.notifications.setPrefs({ prefs: before as never }) }]
  },
})

const deleted = 'What is deleted is gone from the library.'

export const talk: Rows = {
  ...created,
  ...edited,
  ...thread('resolve'),
  ...thread('unresolve'),
  ...reaction('react'),
  ...reaction('unreact'),
  ...drawn,
  ...watch('set'),
  ...watch('remove'),
  ...preferences,
  ...stays('comments', 'remove', { stays: deleted, what: ({ comment_id }) => `Deleted comment ${comment_id}` }),
  ...stays('annotations', 'remove', { stays: deleted, what: ({ annotation_id }) => `Deleted drawing ${annotation_id}` }),
  ...stays('annotations', 'update', {
    stays: 'A drawing stays with its comment. Delete it and draw it again.',
    what: ({ annotation_id }) => `Tied drawing ${annotation_id} to a comment`,
  }),
}
