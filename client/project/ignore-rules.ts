/** What a push passes over: the folders that Unreal fills by itself, hidden things, and what `.phignore` files list. */
import { join } from 'node:path'
import type { IgnoreList } from './ignoring/ignore-list.ts'
import type { Rule } from './ignoring/ignore-rule.ts'
import { listIn, requireFewPlaces } from './ignoring/rules-file.ts'

/** Folders anywhere in a project that the engine makes anew at any time. */
const madeByEngine = new Set(['saved', 'intermediate', 'deriveddatacache', 'binaries'])
/** Folders directly below Content that belong to one person's editor. */
const personal = new Set(['developers', 'collections'])

interface FolderRules {
  /** The folder they are for: its path below the root with `/` behind, empty for the root. */
  base: string
  rules: IgnoreList
}

/** The rules that hold in one folder. Paths are relative to the project's root, with `/`. */
export class IgnoreRules {
  /** Deepest first: the one closest to a file has the last word. */
  readonly #own: readonly FolderRules[]

  static readonly none = new IgnoreRules([])

  private constructor(own: readonly FolderRules[]) {
    this.#own = own
  }

  /** The rules for a walk that begins at `file`: of the root and of the folders on the way, unless they pass over `file` itself. */
  static forStart(root: string, file: string): IgnoreRules {
    let rules = IgnoreRules.none.within(root, '')
    for (let end = file.indexOf('/'); end >= 0; end = file.indexOf('/', end + 1))
      rules = rules.within(join(root, file.slice(0, end)), `${file.slice(0, end)}/`)
    const passesOver = file !== '' && (rules.#listed(file) || rules.#listed(`${file}/`))
    return passesOver ? IgnoreRules.none : rules
  }

  /** With the rules that lie in a folder, if any do. Throws ClientError `RULES_TOO_LARGE`, and what the system says. */
  within(folder: string, base: string): IgnoreRules {
    const rules = listIn(folder)
    if (!rules) return this
    const own = [{ base, rules }, ...this.#own]
    requireFewPlaces(
      folder,
      own.map((one) => one.rules),
    )
    return new IgnoreRules(own)
  }

  ignoresFile(file: string): boolean {
    return this.#listed(file) ?? false
  }

  ignoresFolder(file: string, { name, atTopOfContent }: { name: string; atTopOfContent: boolean }): boolean {
    const lower = name.toLowerCase()
    return this.#listed(`${file}/`) ?? (madeByEngine.has(lower) || (atTopOfContent && personal.has(lower)))
  }

  /** The rule that has the last word on a file, or on a folder, which ends in a slash; with the folder of its list. */
  ruleOf(file: string): { base: string; rule: Rule } | undefined {
    for (const { base, rules } of this.#own) {
      if (!file.startsWith(base) || file === base) continue
      const rule = rules.ruleOf(file.slice(base.length))
      if (rule) return { base, rule }
    }
    return undefined
  }

  /** Whether a list says to leave something out, or with `!` to take it in; undefined when none speaks of it. */
  #listed(file: string): boolean | undefined {
    const found = this.ruleOf(file)
    return found && !found.rule.isException
  }
}
