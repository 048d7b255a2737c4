/** The commands that a sentence names: what a program can run after an error. */

/** Where a command begins in a sentence, up to which everything is words. */
const begins = '`ph '

/**
 * The commands between backticks in a sentence, each once, in order. One that has a place to fill in (`<folder>`, `…`) cannot be
 * run as it stands and is left out. A backtick in a quoted name ends no command: names come from other people.
 */
export function commandsIn(sentence: string): string[] {
  const found = new Set<string>()
  for (let at = sentence.indexOf(begins); at !== -1; ) {
    const line = commandAt(sentence, at + 1)
    // What is never closed could be read in two ways, and so could all that follows.
    if (line === undefined) break
    if (!hasPlace(line)) found.add(line)
    at = sentence.indexOf(begins, at + line.length + 2)
  }
  return [...found]
}

/** The command that begins here, up to the backtick that no quote holds, by the rules of a shell. */
function commandAt(sentence: string, from: number): string | undefined {
  let quote: string | undefined
  for (let at = from; at < sentence.length; at++) {
    const letter = sentence[at]
    if (letter === '\\' && quote !== "'") at++
    else if (quote !== undefined) quote = letter === quote ? undefined : quote
    else if (letter === "'" || letter === '"') quote = letter
    else if (letter === '`') return sentence.slice(from, at)
  }
  return undefined
}

/** What a name in single quotes holds is the name. */
const hasPlace = (line: string): boolean => /<[^<>]*>|…/.test(line.replaceAll(/'[^']*'/g, ''))
