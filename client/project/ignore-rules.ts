/** What a push passes over: the folders that Unreal fills by itself, hidden things, and what `.phignore` files list. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ignore, { type Ignore } from 'ignore'
import { systemCode } from '../client-error.ts'

/** Folders anywhere in a project that the engine makes anew at any time. */
const madeByEngine = new Set(['saved', 'intermediate', 'deriveddatacache', 'binaries'])
/** Folders directly below Content that belong to one person's editor. */
const personal = new Set(['developers', 'collections'])

/** The name of a file with rules, in gitignore syntax, for the folder it lies in and everything below. */
export const rulesFile = '.phignore'

interface FolderRules {
  /** The folder they are for: its path below the root with `/` behind, empty for the root. */
  base: string
  rules: Ignore
}

/** The rules that hold in one folder. Paths are relative to the project's root, with `/`. */
export class IgnoreRules {
  /** Deepest first: the one closest to a file has the last word. */
  readonly #own: readonly FolderRules[]

  private constructor(own: readonly FolderRules[]) {
    this.#own = own
  }

  /** The rules for a walk that begins at `file`: of the root and of the folders on the way, unless they pass over `file` itself. */
  static forStart(root: string, file: string): IgnoreRules {
    let rules = new IgnoreRules([]).within(root, '')
    for (let end = file.indexOf('/'); end >= 0; end = file.indexOf('/', end + 1))
      rules = rules.within(join(root, file.slice(0, end)), `${file.slice(0, end)}/`)
    const passesOver = file !== '' && (rules.#listed(file) || rules.#listed(`${file}/`))
    return passesOver ? new IgnoreRules([]) : rules
  }

  /** With the rules that lie in a folder, if any do. */
  within(folder: string, base: string): IgnoreRules {
    const text = readRules(join(folder, rulesFile))
    return text === undefined ? this : new IgnoreRules([{ base, rules: ignore().add(text) }, ...this.#own])
  }

  ignoresFile(file: string): boolean {
    return this.#listed(file) ?? false
  }

  ignoresFolder(file: string, { name, atTopOfContent }: { name: string; atTopOfContent: boolean }): boolean {
    const lower = name.toLowerCase()
    return this.#listed(`${file}/`) ?? (madeByEngine.has(lower) || (atTopOfContent && personal.has(lower)))
  }

  /** Whether a list says to leave something out, or with `!` to take it in; undefined when none speaks of it. */
  #listed(file: string): boolean | undefined {
    for (const { base, rules } of this.#own) {
      if (!file.startsWith(base) || file === base) continue
      const { ignored, unignored } = rules.test(file.slice(base.length))
      if (ignored || unignored) return ignored
    }
    return undefined
  }
}

function readRules(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const code = systemCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}
