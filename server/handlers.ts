/** The handlers of every noun of the contract; a noun or a route without one does not compile. */
import type { Contract, Noun } from '../contract/index.ts'
import type { Handlers } from './handler.ts'
import { activity } from './library/activity.ts'
import { admin } from './library/admin.ts'
import { annotations } from './library/annotations.ts'
import { attachments } from './library/attachments.ts'
import { blobs } from './library/blobs.ts'
import { categories } from './library/categories.ts'
import { changes } from './library/changes.ts'
import { collections } from './library/collections.ts'
import { comments } from './library/comments.ts'
import { deviceSignIns } from './library/device-sign-ins.ts'
import { duplicates } from './library/duplicates.ts'
import { editorSessions } from './library/editor-sessions.ts'
import { entries } from './library/entries.ts'
import { identity } from './library/identity.ts'
import { lineages } from './library/lineages.ts'
import { locks } from './library/locks.ts'
import { media } from './library/media.ts'
import { members } from './library/members.ts'
import { notifications } from './library/notifications.ts'
import { packs } from './library/packs.ts'
import { projects } from './library/projects.ts'
import { pullJobs } from './library/pull-jobs.ts'
import { push } from './library/push.ts'
import { reviewRequests } from './library/review-requests.ts'
import { reviews } from './library/reviews.ts'
import { tags } from './library/tags.ts'
import { tokens } from './library/tokens.ts'
import { variants } from './library/variants.ts'
import { watches } from './library/watches.ts'
import { webhooks } from './library/webhooks.ts'

export const handlers: Partial<{ [N in Noun]: Handlers<Contract[N]> }> = {
  admin,
  blobs,
  identity,
  deviceSignIns,
  tokens,
  members,
  media,
  entries,
  lineages,
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
  webhooks,
}
