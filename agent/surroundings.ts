/** What every part of the agent is made with. */
import type { FastifyBaseLogger } from 'fastify'
import type { Api } from '../client/http/api.ts'
import type { Http } from '../client/http/http.ts'
import type { Wire } from '../client/http/open-http.ts'
import type { NewChange } from '../client/undo/journal.ts'
import type { Projects } from './projects/projects.ts'
import type { Reach } from './reach.ts'
import type { EventLog } from './running/event-log.ts'

export type Logger = FastifyBaseLogger

export interface Surroundings {
  /** The way to the workspace, for pushes, pulls and status, which open connections of their own. */
  wire: Wire & { key: string }
  /** For everything small. */
  api: Api
  /** What `api` is made on. */
  http: Http
  /** The agent's own folder, which it has for itself. */
  dir: string
  log: Logger
  events: EventLog
  reach: Reach
  projects: Projects
  /** What was changed on this machine, for `ph undo`. */
  remember(change: Omit<NewChange, 'at'>): Promise<unknown>
}
