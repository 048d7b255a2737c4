/**
 * The question that a person is asked before something is written: a line for each field, in which every text stands in quotes that it cannot
 * close, with what cannot be seen spelled out. So nothing that a text holds looks like another field, or like words of the library.
 */
import { spelledOut } from '../../system/printable.ts'
import type { Fields } from '../tools/tool.ts'

/** Letters of one line that people wrote, and of one text in a list. */
const longest = { line: 400, inList: 100 }
const most = { fields: 30, rows: 5, depth: 4 }

/** `title` and the names of fields are words of the library; names of nested fields may be anybody's. */
export function questionOf(title: string, plan: Fields): string {
  const fields = Object.entries(plan).filter(([, value]) => value !== null && value !== undefined)
  const lines = fields.slice(0, most.fields).map(([name, value]) => `${nameOf(name)}: ${lineOf(value)}`)
  const more = fields.length - lines.length
  return [`${title}?`, ...lines, ...(more > 0 ? [`and ${counted(more)} more fields`] : [])].join('\n')
}

const nameOf = (name: string): string => (/^[a-z][a-z0-9_]{0,60}$/.test(name) ? name.replaceAll('_', ' ') : quoted(name, 60))

/** What a line has room for. */
interface Room {
  left: number
}

const lineOf = (value: unknown): string =>
  typeof value === 'string' ? quoted(value, longest.line) : wordsOf(value, { left: longest.line }, 1)

function wordsOf(value: unknown, room: Room, depth: number): string {
  if (typeof value === 'string') return textIn(value, room)
  if (typeof value !== 'object' || value === null) return String(value)
  if (Array.isArray(value)) return value.length === 0 ? 'none' : listOf(value, room, depth)
  return objectOf(value as Fields, room, depth)
}

function listOf(rows: readonly unknown[], room: Room, depth: number): string {
  const shown =
    depth > most.depth ? [] : rows.slice(0, most.rows).flatMap((row) => ifRoom(room, () => wordsOf(row, room, depth + 1)))
  const said = [...shown, ...andMore(rows.length - shown.length, shown.length)].join(', ')
  return depth === 1 ? said : `[${said}]`
}

function objectOf(value: Fields, room: Room, depth: number): string {
  const fields = Object.entries(value).filter(([, one]) => one !== undefined)
  const few = depth > most.depth ? [] : fields
  const shown = few.flatMap(([name, one]) => ifRoom(room, () => `${textIn(name, room)}: ${wordsOf(one, room, depth + 1)}`))
  return `{${[...shown, ...andMore(fields.length - shown.length, shown.length)].join(', ')}}`
}

/** A number takes room, too. */
function ifRoom(room: Room, words: () => string): string[] {
  if (room.left <= 0) return []
  room.left -= 4
  return [words()]
}

const andMore = (more: number, shown: number): string[] => (more <= 0 ? [] : [`${shown > 0 ? 'and ' : ''}${counted(more)} more`])

function textIn(text: string, room: Room): string {
  const words = quoted(text, Math.max(0, Math.min(longest.inList, room.left)))
  room.left -= Math.min(text.length, longest.inList)
  return words
}

/** `"as it is written"`, of a long one the beginning: `"as it is"… and 1,400 more characters`. */
function quoted(text: string, letters: number): string {
  // A pair of surrogates stays whole.
  const shown = text.slice(0, letters).replace(/[\ud800-\udbff]$/, '')
  const more = text.length - shown.length
  const words = spelledOut(JSON.stringify(shown))
  return more > 0 ? `${words}… and ${counted(more)} more characters` : words
}

const counted = (number: number): string => number.toLocaleString('en')
