/** The settings of another program: one server is put in or taken out, and everything else of the file stays as it is, comments too. */
import { readFile, realpath, stat } from 'node:fs/promises'
import { applyEdits, type FormattingOptions, modify, type ParseError, parse, printParseErrorCode } from 'jsonc-parser'
import { writeWhole } from '../../../system/whole-file.ts'
import { failed } from '../../refusal.ts'
import type { Assistant } from './assistants.ts'

/** The name of our server in the settings of others. */
export const serverName = 'prop-house'

export interface StartOrder {
  command: string
  args: string[]
  env?: Record<string, string>
  type?: 'stdio'
}

export interface SettingsFile {
  /** Where it is, behind links. */
  path: string
  /** Undefined: there is none. */
  text: string | undefined
  /** What it says of our server. */
  known: unknown
}

const mostBytes = 64 * 1024 * 1024
const byteOrderMark = '\uFEFF'
/** What others write by hand. */
const lenient = { allowTrailingComma: true, disallowComments: false }

/** Throws SETTINGS_UNREADABLE where it cannot be changed without guessing. */
export async function readSettings({ file, key, title }: Assistant): Promise<SettingsFile> {
  const path = await realpath(file).catch(() => file)
  const found = await stat(path).catch(() => undefined)
  if (!found) return { path, text: undefined, known: undefined }
  const refuse = (why: string): Error =>
    failed(
      'SETTINGS_UNREADABLE',
      `The settings of ${title} are left as they are: ${path} ${why}.`,
      `Correct the file, or add ${serverName} by hand: docs/assistants.md.`,
    )
  if (!found.isFile()) throw refuse('is no file')
  if (found.size > mostBytes) throw refuse('is larger than 64 MiB')
  const text = await readFile(path, 'utf8')
  if (text.includes('\uFFFD')) throw refuse('is not UTF-8')
  const errors: ParseError[] = []
  const content: unknown = text.trim() === '' ? {} : parse(withoutMark(text), errors, lenient)
  const [first] = errors
  if (first) throw refuse(`is no JSON (${printParseErrorCode(first.error)} in line ${lineOf(withoutMark(text), first.offset)})`)
  if (!isObject(content)) throw refuse('holds no JSON object')
  const servers = content[key]
  if (servers !== undefined && !isObject(servers)) throw refuse(`has something else than servers at "${key}"`)
  return { path, text, known: servers?.[serverName] }
}

/** The text with our server as ordered; without an order, without it. */
export function changedText({ text = '' }: SettingsFile, key: string, order: StartOrder | undefined): string {
  const mark = text.startsWith(byteOrderMark) ? byteOrderMark : ''
  const own = withoutMark(text)
  const from = own.trim() === '' ? '{}\n' : own
  return mark + applyEdits(from, modify(from, [key, serverName], order, { formattingOptions: formattingOf(own) }))
}

/** As the file is written so far. */
function formattingOf(text: string): FormattingOptions {
  const [, indent = '  '] = /^([\t ]+)\S/m.exec(text) ?? []
  return {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  }
}

/** Keeps the text before beside it. Throws SETTINGS_CHANGED where the program has written the file meanwhile. Returns the place of the copy. */
export async function writeSettings(before: SettingsFile, text: string): Promise<string | undefined> {
  const { path } = before
  const now = await readFile(path, 'utf8').catch(() => undefined)
  if (now !== before.text)
    throw failed(
      'SETTINGS_CHANGED',
      `${path} was changed by another program at this moment. Nothing was written.`,
      'Do it again.',
    )
  const mode = (await stat(path).catch(() => undefined))?.mode ?? 0o600
  const copy = before.text === undefined ? undefined : `${path}.before-ph`
  if (copy) await writeWhole(copy, (file) => file.writeFile(before.text ?? ''), { mode: mode & 0o777 })
  await writeWhole(path, (file) => file.writeFile(text), { mode: mode & 0o777, folderMode: 0o700 })
  return copy
}

const withoutMark = (text: string): string => (text.startsWith(byteOrderMark) ? text.slice(1) : text)
const lineOf = (text: string, offset: number): number => text.slice(0, offset).split('\n').length
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
