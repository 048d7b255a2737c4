/** What is brought into projects, and the questions that it raises. */
import type { AgentHandlers } from './handler.ts'

export const agentImports: AgentHandlers<'agentImports'> = {
  list: ({ agent: { imports } }) => ({ imports: imports.list(), waiting: imports.waiting() }),
}

export const agentConflicts: AgentHandlers<'agentConflicts'> = {
  list: ({ agent: { imports }, input: { project_key } }) => ({ conflicts: imports.conflicts(project_key) }),
  answer: ({ agent: { imports }, input: { conflict_id, answer } }) => imports.answer(conflict_id, answer),
}

export const agentSenders: AgentHandlers<'agentSenders'> = {
  list: ({ agent: { imports }, input: { project_key } }) => ({ senders: imports.senders.list(project_key) }),
  answer: ({ agent: { imports }, input: { project_key, sender_id, answer } }) =>
    imports.senders.answer(project_key, sender_id, answer ?? null),
  refuse: async ({ agent: { imports }, input: { job_id, reason } }) => ({
    job_ids: await imports.senders.refuse(job_id, reason),
  }),
}
