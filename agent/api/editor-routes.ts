/** Editors that announce themselves, and say what they open. */
import { ApiError } from '../../contract/errors.ts'
import type { AgentHandlers } from './handler.ts'

export const agentEditors: AgentHandlers<'agentEditors'> = {
  announce({ agent: { projects, events, wire, reach }, input }) {
    const { session_id, project_key, root, accepts_imports } = input
    const since = events.last
    const editor = projects.announce(
      {
        session_id,
        project_key,
        root,
        accepts_imports,
        engine_version: input.engine_version ?? null,
        plugin_version: input.plugin_version ?? null,
        default_root: input.default_root ?? null,
        open: input.open,
      },
      Date.now(),
    )
    return { editor, server: wire.url, person: reach.person, desktop_agent: 'live', since }
  },
  leave({ agent: { projects }, input: { session_id } }) {
    projects.leave(session_id)
    return undefined
  },
  opened({ agent: { projects }, input: { session_id, package: name } }) {
    if (!projects.editors.get(session_id))
      throw new ApiError('NOT_FOUND', `No editor ${session_id} has announced itself. Announce it first.`)
    projects.editors.opened(session_id, name)
    return { file: null, warnings: [] }
  },
}
