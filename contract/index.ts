/** The whole contract: every noun's routes under the name that the client and the server use for it. */
import { activity } from './activity.ts'
import { admin } from './admin.ts'
import { annotations } from './annotations.ts'
import { attachments } from './attachments.ts'
import { blobs } from './blobs.ts'
import { categories } from './categories.ts'
import { changes } from './changes.ts'
import { collections } from './collections.ts'
import { comments } from './comments.ts'
import { deviceSignIns } from './device-sign-ins.ts'
import { duplicates } from './duplicates.ts'
import { editorSessions } from './editor-sessions.ts'
import { entries } from './entries.ts'
import { identity } from './identity.ts'
import { lineages } from './lineages.ts'
import { locks } from './locks.ts'
import { media } from './media.ts'
import { members } from './members.ts'
import { notifications } from './notifications.ts'
import { packs } from './packs.ts'
import { projects } from './projects.ts'
import { pullJobs } from './pull-jobs.ts'
import { push } from './push.ts'
import { reviewRequests } from './review-requests.ts'
import { reviews } from './reviews.ts'
import type { PublicRoutes, Route } from './route.ts'
import { tags } from './tags.ts'
import { tokens } from './tokens.ts'
import { variants } from './variants.ts'
import { watches } from './watches.ts'
import { webhooks } from './webhooks.ts'

export const contract = {
  identity,
  deviceSignIns,
  tokens,
  members,
  entries,
  media,
  lineages,
  blobs,
  push,
  categories,
  variants,
  tags,
  collections,
  packs,
  projects,
  pullJobs,
  reviews,
  reviewRequests,
  notifications,
  watches,
  comments,
  attachments,
  annotations,
  locks,
  editorSessions,
  activity,
  changes,
  duplicates,
  admin,
  webhooks,
} satisfies Record<string, PublicRoutes>

export type Contract = typeof contract
export type Noun = keyof Contract

export { apiBase, apiMajor } from './version.ts'

/** The cookie of a dashboard session (contract-gaps 3). */
export const sessionCookie = 'ph_session'
/** The cookie of a browser that signed in before. It opens nothing: failed sign-ins there are counted for it alone. */
export const deviceCookie = 'ph_device'

/** The contract as a list: `[noun, verb, route]`. */
export const allRoutes: [Noun, string, Route][] = Object.entries(contract).flatMap(([noun, table]) =>
  Object.entries(table as Record<string, Route>).map(([verb, route]): [Noun, string, Route] => [noun as Noun, verb, route]),
)
