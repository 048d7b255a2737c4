/** What the server does by itself; docs/running-a-server.md tells of each. A new job is one more here, its work in a file of its own. */
import { recordExpiries, selectWhereExpired } from '../check-out/expiry.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/open.ts'
import { forgetLooseAttachments } from '../discussion/attachments.ts'
import type { FrontDoor } from '../front-door/enter.ts'
import type { EmbedderThread } from '../looks/embedder-thread.ts'
import { makeLooks, selectWhereLooksAreDue } from '../looks/making.ts'
import { recordLapses, selectWhereLapsed } from '../pulls/lapsed.ts'
import { sweepOrphans } from '../storage/orphans.ts'
import type { Storage } from '../storage/storage.ts'
import type { Deliveries } from '../webhooks/deliveries.ts'
import { forgetDeliveries } from '../webhooks/retention.ts'
import type { NotedHead } from './noted-head.ts'
import {
  forgetOldActivity,
  forgetOldChanges,
  forgetOldNames,
  forgetOldSessions,
  forgetReadNotifications,
  forgetSpentPlans,
} from './retention.ts'
import type { Job } from './runner.ts'

interface JobParts {
  clock: Clock
  database: Database
  frontDoor: FrontDoor
  /** Where bytes lie, uncounted. */
  files: Pick<Storage, 'read' | 'remove'>
  embedder: EmbedderThread
  deliveries: Deliveries
  notedHead: NotedHead
}

const hourMs = 3_600_000

export const jobsOf = ({ clock, database, frontDoor, files, embedder, deliveries, notedHead }: JobParts): Job[] => [
  {
    name: 'key-uses',
    of: 'server',
    // `last_used_at` may be a minute old (contract-gaps 1).
    everyMs: 30_000,
    run: () => frontDoor.tidy(),
  },
  {
    name: 'noted-head',
    of: 'server',
    // At every look.
    everyMs: 1_000,
    run: () => notedHead.write(),
  },
  {
    name: 'lock-expiries',
    of: 'found workspaces',
    // At every look.
    everyMs: 1_000,
    find: () => selectWhereExpired(database, clock),
    run: (workspaceId) => recordExpiries(database, { clock, workspaceId }),
  },
  {
    name: 'webhooks',
    of: 'server',
    // At every look. What is sent goes on beside it.
    everyMs: 1_000,
    run: () => deliveries.look(),
  },
  {
    name: 'lapsed-claims',
    of: 'found workspaces',
    // At every look.
    everyMs: 1_000,
    find: () => selectWhereLapsed(database, clock),
    run: (workspaceId) => recordLapses(database, { clock, workspaceId }),
  },
  {
    name: 'orphans',
    of: 'workspace',
    everyMs: hourMs,
    run: async (step) => (await sweepOrphans({ database, files }, step)).isMore,
  },
  {
    name: 'loose-attachments',
    of: 'workspace',
    everyMs: hourMs,
    run: async (step) => (await forgetLooseAttachments(database, step)).isMore,
  },
  {
    name: 'old-activity',
    of: 'workspace',
    everyMs: hourMs,
    run: async (step) => (await forgetOldActivity(database, step)).isMore,
  },
  {
    name: 'old-deliveries',
    of: 'workspace',
    everyMs: hourMs,
    run: async (step) => (await forgetDeliveries(database, step)).isMore,
  },
  {
    name: 'old-changes',
    of: 'workspace',
    everyMs: hourMs,
    run: async (step) => (await forgetOldChanges(database, step)).isMore,
  },
  {
    name: 'read-notifications',
    of: 'workspace',
    everyMs: hourMs,
    run: async (step) => (await forgetReadNotifications(database, step)).isMore,
  },
  {
    name: 'old-editor-sessions',
    of: 'workspace',
    everyMs: hourMs,
    run: async (step) => (await forgetOldSessions(database, step)).isMore,
  },
  {
    name: 'old-names',
    of: 'workspace',
    everyMs: hourMs,
    run: async (step) => (await forgetOldNames(database, step)).isMore,
  },
  {
    name: 'spent-plans',
    of: 'workspace',
    everyMs: hourMs,
    run: async (step) => (await forgetSpentPlans(database, step)).isMore,
  },
  {
    name: 'looks',
    of: 'workspace',
    everyMs: hourMs,
    // New thumbnails: at every look.
    find: () => selectWhereLooksAreDue({ database, embedder, files }),
    run: (step) => makeLooks({ database, embedder, files }, step),
  },
]
