/** Members: who belongs to the workspace (contract-gaps 3). */

import { ApiError } from '../../contract/errors.ts'
import type { members as contract, Member } from '../../contract/members.ts'
import type { Fragment, Sql } from '../database/sql.ts'
import type { Handlers } from '../handler.ts'

export const members: Handlers<typeof contract> = {
  async list({ sql, workspace }) {
    return { members: await selectMembers(sql, workspace.id) }
  },

  async me({ sql, workspace, actor }) {
    return requireMember(sql, workspace.id, actor.id)
  },

  async get({ sql, workspace, input }) {
    return requireMember(sql, workspace.id, input.user_id)
  },
}

const selectMembers = (sql: Sql, workspaceId: number, where: Fragment = sql``) => sql<Member[]>`
  select id, name, display_name, case role when 'member' then 'member' else 'admin' end as role, kind, status = 'active' as active
    from members where workspace_id = ${workspaceId} ${where} order by id`

async function requireMember(sql: Sql, workspaceId: number, id: number): Promise<Member> {
  const [member] = await selectMembers(sql, workspaceId, sql`and id = ${id}`)
  if (!member) throw new ApiError('USER_NOT_FOUND', `There is no member ${id} in this workspace.`)
  return member
}
