/** Conflicts of a pull: someone at the terminal is asked about each. */

import { createInterface } from 'node:readline/promises'
import { whoseProp } from '../../../client/entries/whose-prop.ts'
import type { Conflict, ConflictAnswer } from '../../../client/pull/options.ts'
import { printable } from '../../../system/printable.ts'
import type { Context } from '../../context.ts'
import { age, size } from '../../terminal/amounts.ts'
import { shown } from '../../terminal/output.ts'
import { typedLine } from '../../terminal/typed-line.ts'
import { wrap } from '../../terminal/wrap.ts'

const answers: Record<string, ConflictAnswer> = { k: 'keep', o: 'overwrite' }

/** Capital letters answer for all that are left; without more input they are kept. */
export async function askAboutConflicts(
  conflicts: readonly Conflict[],
  context: Context,
): Promise<ReadonlyMap<string, ConflictAnswer>> {
  const { stdin, stderr, signal } = context
  const lines = createInterface({ input: stdin, output: stderr })
  const answered = new Map<string, ConflictAnswer>()
  try {
    for (const [at, conflict] of conflicts.entries()) {
      stderr.write(shown(`\n${(await question(conflict, context)).join('\n')}\n`))
      const typed = await readAnswer(() => typedLine(lines, prompt, signal))
      for (const one of typed.all ? conflicts.slice(at) : [conflict]) answered.set(one.file, typed.is)
      if (typed.all) break
    }
    return answered
  } finally {
    lines.close()
  }
}

const prompt = '  [k] keep mine  [o] overwrite it, with a backup\n  (capital: for all the rest) > '

async function question(conflict: Conflict, { out, now }: Context): Promise<string[]> {
  const { file, size: bytes, modifiedAt, other } = conflict
  const { base, pulled } = await conflict.versionNames()
  const origin = other
    ? `is ${whoseProp(other)}, another prop`
    : base === null
      ? 'did not come from the library'
      : `was changed here, from ${base}`
  const changed = age(modifiedAt.toISOString(), now())
  const words = `${out.paint('bold', printable(file))} (${size(bytes)}, saved ${changed}) ${printable(origin)}. This pull brings ${pulled}${other ? ` of ${whoseProp(other.pulled)}` : ''}.`
  return wrap(words, out.width)
}

async function readAnswer(read: () => Promise<string | undefined>): Promise<{ is: ConflictAnswer; all: boolean }> {
  for (;;) {
    const typed = await read()
    if (typed === undefined) return { is: 'keep', all: true }
    const is = answers[typed.toLowerCase()]
    if (is) return { is, all: typed !== typed.toLowerCase() }
  }
}
