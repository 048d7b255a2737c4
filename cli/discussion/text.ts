/** What someone says: typed on the command line, piped in, or written in their editor. */
import { limits } from '../../contract/limits.ts'
import { printable } from '../../system/printable.ts'
import { shellWord } from '../../system/shell-word.ts'
import type { Context } from '../context.ts'
import { declined, wrongUsage } from '../refusal.ts'
import { number } from '../terminal/amounts.ts'
import { readAll } from '../terminal/standard-input.ts'
import { type Draft, removeDraft, writeInEditor } from './editor.ts'

/** What the argument means. */
export const textArgument = 'what to say; - reads it from standard input; without it your editor opens (VISUAL, EDITOR)'

/** Four bytes a letter, and then some. */
const mostBytes = 8 * limits.comment

export interface TextSource {
  given: readonly string[]
  /** For the editor, made when it is needed. */
  draft(): Draft | Promise<Draft>
}

/** Gives the text to `send`. What was written in the editor and could not be sent is kept, and the person told where. */
export async function withText<T>(
  context: Context,
  { given, draft }: TextSource,
  send: (text: string) => Promise<T>,
): Promise<T> {
  if (given.length > 0) return send(bounded(await typed(context, given)))
  if (!context.interactive)
    throw wrongUsage('There is no text, and no terminal to write it on.', 'Give the text, or - to read it from standard input.')
  const written = await writeInEditor(context, await draft())
  if (written.text.trim() === '') {
    await removeDraft(written)
    throw declined('The text is empty: nothing was said.')
  }
  try {
    const sent = await send(bounded(written.text))
    await removeDraft(written)
    return sent
  } catch (error) {
    context.out.note(`What you wrote is kept in ${printable(written.file)}; to send it: add \`- < ${shellWord(written.file)}\``)
    throw error
  }
}

async function typed(context: Context, given: readonly string[]): Promise<string> {
  if (given.length > 1 || given[0] !== '-') return given.join(' ')
  const text = (await readAll(context, 'The text', mostBytes)).toString('utf8')
  return text.replace(/^\ufeff/, '').replace(/\r?\n$/, '')
}

function bounded(text: string): string {
  const length = [...text].length
  if (text.trim() === '') throw wrongUsage('The text is empty.', 'Say something, in quotes: "The rings are too thin"')
  if (length <= limits.comment) return text
  throw wrongUsage(
    `A comment takes up to ${number(limits.comment)} characters, and these are ${number(length)}.`,
    'Say it shorter, or in several comments.',
  )
}
