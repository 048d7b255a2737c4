/** A first word that is no command of `ph`: perhaps a person's own name for one. The file is read only then. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { findFolders } from '../client/folders.ts'
import { expand, wordsWithoutMarks } from '../client/settings/aliases.ts'
import { aliasesFile, type Kept, readKept } from '../client/settings/kept.ts'
import { printable } from '../system/printable.ts'
import type { Surroundings } from './context.ts'
import { failed, wrongUsage } from './refusal.ts'

/** What to run instead, or the exit code of what was run. */
export type Resolved = { args: string[] } | { code: number }

export function readAliases(env: Surroundings['env']): Record<string, string> {
  const kept: Kept = readKept(aliasesFile(findFolders(env)))
  const texts = Object.entries(kept).flatMap(([name, text]) => (typeof text === 'string' ? [[name, text] as const] : []))
  return Object.assign(Object.create(null), Object.fromEntries(texts))
}

/** `at`: where its word stands. Undefined where nothing is called that. */
export async function resolveAlias(
  args: readonly string[],
  at: number,
  surroundings: Surroundings,
): Promise<Resolved | undefined> {
  const isHelp = args[at] === 'help'
  const name = args[isHelp ? at + 1 : at] ?? ''
  const text = readAliases(surroundings.env)[name]
  if (text === undefined) return undefined
  const [before, typed] = [args.slice(0, at), args.slice(at + 1)]
  if (isHelp || typed.includes('--help') || typed.includes('-h')) return helpOf(name, text, surroundings)
  const expansion = expand(text, typed)
  if (expansion.kind === 'args') return { args: [...before, ...expansion.args] }
  if (expansion.kind === 'lacking')
    throw wrongUsage(
      `\`ph ${name}\` needs more words, for ${expansion.marks.join(' and ')}.`,
      `It stands for \`ph ${printable(text)}\`.`,
    )
  if (before.length > 0)
    throw wrongUsage(
      `${before.join(' ')} stands before ${name}, which the shell runs.`,
      `Write it into the alias: ${name} stands for ${printable(text)}`,
    )
  return { code: await runInShell(expansion, surroundings) }
}

/** What it stands for, and the help of the command where it stands for one of `ph`. */
function helpOf(name: string, text: string, { stdout }: Surroundings): Resolved {
  if (text.startsWith('!')) {
    stdout.write(`${name} stands for this in the shell: ${printable(text.slice(1))}\n`)
    return { code: 0 }
  }
  stdout.write(`${name} stands for: ph ${printable(text)}\n\n`)
  return { args: [...wordsWithoutMarks(text), '--help'] }
}

/** The shell has what was typed as `$1`, `$2` and `$@`. */
async function runInShell({ script, args }: { script: string; args: string[] }, { env }: Surroundings): Promise<number> {
  const child = spawn('sh', ['-c', script, 'ph', ...args], { stdio: 'inherit', env: env as NodeJS.ProcessEnv })
  const [code, signal] = await once(child, 'close').catch((error: Error) => {
    throw failed(
      'NO_SHELL',
      `The shell sh, which runs this alias, does not start: ${error.message}.`,
      'On Windows it comes with Git: put its folder `usr\\bin` into PATH.',
    )
  })
  return code ?? 128 + (constants.signals[signal as NodeJS.Signals] ?? 0)
}
