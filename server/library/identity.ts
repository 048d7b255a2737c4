/** Identity: who a key acts as; giving it up (spec 4.1). */
import type { identity as contract } from '../../contract/identity.ts'
import type { Handlers } from '../handler.ts'

export const identity: Handlers<typeof contract> = {
  me({ actor, workspace }) {
    const { accountId, name, email, displayName, role, keyName, scope } = actor
    return {
      user: { id: accountId, name, email, display_name: displayName, role },
      name: keyName,
      org_id: workspace.id,
      org: { id: workspace.id, name: workspace.name, slug: workspace.slug },
      scope,
    }
  },

  async logout({ sql, actor, workspace, now }) {
    await sql`
      update api_keys set revoked_at = ${now.toISOString()}
       where workspace_id = ${workspace.id} and id = ${actor.keyId}`
  },
}
