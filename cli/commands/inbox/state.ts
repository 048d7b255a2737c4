/** What the inbox shows and which key does what. Pure: a state and a key give the next state, and what is to be done. */
import type { Inbox, InboxItem } from '../../../client/inbox/inbox.ts'
import { limits } from '../../../contract/limits.ts'
import type { ScreenKey } from '../../terminal/views/full-screen.tsx'

export type Pane = 'list' | 'detail'
export type Writing = 'approve' | 'changes' | 'comment'

export interface InboxState {
  inbox: Inbox
  selected: number
  pane: Pane
  /** First line of the right side that is shown. */
  scroll: number
  isHelp: boolean
  /** What is being written, and about which item. */
  writing: { what: Writing; about: InboxItem; text: string } | null
  /** What was done, or why not; gone with the next key. */
  message: string
  /** Something is under way. */
  isBusy: boolean
}

/** What is done in the library. */
export type Action =
  | { kind: 'answer'; item: InboxItem; response: 'approved' | 'changes_requested'; note: string }
  | { kind: 'comment'; item: InboxItem; body: string }
  | { kind: 'read'; item: InboxItem }

export type Effect =
  | Action
  /** Another command of ph. */
  | { kind: 'checkout'; item: InboxItem }
  | { kind: 'pull'; item: InboxItem }
  | { kind: 'reload' }
  | { kind: 'quit' }
  | { kind: 'interrupt' }

export interface Step {
  state: InboxState
  effect?: Effect
}

export const startOf = (inbox: Inbox): InboxState => ({
  inbox,
  selected: 0,
  pane: 'list',
  scroll: 0,
  isHelp: false,
  writing: null,
  message: '',
  isBusy: false,
})

export const selectedItem = ({ inbox, selected }: InboxState): InboxItem | undefined => inbox.items[selected]

/** The same state over what waits by now: the selection stays on its item, or on its place. */
export function withInbox(state: InboxState, inbox: Inbox): InboxState {
  const key = selectedItem(state)?.key
  const at = inbox.items.findIndex((item) => item.key === key)
  if (at >= 0) return { ...state, inbox, selected: at }
  return { ...state, inbox, selected: Math.max(0, Math.min(state.selected, inbox.items.length - 1)), scroll: 0, pane: 'list' }
}

/** `page`: how many lines are seen at once; `last`: the last line that the right side may begin with. */
export function press(state: InboxState, key: ScreenKey, room: { page: number; last: number }): Step {
  if (key.ctrl && key.typed === 'c') return { state, effect: { kind: 'interrupt' } }
  const calm = { ...state, message: '' }
  if (calm.writing) return write(calm, calm.writing, key)
  if (calm.isHelp) return key.typed === 'q' || key.name || key.typed ? { state: { ...calm, isHelp: false } } : { state }
  return move(calm, key, room) ?? act(calm, key)
}

const longest: Record<Writing, number> = { approve: limits.note, changes: limits.note, comment: limits.comment }

function write(state: InboxState, writing: NonNullable<InboxState['writing']>, { name, typed, ctrl }: ScreenKey): Step {
  const { what, about, text } = writing
  const to = (next: string): Step => ({ state: { ...state, writing: { ...writing, text: next } } })
  if (name === 'escape') return { state: { ...state, writing: null, message: 'Nothing was sent.' } }
  if (name === 'backspace') return to([...text].slice(0, -1).join(''))
  if (ctrl && typed === 'u') return to('')
  if (name === 'enter') {
    const said = text.trim()
    if (said === '' && what !== 'approve') return { state: { ...state, message: 'Write something, or press Esc.' } }
    if ([...said].length > longest[what])
      return { state: { ...state, message: `That is ${[...said].length} characters; ${longest[what]} fit.` } }
    const done = { ...state, writing: null }
    if (what === 'comment') return { state: done, effect: { kind: 'comment', item: about, body: said } }
    const response = what === 'approve' ? 'approved' : 'changes_requested'
    return { state: done, effect: { kind: 'answer', item: about, response, note: said } }
  }
  return typed === undefined || ctrl ? { state } : to(text + typed)
}

function move(state: InboxState, { name, typed }: ScreenKey, { page, last }: { page: number; last: number }): Step | undefined {
  const { selected, inbox, pane, scroll } = state
  const select = (at: number): Step => {
    const to = Math.max(0, Math.min(at, inbox.items.length - 1))
    return { state: { ...state, selected: to, scroll: to === selected ? scroll : 0 } }
  }
  const scrollTo = (at: number): Step => ({ state: { ...state, scroll: Math.max(0, Math.min(at, last)) } })
  const isList = pane === 'list'
  if (name === 'up' || typed === 'k') return isList ? select(selected - 1) : scrollTo(scroll - 1)
  if (name === 'down' || typed === 'j') return isList ? select(selected + 1) : scrollTo(scroll + 1)
  if (name === 'home') return isList ? select(0) : scrollTo(0)
  if (name === 'end') return isList ? select(inbox.items.length - 1) : scrollTo(last)
  if (name === 'pagedown' || typed === ' ') return scrollTo(scroll + page - 1)
  if (name === 'pageup' || typed === 'b') return scrollTo(scroll - page + 1)
  if (name === 'enter' || name === 'right') return { state: { ...state, pane: inbox.items.length > 0 ? 'detail' : 'list' } }
  if (name === 'left' || name === 'escape') return { state: { ...state, pane: 'list' } }
  if (name === 'tab') return { state: { ...state, pane: isList && inbox.items.length > 0 ? 'detail' : 'list' } }
  return undefined
}

function act(state: InboxState, { typed }: ScreenKey): Step {
  const item = selectedItem(state)
  const say = (message: string): Step => ({ state: { ...state, message } })
  if (typed === 'q') return { state, effect: { kind: 'quit' } }
  if (typed === '?') return { state: { ...state, isHelp: true } }
  if (typed === 'u') return { state, effect: { kind: 'reload' } }
  if (!item || typed?.length !== 1 || !'axcopr'.includes(typed)) return { state }
  if (state.isBusy) return say('Wait until the last one is done.')
  const writes = { a: 'approve', x: 'changes', c: 'comment' } as const
  const does = { o: 'checkout', p: 'pull', r: 'read' } as const
  if (typed in writes) {
    const what = writes[typed as keyof typeof writes]
    if (what !== 'comment' && item.kind !== 'review') return say('Only a review that waits for you can be answered.')
    if (item.entry_id === null) return say('This file has no entry, so there is nothing to comment on.')
    return { state: { ...state, writing: { what, about: item, text: '' } } }
  }
  const kind = does[typed as keyof typeof does]
  if (kind === 'read' && item.notification_ids.length === 0)
    return say(
      item.kind === 'lock'
        ? 'Check it in, release it, or check it out again with o.'
        : 'Nothing about it is unread. It goes when it is done.',
    )
  if (kind !== 'read' && item.entry_id === null) return say('This file has no entry, so it goes along with what needs it.')
  return { state, effect: { kind, item } }
}
