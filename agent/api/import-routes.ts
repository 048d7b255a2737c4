/** What is brought into projects, and the questions that it raises. */
import type { AgentHandlers } from './handler.ts'

export const agentImports: AgentHandlers<'agentImports'> = {
  list: ({ agent: { imports } }) => ({ imports: imports.list(), waiting: imports.waiting() }),
}

export const agentConflicts: AgentHandlers<'agentConflicts'> = {
  list: ({ agent: { imports }, input: { project_key } }) => ({ conflicts: imports.conflicts(project_key) }),
  answer: ({ agent: { imports }, input: { conflict_id, answer } }) => imports.answer(conflict_id, answer),
}
