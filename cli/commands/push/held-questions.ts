/** Held files: what the flags say about them, and on a terminal, people are asked about the rest. */
import { relative, resolve } from 'node:path'
import type { HeldAnswer, HeldAnswers, HeldItem } from '../../../client/push/held/answers.ts'
import type { Context } from '../../context.ts'

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
  for (const { file, overtaken } of held) {
    const answer = asNew.has(file) ? 'new' : attach.has(file) ? 'continue' : flags.rest
    // The flag was typed about another version.
    if (answer && !(answer === 'continue' && overtaken)) answers.set(file, answer)
  }
  return answers
}

/** How this run decides: by its flags, then, where someone is there to answer, by asking. */
export function heldAnswers(context: Context, flags: HeldFlags, root: string): HeldAnswers {
  return async (held) => {
    const answers = answersFromFlags(held, flags, { cwd: context.cwd, root })
    const open = held.filter(({ file, remembered }) => !answers.has(file) && remembered === undefined)
    if (open.length === 0 || !context.interactive) return { answers, rest: flags.rest }
    const [{ withLibrary }, { askAbout }] = await Promise.all([import('../../library.ts'), import('./held-asking.ts')])
    const told = await withLibrary(context, (library) => askAbout(open, { context, library, root }))
    return { answers: new Map([...answers, ...told.answers]), rest: flags.rest ?? told.rest }
  }
}
