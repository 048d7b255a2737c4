/** A question that is answered with yes or no. */
import { createInterface } from 'node:readline/promises'
import type { Context } from '../context.ts'
import { columnsOf, onOneLine, shown } from './output.ts'
import { typedLine } from './typed-line.ts'
import { wrap } from './wrap.ts'

/** Asks on the terminal until one of both is typed; Enter, and the end of input, mean `otherwise`. */
export async function askYesOrNo(context: Context, question: string, otherwise: boolean): Promise<boolean> {
  const { stdin, stderr, env, signal } = context
  const lines = createInterface({ input: stdin, output: stderr })
  const [last = '', ...above] = wrap(
    `${onOneLine(question)} ${otherwise ? '[Y/n]' : '[y/N]'}`,
    columnsOf(stderr, env) - 4,
  ).reverse()
  for (const line of above.reverse()) stderr.write(shown(`${line}\n`))
  try {
    for (;;) {
      const typed = (await typedLine(lines, `${last} > `, signal))?.toLowerCase()
      if (typed === undefined || typed === '') return otherwise
      if (typed === 'y' || typed === 'yes') return true
      if (typed === 'n' || typed === 'no') return false
    }
  } finally {
    lines.close()
  }
}
