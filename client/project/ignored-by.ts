/** Why a push passes over a file: which rule it is, of which line of which `.phignore`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ignore from 'ignore'
import { IgnoreRules, rulesFile } from './ignore-rules.ts'
import { isContentFolder } from './unreal-project.ts'

/** `hidden`: a name that begins with a dot. `made`: a folder that the engine or one person's editor fills by itself. */
export type IgnoredBy = { kind: 'rule'; file: string; line: number; rule: string } | { kind: 'hidden' | 'made'; folder: string }

/** Undefined for a file that is not passed over. Paths are below the root, with `/`. */
export function findIgnoring(root: string, file: string): IgnoredBy | undefined {
  const parts = file.split('/')
  let rules = IgnoreRules.forStart(root, '')
  let isInContent = false
  for (const [at, name] of parts.entries()) {
    const here = parts.slice(0, at + 1).join('/')
    if (name.startsWith('.')) return { kind: 'hidden', folder: here }
    const isLast = at === parts.length - 1
    const atTopOfContent = at > 0 && isInContent && isContentFolder(parts[at - 1] ?? '', true)
    const isIgnored = isLast ? rules.ignoresFile(here) : rules.ignoresFolder(here, { name, atTopOfContent })
    if (isIgnored) return ruleOf(root, isLast ? here : `${here}/`) ?? { kind: 'made', folder: here }
    isInContent ||= isContentFolder(name, true)
    if (!isLast) rules = rules.within(join(root, here), `${here}/`)
  }
  return undefined
}

/** The last line that speaks of it, in the nearest list that does. */
function ruleOf(root: string, path: string): IgnoredBy | undefined {
  const folders = path.replace(/\/$/, '').split('/').slice(0, -1)
  for (let depth = folders.length; depth >= 0; depth--) {
    const base = folders.slice(0, depth).join('/')
    const list = base === '' ? rulesFile : `${base}/${rulesFile}`
    const below = base === '' ? path : path.slice(base.length + 1)
    const lines = linesOf(join(root, list))
    const line = lines.findLastIndex((rule) => ignore().add(rule).test(below).ignored)
    if (line !== -1) return { kind: 'rule', file: list, line: line + 1, rule: lines[line] ?? '' }
  }
  return undefined
}

function linesOf(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split(/\r?\n/)
  } catch {
    return []
  }
}
