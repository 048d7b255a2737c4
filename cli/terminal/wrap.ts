/** Sentences broken into lines between words. */
import { createRequire } from 'node:module'
import { stripVTControlCharacters } from 'node:util'

/**
 * The lines of `text`, each after `indent` and the indent it has itself, broken where they are wider than `width` columns. Words
 * stay whole, and so do an amount with its unit and what stands in backticks, to be copied; what is wider than a line stands alone.
 */
export const wrap = (text: string, width: number, indent = ''): string[] =>
  text.split('\n').flatMap((line) => {
    if (indent.length + columnsWide(line) <= width) return [indent + line]
    return wrapLine(line.trim(), width, indent + (/^ */.exec(line)?.[0] ?? ''))
  })

/** The same with `label`, which may be styled, before the first line and the others set in as far. */
export function wrapAfter(label: string, text: string, width: number): string[] {
  const indent = ' '.repeat(columnsWide(label))
  const [first = '', ...more] = wrap(text, width, indent)
  return [label + first.slice(indent.length), ...more]
}

/** A file or a name, and two blanks behind it a remark, which may be styled: on a line of its own where both are too wide. */
export function remarked(text: string, remark: string, width: number): string[] {
  const line = `${text}  ${remark}`
  return columnsWide(line) <= width ? [line] : [text, ...wrap(remark, width, '      ')]
}

/** An amount with its unit: `0.8 s`, `316 KiB`. */
const amount = /(?<!\w)\d[\d.,]{0,20} (?:B|KiB|MiB|GiB|TiB|ms|s|min|h|d|cm)(?!\w)/y

/** Words; what stands in backticks, and an amount with its unit, are part of one. */
function wordsOf(text: string): string[] {
  const words: string[] = []
  for (let at = 0; at < text.length; ) {
    const start = at
    while (at < text.length && /\S/.test(text.charAt(at))) at = endOfUnbroken(text, at)
    if (at > start) words.push(text.slice(start, at))
    else at++
  }
  return words
}

function endOfUnbroken(text: string, at: number): number {
  const closing = text[at] === '`' ? text.indexOf('`', at + 1) : -1
  if (closing !== -1) return closing + 1
  amount.lastIndex = at
  return amount.test(text) ? amount.lastIndex : at + 1
}

function wrapLine(text: string, width: number, indent: string): string[] {
  const lines: string[] = []
  let line = ''
  let used = 0
  for (const word of wordsOf(text)) {
    const wide = columnsWide(word)
    if (line !== '' && used + 1 + wide > width) {
      lines.push(line)
      line = ''
    }
    used = line === '' ? indent.length + wide : used + 1 + wide
    line = line === '' ? indent + word : `${line} ${word}`
  }
  return [...lines, line]
}

const load = createRequire(import.meta.url)

/** How many columns a text takes. Loading string-width takes as long as starting Node, and nearly all that is said does without. */
export function columnsWide(text: string): number {
  const bare = stripVTControlCharacters(text)
  if (/^[ -~]*$/.test(bare)) return bare.length
  const { default: stringWidth } = load('string-width') as typeof import('string-width')
  return stringWidth(bare)
}
