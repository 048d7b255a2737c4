/** What a project answered about props that other projects have too: it is asked once about each of those (contract-gaps 9). */
import type { ProjectMemory } from '../../memory/project-memory.ts'
import type { GivenAnswers, HeldAnswer, HeldItem } from './answers.ts'

/** By name of the other project, in lower case. */
type Answers = Record<string, HeldAnswer>

export const recallAnswers = (memory: ProjectMemory): Answers => (memory.recall('other_projects') as Answers | undefined) ?? {}

/** What was answered about all of these projects; undefined where one was not asked about, or the answers differ. */
export function answerAbout(others: readonly string[], answers: Answers): HeldAnswer | undefined {
  const [first, ...more] = new Set(others.map((name) => answers[name.toLowerCase()]))
  return more.length === 0 ? first : undefined
}

/** An answer for all that are left counts for the projects that those were shared with, until another one is given. */
export function rememberRest(memory: ProjectMemory, held: readonly HeldItem[], { answers, rest }: GivenAnswers): void {
  if (rest === undefined) return
  const before = recallAnswers(memory)
  const after = { ...before }
  for (const { file, other_projects } of held)
    if (answers.get(file) === rest) for (const name of other_projects) after[name.toLowerCase()] = rest
  if (JSON.stringify(after) !== JSON.stringify(before)) memory.remember('other_projects', after)
}
