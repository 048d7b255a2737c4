/** What can stand at the cursor of a command line: words, flags, values, and names by their kind. Pure but for the names. */

/** Names that are looked up; `file` is left to the shell, `text` is anything. */
export type Kind =
  | 'prop'
  | 'project'
  | 'pack'
  | 'tag'
  | 'collection'
  | 'person'
  | 'profile'
  | 'setting'
  | 'alias'
  | 'file'
  | 'text'

/** Its name, what it takes (nothing, words, or a kind), and what it does. */
export type FlagEntry = [name: string, takes: Kind | string[] | null, summary: string]

interface Entry {
  summary: string
  flags: FlagEntry[]
  arguments: Kind[]
  /** The last argument may be repeated. */
  many?: true
}

export interface Table {
  words: Record<string, Entry>
  flags: FlagEntry[]
}

export interface Candidate {
  text: string
  summary: string
}

export type Names = (kind: Kind, prefix: string) => Promise<string[]>

export interface Answer {
  candidates: Candidate[]
  /** Files of this machine can stand there. */
  files: boolean
}

const none: Answer = { candidates: [], files: false }

/** `typed`: the words behind `ph`, the last of them the one at the cursor. */
export async function answer(table: Table, typed: readonly string[], names: Names): Promise<Answer> {
  const at = typed.at(-1) ?? ''
  const line = read(table, typed.slice(0, -1))
  const equals = /^(--[\w-]+)=(.*)$/s.exec(at)
  if (!line.isEnded && equals) {
    const [, name = '', value = ''] = equals
    const found = await valuesOf(line.flags.find(([known]) => known === name)?.[1] ?? 'text', value, names)
    return { ...found, candidates: found.candidates.map((one) => ({ ...one, text: `${name}=${one.text}` })) }
  }
  if (line.waiting) return valuesOf(line.waiting, at, names)
  if (!line.isEnded && at.startsWith('-')) {
    const flags = line.flags.filter(([name]) => name.startsWith(at) && (name.startsWith('--') || at === name))
    return { candidates: flags.map(([text, , summary]) => ({ text, summary })), files: false }
  }
  const below = line.isEnded || line.given > 0 ? [] : wordsBelow(table, line.path, at)
  const found = line.kind ? await valuesOf(line.kind, at, names) : none
  return { candidates: [...below, ...found.candidates], files: found.files }
}

interface Line {
  path: string
  flags: FlagEntry[]
  /** Arguments that stand there already. */
  given: number
  kind: Kind | undefined
  /** What the flag before the cursor takes. */
  waiting: Kind | string[] | undefined
  /** `--` was typed: no flags follow. */
  isEnded: boolean
}

function read(table: Table, words: readonly string[]): Line {
  let [path, given, isEnded] = ['', 0, false]
  let waiting: Line['waiting']
  const flags = () => [...(table.words[path]?.flags ?? []), ...table.flags]
  for (const word of words) {
    const longer = path === '' ? word : `${path} ${word}`
    if (waiting) waiting = undefined
    else if (!isEnded && word === '--') isEnded = true
    else if (!isEnded && word.startsWith('-')) waiting = flags().find(([name]) => name === word)?.[1] ?? undefined
    else if (given === 0 && isBeginning(table, longer)) path = longer
    else given++
  }
  const { arguments: kinds = [], many } = table.words[path] ?? {}
  return { path, flags: flags(), given, kind: kinds[given] ?? (many ? kinds.at(-1) : undefined), waiting, isEnded }
}

const isBeginning = ({ words }: Table, path: string): boolean =>
  Object.keys(words).some((known) => known === path || known.startsWith(`${path} `))

function wordsBelow({ words }: Table, path: string, at: string): Candidate[] {
  const found = new Map<string, string>()
  const before = path === '' ? '' : `${path} `
  for (const [known, { summary }] of Object.entries(words)) {
    if (!known.startsWith(before) || known === path) continue
    const [word = '', ...more] = known.slice(before.length).split(' ')
    if (word.startsWith(at) && (more.length === 0 || !found.has(word))) found.set(word, more.length === 0 ? summary : '')
  }
  return [...found].map(([text, summary]) => ({ text, summary }))
}

async function valuesOf(takes: Kind | string[], prefix: string, names: Names): Promise<Answer> {
  const isHit = (text: string) => text.toLowerCase().startsWith(prefix.toLowerCase())
  if (typeof takes !== 'string') return { candidates: takes.filter(isHit).map((text) => ({ text, summary: '' })), files: false }
  if (takes === 'text') return none
  const found = takes === 'file' ? [] : (await names(takes, prefix)).filter((name) => isHit(name) && isPlain(name))
  // Props are also named by the files that they are in a project.
  return { candidates: found.map((text) => ({ text, summary: '' })), files: takes === 'file' || takes === 'prop' }
}

/** What would drive a terminal, or look like an option, is typed by hand. */
const isPlain = (name: string): boolean => name !== '' && !name.startsWith('-') && !/[\p{Cc}\p{Cf}\u2028\u2029]/u.test(name)
