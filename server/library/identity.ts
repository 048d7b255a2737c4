/** Identity: who a key acts as (spec 4.1); setting up, signing in and out (contract-gaps 2, 3). */
import type { identity as contract } from '../../contract/identity.ts'
import { revokeKey } from '../accounts/keys.ts'
import { endSession } from '../accounts/sessions.ts'
import { setUp } from '../accounts/setup.ts'
import { signIn } from '../accounts/sign-in.ts'
import type { Handlers } from '../handler.ts'

export const identity: Handlers<typeof contract> = {
  async me({ actor, workspace }) {
    const { accountId, name, email, displayName, role, workspaceRole, keyName, scope } = actor
    return {
      user: { id: accountId, name, email, display_name: displayName, role },
      name: keyName,
      org_id: workspace.id,
      org: { id: workspace.id, name: workspace.name, slug: workspace.slug },
      scope,
      workspace_role: workspaceRole,
      library_epoch: workspace.epoch,
    }
  },

  async login({ sql, input, visitor, now }) {
    const session = await signIn(sql, { ...input, address: visitor.address, browser: visitor, now })
    visitor.keepSession(session)
    return { csrf_token: session.csrfToken }
  },

  async logout({ sql, holder, session, visitor, now }) {
    if (holder) await revokeKey(sql, { workspaceId: holder.workspace.id, keyId: holder.actor.keyId, now })
    if (!session) return
    await endSession(sql, session.id)
    visitor.dropSession()
  },

  async setup({ sql, input, now }) {
    return setUp(sql, input, now)
  },
}
