/** One rule of a list of what to leave out, in gitignore's syntax, taken apart into places that a path goes through. */

/** Whether a character of a path may lead to a place from the one before. In lower case. */
type Takes = (char: string) => boolean

/** A path that stands at the last place of a rule matches it. A path may stand at several places at once. */
export interface Place {
  takes: Takes
  /** Whether it stays here with whatever character comes: within a name, or beyond slashes too. */
  stays: 'no' | 'in-name' | 'always'
  /** Whether it may go on two places further at once: folders in between are as many as there are, or none. */
  skips: boolean
}

export interface Rule {
  /** From 1. */
  line: number
  /** As it was written. */
  text: string
  /** It takes in what rules before it left out. */
  isException: boolean
  isForFolders: boolean
  places: Place[]
}

/** Every line that says something; a rule that nothing can match is none. `text` may have a byte order mark. */
export function readRules(text: string): Rule[] {
  const lines = text.replace(/^\uFEFF/, '').split('\n')
  return lines.flatMap((line, at) => readRule(line, at + 1) ?? [])
}

function readRule(text: string, line: number): Rule | undefined {
  const written = withoutSpaces(text.endsWith('\r') ? text.slice(0, -1) : text)
  if (written === '' || written.startsWith('#')) return undefined
  const isException = written.startsWith('!')
  const pattern = isException ? written.slice(1) : written
  const isForFolders = pattern.endsWith('/')
  const places = readPattern(isForFolders ? pattern.slice(0, -1) : pattern)
  return places && { line, text: written, isException, isForFolders, places }
}

/** Spaces at the end count only behind a backslash. */
function withoutSpaces(line: string): string {
  let end = line.length
  while (end > 0 && line[end - 1] === ' ') end--
  let backslashes = 0
  while (backslashes < end && line[end - 1 - backslashes] === '\\') backslashes++
  return line.slice(0, end === line.length || backslashes % 2 === 0 ? end : end + 1)
}

const isInName: Takes = (char) => char !== '/'
const isOnly =
  (one: string): Takes =>
  (char) =>
    char === one

/** Undefined where nothing can match it. */
function readPattern(pattern: string): Place[] | undefined {
  if (pattern === '') return undefined
  const isAnywhere = !pattern.includes('/')
  const places = new Places()
  if (isAnywhere) places.addFolders()
  const chars = [...(pattern.startsWith('/') ? pattern.slice(1) : pattern).toLowerCase()]
  for (let at = 0; at < chars.length; ) {
    const end = readNext(chars, at, places)
    if (end === undefined) return undefined
    at = end
  }
  return places.all
}

/** Where what stands at `at` ends; undefined where nothing can match it. */
function readNext(chars: readonly string[], at: number, places: Places): number | undefined {
  const char = chars[at] as string
  if (char === '*') return readStars(chars, at, places)
  if (char === '[') {
    const set = readSet(chars, at)
    if (set) places.add(set.takes)
    return set?.end
  }
  if (char === '\\' && at + 1 === chars.length) return undefined
  const isQuoted = char === '\\'
  places.add(char === '?' ? isInName : isOnly(isQuoted ? (chars[at + 1] as string) : char))
  return at + (isQuoted ? 2 : 1)
}

/** Two stars and more stand for folders where slashes, or an end of the pattern, are around them; else they are one star. */
function readStars(chars: readonly string[], at: number, places: Places): number {
  let end = at
  while (chars[end] === '*') end++
  const isAlone = end - at > 1 && (at === 0 || chars[at - 1] === '/')
  if (isAlone && end === chars.length) places.add(isInName, 'always')
  else if (isAlone && chars[end] === '/') {
    places.addFolders()
    return end + 1
  } else places.stay()
  return end
}

class Places {
  readonly all: Place[] = [{ takes: () => false, stays: 'no', skips: false }]
  #areFoldersLast = false

  add(takes: Takes, stays: Place['stays'] = 'no'): void {
    this.all.push({ takes, stays, skips: false })
    this.#areFoldersLast = false
  }

  /** Any folders, or none: `**` with its slash. */
  addFolders(): void {
    if (this.#areFoldersLast) return
    const last = this.all.at(-1) as Place
    last.skips = true
    this.add(isInName, 'always')
    this.add(isOnly('/'))
    this.#areFoldersLast = true
  }

  stay(): void {
    const last = this.all.at(-1) as Place
    if (last.stays === 'no') last.stays = 'in-name'
    this.#areFoldersLast = false
  }
}

/** POSIX names of characters, as git knows them: ASCII alone. */
const classes: Record<string, Takes> = {
  alnum: (char) => /[0-9a-z]/i.test(char),
  alpha: (char) => /[a-z]/i.test(char),
  blank: (char) => char === ' ' || char === '\t',
  cntrl: (char) => char < ' ' || char === '\x7f',
  digit: (char) => /[0-9]/.test(char),
  graph: (char) => char > ' ' && char < '\x7f',
  lower: (char) => /[a-z]/i.test(char),
  print: (char) => char >= ' ' && char < '\x7f',
  punct: (char) => char > ' ' && char < '\x7f' && !/[0-9a-z]/i.test(char),
  space: (char) => ' \t\n\r'.includes(char),
  upper: (char) => /[a-z]/i.test(char),
  xdigit: (char) => /[0-9a-f]/i.test(char),
}

/** `[a-z]`: what it takes, and where it ends. Undefined where it does not end. A slash is never taken. */
function readSet(chars: readonly string[], start: number): { takes: Takes; end: number } | undefined {
  const isOpposite = chars[start + 1] === '!' || chars[start + 1] === '^'
  const first = start + (isOpposite ? 2 : 1)
  const members: Takes[] = []
  for (let at = first; at < chars.length; ) {
    if (chars[at] === ']' && at > first) {
      return { takes: (char) => char !== '/' && members.some((takes) => takes(char)) !== isOpposite, end: at + 1 }
    }
    const member = readMember(chars, at)
    if (!member) return undefined
    members.push(member.takes)
    at = member.end
  }
  return undefined
}

function readMember(chars: readonly string[], at: number): { takes: Takes; end: number } | undefined {
  if (chars[at] === '[' && chars[at + 1] === ':') {
    const close = chars.indexOf(']', at + 2)
    if (close === -1) return undefined
    const name = chars.slice(at + 2, close - 1).join('')
    if (close - 1 > at + 1 && chars[close - 1] === ':') {
      const takes = Object.hasOwn(classes, name) ? classes[name] : undefined
      return takes && { takes, end: close + 1 }
    }
  }
  const from = readOne(chars, at)
  const isRange = chars[from.end] === '-' && chars[from.end + 1] !== undefined && chars[from.end + 1] !== ']'
  if (!isRange) return { takes: isOnly(from.char), end: from.end }
  const to = readOne(chars, from.end + 1)
  return { takes: (char) => char === from.char || (char >= from.char && char <= to.char), end: to.end }
}

function readOne(chars: readonly string[], at: number): { char: string; end: number } {
  const isQuoted = chars[at] === '\\'
  return { char: chars[at + (isQuoted ? 1 : 0)] ?? '', end: at + (isQuoted ? 2 : 1) }
}
