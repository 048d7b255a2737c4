/** The catalog as the desktop agent keeps it on its machine, for looking without the server. */
import { type Static, Type } from 'typebox'
import { AgentPath } from './agent-files.ts'
import { limits } from './limits.ts'
import { routes } from './route.ts'
import { Count, Id, nullable, oneOf } from './shapes.ts'

const Path = AgentPath

/** `loading`: the first time, or anew. `behind`: changes wait to be read. `offline`: not known, since the server is not reached, or the agent paused. */
export const mirrorStates = ['loading', 'current', 'behind', 'offline', 'failed'] as const
export const MirrorReport = Type.Object({
  state: oneOf(mirrorStates),
  /** How far the change feed was followed, and its newest number as last heard. */
  cursor: nullable(Count),
  head: nullable(Count),
  /** Since it was last known to be as the library. */
  lag_seconds: nullable(Count),
  entries: Count,
})
export type MirrorReport = Static<typeof MirrorReport>

export const agentMirror = routes({
  get: { method: 'GET', path: '/agent/v1/mirror', scope: 'local', summary: 'Say how the mirror is.', output: MirrorReport },
  rebuild: {
    method: 'POST',
    path: '/agent/v1/mirror/rebuild',
    scope: 'local',
    summary: 'Load the mirror anew, after a pause where the agent is paused. What it holds serves until the new one is there.',
    output: MirrorReport,
  },
  search: {
    method: 'GET',
    path: '/agent/v1/mirror/entries',
    scope: 'local',
    summary: 'Search the mirror by word: entries as `GET /entries` of the server lists them.',
    input: Type.Object({
      q: Type.Optional(Type.String({ maxLength: limits.agent.query })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.page.max })),
    }),
    output: Type.Object({ entries: Type.Array(Type.Object({}, { additionalProperties: true })), total: Count }),
    errors: ['UNAVAILABLE'],
  },
  thumbnail: {
    method: 'GET',
    path: '/agent/v1/mirror/entries/{entry_id}/thumbnail',
    scope: 'local',
    summary: 'Fetch the picture of an entry, from the mirror or through it.',
    input: Type.Object({ entry_id: Id }),
    output: Type.Object({ file: Path }),
    errors: ['ENTRY_NOT_FOUND', 'NOT_FOUND', 'UNAVAILABLE'],
  },
})
