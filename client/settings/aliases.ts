/** Names of a person's own for command lines: how one is written, and what it becomes. Pure. */

/** `args`: for `ph` itself. `shell`: a text for the shell, which gets what was typed as its arguments. */
export type Expansion = { kind: 'args'; args: string[] } | { kind: 'shell'; script: string; args: string[] }

/** The marks of arguments that nothing was typed for. */
export interface Lacking {
  kind: 'lacking'
  marks: string[]
}

export const mostAliases = 200
export const mostCharacters = 1000

export const isAliasName = (name: string): boolean => /^[A-Za-z][\w-]{0,49}$/.test(name)

/** Texts that begin with `!` are for the shell. */
export const shellMark = '!'

const mark = /\$([1-9])/g

/** What was typed goes to the places of `$1` to `$9`, and behind the end where it has none. */
export function expand(text: string, typed: readonly string[]): Expansion | Lacking {
  if (text.startsWith(shellMark)) return { kind: 'shell', script: text.slice(shellMark.length), args: [...typed] }
  const words = splitWords(text) ?? []
  const used = new Set(words.flatMap((word) => [...word.matchAll(mark)].map(([, digit]) => Number(digit))))
  const marks = [...used].filter((place) => place > typed.length).sort()
  if (marks.length > 0) return { kind: 'lacking', marks: marks.map((place) => `$${place}`) }
  const filled = words.map((word) => word.replace(mark, (_, digit) => typed[Number(digit) - 1] ?? ''))
  return { kind: 'args', args: [...filled, ...typed.filter((_, at) => !used.has(at + 1))] }
}

/** The words before the place of the argument at the cursor, for completion: what it is completed as. */
export function expandBefore(text: string, typed: readonly string[]): string[] {
  const words = splitWords(text) ?? []
  const at = words.indexOf(`$${typed.length + 1}`)
  if (at === -1) {
    const whole = expand(text, typed)
    return whole.kind === 'args' ? whole.args : []
  }
  return words.slice(0, at).map((word) => word.replace(mark, (_, digit) => typed[Number(digit) - 1] ?? ''))
}

/** Without the places of arguments. */
export const wordsWithoutMarks = (text: string): string[] => (splitWords(text) ?? []).filter((word) => !/\$[1-9]/.test(word))

/** Words as a shell has them: blanks between, quotes around, a backslash before. Undefined where a quote is not closed. */
export function splitWords(text: string): string[] | undefined {
  const words: string[] = []
  const parts = /\s+|'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)/gsy
  let word: string | undefined
  while (parts.lastIndex < text.length) {
    const found = parts.exec(text)
    if (!found) return undefined
    const [whole, single, double, escaped, bare] = found
    const piece = single ?? double?.replace(/\\(["\\$])/g, '$1') ?? escaped ?? bare
    if (piece !== undefined) word = (word ?? '') + piece
    else if (word !== undefined && /^\s/.test(whole)) {
      words.push(word)
      word = undefined
    }
  }
  return word === undefined ? words : [...words, word]
}
