/** Comments: what people say about an entry, in threads of one level, with pictures and reactions (spec 2, 4.7). */
import { type Static, Type } from 'typebox'
import { Attachment, AttachmentIds } from './attachments.ts'
import { limits } from './limits.ts'
import { routes } from './route.ts'
import { absentOrNull, Id, nullable, oneOf, Timestamp, UserStub } from './shapes.ts'

export const reactionEmoji = ['👍', '👎', '❤️', '😄', '😮', '😢', '🎉', '🚀', '👀', '🔥', '✅', '❌'] as const

/** Plain text: whatever it holds is stored as sent. */
const Body = Type.String({ minLength: 1, maxLength: limits.comment })
const Emoji = oneOf(reactionEmoji)

/** One emoji under one comment: how many people, whether the caller is among them, and their display names, the first first. */
export const Reaction = Type.Object({
  emoji: Type.String(),
  count: Type.Integer(),
  me: Type.Boolean(),
  names: Type.Array(Type.String()),
})

/**
 * `parent_id` is null at the top of a thread, `object_id` where no version is meant. `updated_by` is who wrote it last, `updated_at` is
 * null until it is edited.
 */
export const Comment = Type.Object({
  id: Id,
  entry_id: Id,
  object_id: nullable(Id),
  parent_id: nullable(Id),
  body: Type.String(),
  author: UserStub,
  mentions: Type.Array(UserStub),
  attachments: Type.Array(Attachment),
  reactions: Type.Array(Reaction),
  created_at: Timestamp,
  updated_at: nullable(Timestamp),
  updated_by: Id,
  resolved_at: nullable(Timestamp),
  resolved_by: nullable(UserStub),
})
export type Comment = Static<typeof Comment>

const one = { comment_id: Id }

export const comments = routes({
  list: {
    method: 'GET',
    path: '/entries/{entry_id}/comments',
    scope: 'read',
    summary: 'List what was said about an entry, replies included, oldest first.',
    input: Type.Object({ entry_id: Id }),
    output: Type.Object({ comments: Type.Array(Comment) }),
    errors: ['ENTRY_NOT_FOUND'],
  },
  get: {
    method: 'GET',
    path: '/comments/{comment_id}',
    scope: 'read',
    summary: 'Show a comment, which says to which entry and thread it belongs.',
    extension: true,
    input: Type.Object(one),
    output: Comment,
    errors: ['COMMENT_NOT_FOUND'],
  },
  create: {
    method: 'POST',
    path: '/entries/{entry_id}/comments',
    scope: 'write',
    summary: 'Say something about an entry, or reply in a thread; `@name` tells people.',
    input: Type.Object({
      entry_id: Id,
      body: Body,
      object_id: absentOrNull(Id),
      parent_id: absentOrNull(Id),
      attachment_ids: absentOrNull(AttachmentIds),
    }),
    output: Comment,
    status: 201,
    errors: [
      'ENTRY_NOT_FOUND',
      'OBJECT_NOT_FOUND',
      'COMMENT_NOT_FOUND',
      'NOT_FOUND',
      'LINEAGE_CONFLICT',
      'CONFLICT',
      'FORBIDDEN',
      'VALIDATION',
    ],
  },
  update: {
    method: 'PATCH',
    path: '/comments/{comment_id}',
    scope: 'write',
    summary: 'Edit a comment (its author, or an admin); a list of attachments replaces those of before.',
    input: Type.Object({ ...one, body: Body, attachment_ids: Type.Optional(AttachmentIds) }),
    output: Comment,
    errors: ['COMMENT_NOT_FOUND', 'NOT_FOUND', 'CONFLICT', 'FORBIDDEN', 'VALIDATION'],
  },
  remove: {
    method: 'DELETE',
    path: '/comments/{comment_id}',
    scope: 'write',
    summary: 'Delete a comment with its replies (its author, or an admin).',
    input: Type.Object(one),
    errors: ['COMMENT_NOT_FOUND', 'FORBIDDEN'],
  },
  resolve: {
    method: 'POST',
    path: '/comments/{comment_id}/resolve',
    scope: 'write',
    summary: 'Mark a thread as resolved.',
    input: Type.Object(one),
    output: Comment,
    repeatable: true,
    errors: ['COMMENT_NOT_FOUND', 'VALIDATION'],
  },
  unresolve: {
    method: 'POST',
    path: '/comments/{comment_id}/unresolve',
    scope: 'write',
    summary: 'Open a resolved thread again.',
    input: Type.Object(one),
    output: Comment,
    repeatable: true,
    errors: ['COMMENT_NOT_FOUND', 'VALIDATION'],
  },
  react: {
    method: 'PUT',
    path: '/comments/{comment_id}/reactions',
    scope: 'write',
    effect: 'adds',
    summary: `React to a comment with one of ${reactionEmoji.join(' ')}.`,
    input: Type.Object({ ...one, emoji: Emoji }),
    errors: ['COMMENT_NOT_FOUND', 'VALIDATION'],
  },
  unreact: {
    method: 'DELETE',
    path: '/comments/{comment_id}/reactions/{emoji}',
    scope: 'write',
    summary: 'Take a reaction of your own back.',
    input: Type.Object({ ...one, emoji: Emoji }),
    errors: ['COMMENT_NOT_FOUND', 'VALIDATION'],
  },
})
