/** Device sign-ins: what programs ask; people answer on the dashboard (spec 4.1, 5). */
import type { deviceSignIns as contract } from '../../contract/device-sign-ins.ts'
import { collectKey, startDeviceSignIn } from '../accounts/device-sign-in.ts'
import type { Handlers } from '../handler.ts'

export const deviceSignIns: Handlers<typeof contract> = {
  async start({ sql, input, visitor, slug, now }) {
    const { client_name: clientName, scopes: scope = 'read' } = input
    return startDeviceSignIn(sql, { clientName, scope, address: visitor.address, slug, now })
  },

  async collect({ sql, input, origin, now }) {
    const { token, tokenId, scope, workspaceSlug } = await collectKey(sql, input.device_code, now)
    return { token, token_id: tokenId, scope, gateway_url: `${origin}/w/${workspaceSlug}` }
  },
}
