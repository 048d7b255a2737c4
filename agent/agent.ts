/** The agent as the handlers of its API see it: its parts, beside what these are made with. */
import type { Imports } from './imports/imports.ts'
import type { LiveFeed } from './live/live-feed.ts'
import type { MirrorKeeper } from './mirror/keeper.ts'
import type { ProjectPreviews } from './projects/project-previews.ts'
import type { Supervisor } from './running/supervisor.ts'
import type { Sessions } from './sessions/sessions.ts'
import type { Surroundings } from './surroundings.ts'
import type { Watching } from './watching/watching.ts'

export interface Agent extends Surroundings {
  version: string
  startedAt: Date
  supervisor: Supervisor
  live: LiveFeed
  imports: Imports
  sessions: Sessions
  watching: Watching
  mirror: MirrorKeeper
  previews: ProjectPreviews
  /** Ends the agent, soon. */
  stop(): void
}
