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

/** A word, what stands in backticks, or an amount with its unit: `0.8 s`, `316 KiB`. */
const unbroken = /(?:`[^`]*`|(?<!\w)\d[\d.,]* (?:B|KiB|MiB|GiB|TiB|ms|s|min|h|d|cm)(?!\w)|\S)+/g

function wrapLine(text: string, width: number, indent: string): string[] {
  const lines: string[] = []
  let line = ''
  let used = 0
  for (const word of text.match(unbroken) ?? []) {
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

/** Loading string-width takes as long as starting Node, and nearly all that is said does without. */
function columnsWide(text: string): number {
  const bare = stripVTControlCharacters(text)
  if (/^[ -~]*$/.test(bare)) return bare.length
  const { default: stringWidth } = load('string-width') as typeof import('string-width')
  return stringWidth(bare)
}
