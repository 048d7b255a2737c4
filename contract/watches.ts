/** Watches: whose comments a person hears of (spec 2, 4.11; contract-gaps 6a). */
import { type Static, Type } from 'typebox'
import { limits } from './limits.ts'
import { routes } from './route.ts'
import { Cursor, Id, nullable, oneOf, Timestamp } from './shapes.ts'

export const watchStates = ['watching', 'muted'] as const

/** `implicit`: watching only because of having created the entry. Who does not watch has no state and no reason. */
export const Watch = Type.Object({
  entry_id: Id,
  watching: Type.Boolean(),
  state: nullable(oneOf(watchStates)),
  reason: nullable(Type.String()),
  implicit: Type.Boolean(),
})
export type Watch = Static<typeof Watch>

export const WatchedEntry = Type.Object({
  entry_id: Id,
  name: Type.String(),
  state: oneOf(watchStates),
  reason: Type.String(),
  created_at: Timestamp,
})
export type WatchedEntry = Static<typeof WatchedEntry>

const ofEntry = Type.Object({ entry_id: Id })

export const watches = routes({
  get: {
    method: 'GET',
    path: '/entries/{entry_id}/watch',
    scope: 'read',
    summary: 'Show whether you watch an entry.',
    input: ofEntry,
    output: Watch,
    errors: ['ENTRY_NOT_FOUND'],
  },
  set: {
    method: 'PUT',
    path: '/entries/{entry_id}/watch',
    scope: 'write',
    summary: 'Watch an entry, or mute it: muted persists, whatever you do with the entry.',
    input: Type.Object({ entry_id: Id, state: Type.Optional(oneOf(watchStates)) }),
    output: Watch,
    errors: ['ENTRY_NOT_FOUND', 'VALIDATION'],
  },
  remove: {
    method: 'DELETE',
    path: '/entries/{entry_id}/watch',
    scope: 'write',
    summary: 'Go back to the default: watching what you created, and nothing else.',
    input: ofEntry,
    output: Watch,
    errors: ['ENTRY_NOT_FOUND'],
  },
  list: {
    method: 'GET',
    path: '/watches',
    scope: 'read',
    summary: 'List what you watch or muted, newest first, with what you created.',
    input: Type.Object({
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.watches })),
      cursor: Type.Optional(Cursor),
    }),
    output: Type.Object({ watches: Type.Array(WatchedEntry), next_cursor: nullable(Type.String()) }),
    errors: ['VALIDATION'],
  },
})
