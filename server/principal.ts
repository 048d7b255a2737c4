/** Who a request acts as, and where. */
import type { LibraryEpoch } from '../contract/shapes.ts'
import type { Owner } from '../serving/bodies/weighted-queue.ts'

/** The member that a key acts as. `id` is the library-local user id. */
export interface Actor {
  id: number
  accountId: number
  email: string
  name: string
  displayName: string
  role: 'admin' | 'member'
  workspaceRole: 'owner' | 'admin' | 'member'
  keyId: number
  keyName: string
  scope: 'read' | 'write'
}

export const workspaceStates = ['active', 'read_only', 'ingest_blocked', 'suspended', 'preparing', 'starting'] as const
export type WorkspaceState = (typeof workspaceStates)[number]

export interface Workspace {
  id: number
  slug: string
  name: string
  state: WorkspaceState
  /** Null: without a limit. */
  storageLimitBytes: number | null
  epoch: LibraryEpoch
}

/** What a key opens. */
export interface Holder {
  actor: Actor
  workspace: Workspace
}

/** In whose name the requests of a key take memory and turns. */
export const ownerOfKey = ({ workspace, actor }: Pick<Holder, 'workspace' | 'actor'>): Owner => ({
  workspace: `workspace ${workspace.id}`,
  key: `key ${actor.keyId}`,
})
