/** `@prop-house/client/changes`: the change feed as it moves. */
export type { ChangeEntity, ChangeRecord } from '../../contract/changes.ts'
export { type FollowedPage, type FollowingChanges, followChanges } from '../activity/changes.ts'
