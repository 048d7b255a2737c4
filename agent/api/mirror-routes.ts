/** The mirror, asked by editors and assistants. */
import { mirrorOf } from './agent-routes.ts'
import type { AgentHandlers } from './handler.ts'

export const agentMirror: AgentHandlers<'agentMirror'> = {
  get: ({ agent }) => mirrorOf(agent),
  rebuild: ({ agent }) => agent.mirror.rebuild(),
  search: ({ agent, input: { q, limit } }) => agent.mirror.search(q, limit),
  thumbnail: async ({ agent, input: { entry_id } }) => ({ file: await agent.mirror.thumbnail(entry_id) }),
}
