/** In whose name a request takes memory. */

import type { FastifyRequest } from 'fastify'
import type { Owner } from '../../serving/bodies/weighted-queue.ts'
import { ownerOfKey } from '../principal.ts'

/** The key and its workspace, else the person who is signed in; of others only their address is known. */
export function ownerOf({ holder, session, membership, ip }: FastifyRequest): Owner {
  if (holder) return ownerOfKey(holder)
  if (session) return { workspace: `workspace ${membership?.workspace.id ?? ''}`, key: `person ${session.accountId}` }
  return { workspace: 'nobody', key: ip }
}
