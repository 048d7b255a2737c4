/** Projects that the agent looks after, and editors that have them open. */

import { projectOf } from './agent-routes.ts'
import type { AgentHandlers } from './handler.ts'

export const agentProjects: AgentHandlers<'agentProjects'> = {
  link({ agent, input: { path, accepts_imports, takes_away, auto_checkout, engine_version, project_key } }) {
    const link = {
      path,
      acceptsImports: accepts_imports,
      takesAway: takes_away ?? false,
      autoCheckout: auto_checkout ?? false,
      engineVersion: engine_version ?? null,
      key: project_key ?? undefined,
    }
    return projectOf(agent, agent.projects.link(link, new Date()))
  },
  unlink: ({ agent, input: { path } }) => ({ root: agent.projects.unlink(path) }),
}
