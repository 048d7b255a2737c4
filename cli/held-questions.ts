/** Held files: what the flags say about them, and on a terminal, somebody is asked about the rest. */
import { join, relative, resolve } from 'node:path'
import { createInterface, type Interface } from 'node:readline/promises'
import type { HeldAnswer, HeldAnswers, HeldItem } from '../client/held-answers.ts'
import { age, count } from './amounts.ts'
import type { Context } from './context.ts'
import type { Library } from './library.ts'
import { printable } from './printable.ts'
import { shellWord } from './shell-word.ts'
import { typedLine } from './typed-line.ts'
import { wrap } from './wrap.ts'

export interface HeldFlags {
  /** Paths as typed. */
  attach: readonly string[]
  asNew: readonly string[]
  /** For all that no path was given for. */
  rest: HeldAnswer | undefined
}

/** The answers that flags give; a path may be given from here or from the project's root. */
export function answersFromFlags(held: readonly HeldItem[], flags: HeldFlags, { cwd, root }: { cwd: string; root: string }) {
  const pathsOf = (typed: readonly string[]) => new Set(typed.flatMap((path) => [path, relative(root, resolve(cwd, path))]))
  const [attach, asNew] = [pathsOf(flags.attach), pathsOf(flags.asNew)]
  const answers = new Map<string, HeldAnswer>()
  for (const { file } of held) {
    const answer = asNew.has(file) ? 'new' : attach.has(file) ? 'continue' : flags.rest
    if (answer) answers.set(file, answer)
  }
  return answers
}

/** The exact flags that decide about a held file, as they are typed here. */
export function flagsFor(file: string, { cwd, root }: { cwd: string; root: string }): { attach: string; asNew: string } {
  const typed = shellWord(relative(cwd, join(root, file)) || file)
  return { attach: `--attach ${typed}`, asNew: `--new ${typed}` }
}

/** Asks about each of them on the terminal. Capital letters answer for all that are left; the end of input skips them. */
export async function askAbout(held: readonly HeldItem[], context: Context, library: Library): Promise<Map<string, HeldAnswer>> {
  const { stdin, stderr } = context
  const lines = createInterface({ input: stdin, output: stderr })
  const answers = new Map<string, HeldAnswer>()
  try {
    for (const [at, item] of held.entries()) {
      stderr.write(`\n${(await question(item, context, library)).join('\n')}\n`)
      const { is, all } = await readAnswer(lines, item, context.signal)
      for (const one of all ? held.slice(at) : [item])
        if (is === 'new' || (is === 'continue' && one.candidate_lineage_id !== null)) answers.set(one.file, is)
      if (all) break
    }
    return answers
  } finally {
    lines.close()
  }
}

async function question(item: HeldItem, { out, now }: Context, { api }: Library): Promise<string[]> {
  const { candidate_lineage_id: lineage_id } = item
  const subject = `${out.paint('bold', printable(item.name))} (${printable(item.file)})`
  if (!lineage_id) return wrap(`${subject} claims the same place as another new file of this push.`, out.width)
  const { objects, entry_id } = await api.lineages.get({ lineage_id })
  const face = objects.find(({ is_face }) => is_face)
  const known = entry_id ? `entry ${entry_id}` : 'a file'
  const pushed = face ? `, pushed ${age(face.date_ingested, now())} by ${face.published_by?.name ?? 'somebody'}` : ''
  const versions = count(objects.length, 'version')
  return wrap(`${subject} looks like a new version of ${known} (${versions}${pushed}), but does not say so itself.`, out.width)
}

interface Answered {
  is: HeldAnswer | 'skip'
  all: boolean
}

async function readAnswer(lines: Interface, item: HeldItem, signal: AbortSignal): Promise<Answered> {
  const canContinue = item.candidate_lineage_id !== null
  const choices = canContinue ? '[v] a new version of it  [n] a new prop  [s] skip' : '[n] a new prop all the same  [s] skip'
  for (;;) {
    const typed = await typedLine(lines, `  ${choices}\n  (capital: for all the rest) > `, signal)
    if (typed === undefined) return { is: 'skip', all: true }
    const all = typed !== typed.toLowerCase()
    if (typed.toLowerCase() === 'v' && canContinue) return { is: 'continue', all }
    if (typed.toLowerCase() === 'n') return { is: 'new', all }
    if (typed.toLowerCase() === 's') return { is: 'skip', all }
  }
}

/** How this run decides: by its flags, then, where somebody is there to answer, by asking. */
export function heldAnswers(context: Context, flags: HeldFlags, root: string): HeldAnswers {
  return async (held) => {
    const answers = answersFromFlags(held, flags, { cwd: context.cwd, root })
    const open = held.filter(({ file }) => !answers.has(file))
    if (open.length === 0 || !context.interactive) return answers
    const { withLibrary } = await import('./library.ts')
    const asked = await withLibrary(context, (library) => askAbout(open, context, library))
    return new Map([...answers, ...asked])
  }
}
