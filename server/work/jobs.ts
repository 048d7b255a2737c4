/** What the server does by itself; docs/running-a-server.md tells of each. A new job is one more here, its work in a file of its own. */
import { recordExpiries, selectWhereExpired } from '../check-out/expiry.ts'
import type { Clock } from '../clock.ts'
import { forgetUnnamedParts, forgetUnneededRedirectors } from '../curation/unnamed-files.ts'
import type { Database } from '../database/open.ts'
import { forgetLooseAttachments } from '../discussion/attachments.ts'
import type { FrontDoor } from '../front-door/enter.ts'
import type { EmbedderThread } from '../looks/embedder-thread.ts'
import { makeLooks, selectWhereLooksAreDue } from '../looks/making.ts'
import { recordLapses, selectWhereLapsed } from '../pulls/lapsed.ts'
import { selectWhereUpgrading, upgradeReferences } from '../rows/upgrade/references.ts'
import { sweepOrphans } from '../storage/orphans.ts'
import type { Storage } from '../storage/storage.ts'
import type { Deliveries } from '../webhooks/deliveries.ts'
import { forgetDeliveries } from '../webhooks/retention.ts'
import type { NotedHead } from './noted-head.ts'
import {
  forgetOldActivity,
  forgetOldChanges,
  forgetOldNames,
  forgetOldPushes,
  forgetOldSessions,
  forgetReadNotifications,
  forgetSpentPlans,
} from './retention.ts'
import type { Job, Step, StepDone } from './runner.ts'

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

/** Removes what is too old, some of it in each step. */
const hourly = (name: string, sweep: (step: Step) => Promise<StepDone>): Job => ({
  name,
  of: 'workspace',
  everyMs: hourMs,
  run: async (step) => (await sweep(step)).isMore,
})

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
    name: 'references',
    of: 'found workspaces',
    // After an upgrade: some at every look, until all is done. It waits for no server that was killed.
    everyMs: 1_000,
    find: () => selectWhereUpgrading(database.sql),
    run: (workspaceId) => upgradeReferences(database, { clock, workspaceId }),
  },
  hourly('orphans', (step) => sweepOrphans({ database, files }, step)),
  hourly('loose-attachments', (step) => forgetLooseAttachments(database, step)),
  hourly('old-activity', (step) => forgetOldActivity(database, step)),
  hourly('old-deliveries', (step) => forgetDeliveries(database, step)),
  hourly('old-changes', (step) => forgetOldChanges(database, step)),
  hourly('read-notifications', (step) => forgetReadNotifications(database, step)),
  hourly('old-editor-sessions', (step) => forgetOldSessions(database, step)),
  hourly('old-names', (step) => forgetOldNames(database, step)),
  hourly('old-pushes', (step) => forgetOldPushes(database, step)),
  hourly('unnamed-parts', (step) => forgetUnnamedParts(database, step)),
  hourly('unneeded-redirectors', (step) => forgetUnneededRedirectors(database, step)),
  hourly('spent-plans', (step) => forgetSpentPlans(database, step)),
  {
    name: 'looks',
    of: 'workspace',
    everyMs: hourMs,
    // New thumbnails: at every look.
    find: () => selectWhereLooksAreDue({ database, embedder, files }),
    run: (step) => makeLooks({ database, embedder, files }, step),
  },
]
