/** Changes of who may do what: who remembers it is told of each after its commit. */

/** Whose access changes: everyone's, unless it is narrowed. */
export interface Whom {
  workspaceId?: number
  memberId?: number
  keyId?: number
}

type Listener = (whom: Whom) => void

/** Of every server in this process: there is one, but for tests. */
const listeners = new Set<Listener>()

/** Gives what ends it. */
export function onAccessChange(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * Runs work that changes and commits keys, members, roles, or workspaces and their states. The next request sees the change. The work
 * must not be a part of a transaction that goes on: what is asked for before its commit would be remembered.
 */
export async function changingAccess<T>(whom: Whom, work: PromiseLike<T>): Promise<T> {
  try {
    return await work
  } finally {
    // Also when it failed: the commit may have come before the failure.
    for (const tell of listeners) tell(whom)
  }
}
