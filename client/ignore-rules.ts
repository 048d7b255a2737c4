/** What a push passes over: the folders that Unreal fills by itself, hidden things, and what `.phignore` lists. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ignore, { type Ignore } from 'ignore'
import { systemCode } from './client-error.ts'

/** Folders anywhere in a project that the engine makes anew at any time. */
const madeByEngine = new Set(['saved', 'intermediate', 'deriveddatacache', 'binaries'])
/** Folders directly below Content that belong to one person's editor. */
const personal = new Set(['developers', 'collections'])

/** The same as patterns: `.phignore` comes after them, so a line like `!Saved/` lets a folder in. */
const asPatterns = [...madeByEngine].map((name) => `${name}/`).concat([...personal].map((name) => `**/Content/${name}/`))

/** The rules of one project. Paths are relative to its root, with `/`. */
export class IgnoreRules {
  readonly #own: Ignore | undefined

  /** Reads `.phignore` (gitignore syntax) of the root, when there is one. */
  constructor(root: string) {
    const text = readRules(join(root, '.phignore'))
    this.#own = text === undefined ? undefined : ignore().add(asPatterns).add(text)
  }

  ignoresFile(file: string): boolean {
    return this.#own?.ignores(file) ?? false
  }

  ignoresFolder(file: string, { name, atTopOfContent }: { name: string; atTopOfContent: boolean }): boolean {
    if (this.#own) return this.#own.ignores(`${file}/`)
    const lower = name.toLowerCase()
    return madeByEngine.has(lower) || (atTopOfContent && personal.has(lower))
  }
}

function readRules(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw error
  }
}
