/** What `ph` advises, run where it advises it: a command that is named has to work. */
import type { Found, Turn } from './team-turn.ts'

/** Each command that status advises is run where it advises it. */
export async function runAdvised(turn: Turn): Promise<Found> {
  const { stdout } = await turn.machine.tell('status')
  // A long line goes on below, further in.
  const said = stdout.replaceAll(/\n {6,}(?=\S)/g, ' ')
  // Of two ways out one is taken.
  const other = turn.pick(['--mine', '--theirs']) ?? ''
  for (const [, words = ''] of said.matchAll(/(?:→ |`)ph ((?:pull|push|restore) [^<>;`\n]*)/g)) {
    const fault = words.includes(other) ? undefined : await turn.command(words)
    if (fault) return `status advised: ${fault}`
  }
  return undefined
}
