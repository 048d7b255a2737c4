/** The inbox as the lines of a screen: list on the left, one thing on the right, or one of them at a time where there is no room. Pure. */
import type { InboxItem } from '../../../client/inbox/inbox.ts'
import { printable } from '../../../system/printable.ts'
import type { Paint } from '../../terminal/output.ts'
import { pad, shorten } from '../../terminal/table.ts'
import { wrap } from '../../terminal/wrap.ts'
import { briefWords, countWords, kindWords } from './item-words.ts'
import { type InboxState, selectedItem, type Writing } from './state.ts'

export interface ScreenSize {
  columns: number
  rows: number
}

export interface ScreenLook extends ScreenSize {
  paint: Paint
  now: Date
}

const roomForBoth = 72
/** Between the panes; the thick one while keys act on the right side. */
const gaps = { list: ' │ ', detail: ' ┃ ' }
const gapWidth = 3
const linesPerItem = 2

/** Where the panes stand. One at a time below 72 columns. */
export function layoutOf({ columns, rows }: ScreenSize, { writing }: Pick<InboxState, 'writing'>) {
  const isBoth = columns >= roomForBoth
  const list = isBoth ? Math.max(26, Math.min(44, Math.floor(columns * 0.36))) : columns
  const detail = isBoth ? columns - list - gapWidth : columns
  const written = writing ? writingLines(writing, columns).length : 0
  return { isBoth, list, detail, body: Math.max(1, rows - 2 - written) }
}

/** Exactly as many lines as there are rows. `detail`: the lines of the right side, all of them. */
export function screenLines(state: InboxState, detail: readonly string[], look: ScreenLook): string[] {
  const { columns, rows, paint } = look
  const layout = layoutOf(look, state)
  const written = state.writing ? writingLines(state.writing, columns) : []
  const body = state.isHelp ? helpLines(columns).slice(0, layout.body) : panes(state, detail, look)
  const lines = [
    paint('bold', shorten(`Inbox: ${countWords(state.inbox)}`, columns)),
    ...Array.from({ length: layout.body }, (_, at) => body[at] ?? ''),
    ...written,
    footer(state, look),
  ]
  return lines.slice(0, rows)
}

function panes(state: InboxState, detail: readonly string[], look: ScreenLook): string[] {
  const { isBoth, list: width, body } = layoutOf(look, state)
  const list = listLines(state, { ...look, columns: width, rows: body })
  const first = Math.min(state.scroll, lastScroll(detail, state, look))
  const right = detail.slice(first, first + body)
  if (!isBoth) return state.pane === 'list' ? list : right
  return Array.from({ length: body }, (_, at) => `${pad(list[at] ?? '', width)}${gaps[state.pane]}${right[at] ?? ''}`)
}

/** As many items as fit, the selected one among them. */
function listLines(state: InboxState, look: ScreenLook): string[] {
  const { inbox, selected } = state
  if (inbox.items.length === 0) return ['', ...wrap('All done. Press u to look again, q to leave.', look.columns)]
  const fitting = Math.max(1, Math.floor(look.rows / linesPerItem))
  const first = Math.max(0, Math.min(selected - Math.floor(fitting / 2), inbox.items.length - fitting))
  return inbox.items.slice(first, first + fitting).flatMap((item, at) => itemLines(item, first + at === selected, look))
}

/** The selected one is marked by a sign, not by colour alone. */
function itemLines(item: InboxItem, isSelected: boolean, { columns, paint, now }: ScreenLook): string[] {
  const mark = isSelected ? '> ' : '  '
  const name = shorten(printable(item.name), Math.max(8, columns - 2 - kindWords[item.kind].length - 2), 'middle')
  const title = `${mark}${kindWords[item.kind]}  ${name}`
  return [isSelected ? paint('bold', title) : title, paint('dim', shorten(`    ${briefWords(item, now)}`, columns))]
}

const questions: Record<Writing, (name: string) => string> = {
  approve: (name) => `Approve ${name}? A note, or nothing; Enter sends, Esc cancels.`,
  changes: (name) => `What is to change in ${name}? Enter sends, Esc cancels.`,
  comment: (name) => `A comment on ${name}. Enter sends, Esc cancels.`,
}
const mostWritten = 4

/** The question, and the end of what was written so far. */
function writingLines({ what, about, text }: NonNullable<InboxState['writing']>, columns: number): string[] {
  const lines = text.split('\n').flatMap((line) => wrap(printable(line), columns - 3))
  const shown = lines.slice(-mostWritten)
  return [
    ...wrap(questions[what](printable(about.name)), columns),
    ...shown.map((line, at) => shorten(`> ${line}${at === shown.length - 1 ? '_' : ''}`, columns)),
  ]
}

/** What was just done, else the keys, those that apply first. */
function footer(state: InboxState, { columns, paint }: ScreenLook): string {
  if (state.message !== '') return shorten(printable(state.message), columns)
  if (state.isBusy) return 'Working …'
  if (state.writing) return ''
  const item = selectedItem(state)
  const keys = [
    ...(item?.kind === 'review' ? ['a approve', 'x changes'] : []),
    ...(item ? ['c comment', 'o check out', 'p pull'] : []),
    ...(item && item.notification_ids.length > 0 ? ['r read'] : []),
  ]
  const always = '? help  q quit'
  const fitting: string[] = []
  for (const key of keys) if ([...fitting, key, always].join('  ').length <= columns) fitting.push(key)
  return paint('dim', shorten([...fitting, always].join('  '), columns))
}

const keyWords: readonly (readonly [keys: string, what: string])[] = [
  ['Up, Down, j, k', 'choose; on the right side, scroll'],
  ['Enter, Right', 'to the right side'],
  ['Esc, Left', 'back to the list'],
  ['Space, b', 'scroll the right side by a page'],
  ['a', 'approve, with a note or without'],
  ['x', 'request changes, and say which'],
  ['c', 'comment; in a thread, reply'],
  ['o', 'check out; again, to have it longer'],
  ['p', 'pull into the project that you are in'],
  ['r', 'mark as read'],
  ['u', 'look again'],
  ['q, Ctrl-C', 'leave'],
]
const keyWidth = 16

const helpLines = (columns: number): string[] => [
  'Keys (any key goes back)',
  '',
  ...keyWords.flatMap(([keys, what]) => {
    const lines = wrap(what, Math.max(10, columns - keyWidth))
    return lines.map((line, at) => `${pad(at === 0 ? keys : '', keyWidth)}${line}`)
  }),
]

/** How far the right side can be scrolled. */
export const lastScroll = (detail: readonly string[], state: InboxState, size: ScreenSize): number =>
  Math.max(0, detail.length - layoutOf(size, state).body)
