/** Documents of commands about what people say: comments, drawings, notifications, reviews, the inbox, what happened. */
import { Annotation } from '../../../contract/annotations.ts'
import { Comment } from '../../../contract/comments.ts'
import { EntryDetail } from '../../../contract/entries.ts'
import { LineageObject } from '../../../contract/lineages.ts'
import { Lock } from '../../../contract/locks.ts'
import { notifications } from '../../../contract/notifications.ts'
import { Impact, ReviewRequest } from '../../../contract/review-requests.ts'
import { ReviewRecord } from '../../../contract/reviews.ts'
import { UserStub } from '../../../contract/shapes.ts'
import { AgainstApproved } from './comparison.ts'
import { ErrorDocument, either, type Shapes, shape } from './shape.ts'

const Drawing = shape(
  '{ entry_id: integer, object_id: integer, preview_artifact_id: integer | null, comment_id?: integer, shape: string, geometry: Open }',
)

const ReviewRow = shape(
  '{ entry_id: integer, name: string, version: string, request_id: integer | null, status: "done" | "would" | "failed", outcome: string, request: ReviewRequest | null, error?: ErrorDocument }',
  { ReviewRequest, ErrorDocument },
)
/** Someone who could be asked, and why. */
const Suggestion = shape('{ user: UserStub, reasons: string[] } & Open', { UserStub })

const answered = shape('{ dry_run: boolean, done: integer, failed: integer, reviews: ReviewRow[] }', { ReviewRow })

const InboxItem = shape(
  `{
    key: string, kind: "lock" | "review" | "changes" | "mention" | "reply", entry_id: integer | null, lineage_id: string,
    object_id: integer | null, name: string, has_thumbnail: boolean, who: UserStub | null, text: string | null, at: string,
    request_id: integer | null, comment_id: integer | null, lock: Lock | null, notification_ids: integer[]
  }`,
  { UserStub, Lock },
)

export const discussionShapes: Shapes = {
  comment: Comment,
  'comment edit': Comment,
  'comment delete': shape('{ dry_run: boolean, comment: Comment, replies: integer }', { Comment }),
  comments: shape(
    '{ entry_id: integer, name: string, comments: Comment[], saved?: { attachment_id: integer, file: string }[] }',
    { Comment },
  ),
  resolve: Comment,
  react: Comment,
  annotate: either(
    shape('{ dry_run: true, annotations: Drawing[] }', { Drawing }),
    shape('{ dry_run: false, annotations: Annotation[] }', { Annotation }),
  ),
  'annotate tie': Annotation,
  'annotate delete': shape('{ deleted: integer[] }'),
  annotations: shape('{ entry_id: integer, name: string, annotations: Annotation[] }', { Annotation }),
  notifications: shape(
    '{ unread: integer, notifications: (Notification & { entry_name: string | null })[], next_cursor: integer | null }',
    { Notification: notifications.list.output.properties.notifications.items },
  ),
  'notifications read': notifications.read.output,
  'notifications seen': notifications.seen.output,
  'notifications prefs': notifications.prefs.output,
  inbox: shape(
    `{
      items: InboxItem[],
      counts: { lock: integer, review: integer, changes: integer, mention: integer, reply: integer },
      other_unread: integer
    }`,
    { InboxItem },
  ),
  'review list': shape('{ requests: ReviewRequest[], next_cursor: integer | null, waiting: integer }', { ReviewRequest }),
  'review show': shape(
    `{
      entry: EntryDetail, request: ReviewRequest | null, review: ReviewRecord | null, version: LineageObject,
      current: LineageObject, approved: LineageObject | null, against_approved: AgainstApproved | null,
      since_approved: LineageObject[], impact: Impact | null, other_requests: ReviewRequest[]
    }`,
    { EntryDetail, ReviewRequest, ReviewRecord, LineageObject, AgainstApproved, Impact },
  ),
  'review request': shape(
    '{ dry_run: boolean, reviewers: UserStub[], suggestions: Suggestion[], done: integer, failed: integer, reviews: ReviewRow[] }',
    { ReviewRow, UserStub, Suggestion },
  ),
  'review decide': answered,
  'review approve': answered,
  'review changes': answered,
  'review cancel': answered,
  'review assign': answered,
}
