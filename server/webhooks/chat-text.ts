/**
 * What people wrote, as a part of one line for chat programs. Slack takes `&`, `<` and `>` for control characters and has entities for them; for
 * all other marks there is no escape that Slack and the programs that take its messages share, so a mark gives way to a letter of its look.
 */
import { withoutHidden } from '../../system/printable.ts'

const looks: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '@': '＠',
  '*': '∗',
  '~': '∼',
  '`': 'ˋ',
  '|': '∣',
  _: '＿',
}

/** An underscore between letters, as in `SM_Barrel`, marks nothing. */
const marks = /[&<>@*~`|]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu

/** `most`: letters; a longer text ends in `…`. */
export function chatText(text: string, most: number): string {
  const line = withoutHidden(text.replaceAll(/\s+/g, ' ')).trim()
  const letters = [...line.slice(0, 2 * most + 2)]
  const shown = letters.length > most ? `${letters.slice(0, most - 1).join('')}…` : line
  return shown.replaceAll('](', '] (').replaceAll(marks, (mark) => looks[mark] ?? mark)
}
