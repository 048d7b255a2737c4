/** The mirror, asked by editors and assistants. */
import type { AgentHandlers } from './handler.ts'

export const agentMirror: AgentHandlers<'agentMirror'> = {
  get: ({ agent }) => agent.mirror.report(),
  rebuild: ({ agent }) => agent.mirror.rebuild(),
  search: ({ agent, input: { q, limit } }) => agent.mirror.search(q, limit),
  thumbnail: async ({ agent, input: { entry_id } }) => ({ file: await agent.mirror.thumbnail(entry_id) }),
}
