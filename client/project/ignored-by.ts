/** Why a push passes over a file: which rule it is, of which line of which `.phignore`. */
import { join } from 'node:path'
import { IgnoreRules } from './ignore-rules.ts'
import { rulesFile } from './ignoring/rules-file.ts'
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
    if (isIgnored) return ruleOf(rules, isLast ? here : `${here}/`) ?? { kind: 'made', folder: here }
    isInContent ||= isContentFolder(name, true)
    if (!isLast) rules = rules.within(join(root, here), `${here}/`)
  }
  return undefined
}

function ruleOf(rules: IgnoreRules, path: string): IgnoredBy | undefined {
  const found = rules.ruleOf(path)
  return found && { kind: 'rule', file: found.base + rulesFile, line: found.rule.line, rule: found.rule.text }
}
