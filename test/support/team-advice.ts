/** What `ph` advises, run where it advises it: a command that is named has to work. */
import type { Found, Turn } from './team-turn.ts'

/** Mostly `status`; else a command whose answer names what to do next. */
function lineOf(turn: Turn): string {
  const file = turn.pick([...turn.props, turn.level].filter((one) => turn.has(one)))
  const others = ['pull', 'push', ...(file === undefined ? [] : [`checkout ${file}`, `checkin ${file}`, `show ${file}`])]
  return turn.random(2) === 0 ? 'status' : (turn.pick(others) ?? 'status')
}

/** One command of each line of advice, run where it is advised. */
export async function runAdvised(turn: Turn): Promise<Found> {
  const line = lineOf(turn)
  const { fault: first, stdout } = await turn.answer(line, { isRead: true })
  // A refusal has its code in JSON alone; what is refused changes nothing.
  if (first) return turn.command(line, { refusals: ['NOT_IN_LIBRARY', 'ENTRY_NOT_FOUND'] })
  // A long line goes on below, further in.
  const said = stdout.replaceAll(/\n {6,}(?=\S)/g, ' ')
  // Of two ways out one is taken.
  const other = turn.pick(['--mine', '--theirs']) ?? ''
  let isFirst = true
  for (const advice of said.split('\n')) {
    const named = [...advice.matchAll(/(?:→ |`)ph ((?:pull|push|restore|checkout|checkin|release|history|show) [^;`]*)/g)]
    // Skips commands with a placeholder, and those that ask a person.
    const leftOut = ['<', '--held ask', other]
    const words = turn.pick(named.flatMap(([, one = '']) => (leftOut.some((part) => one.includes(part)) ? [] : one)))
    // What was done as advised may have settled what another line is about.
    const fault = words && (await turn.command(words.trim(), isFirst ? {} : { refusals: ['NOT_EDITED'] }))
    if (words) isFirst = false
    if (fault) return `${line} advised: ${fault}`
  }
  return undefined
}
