/** Roles: their names, and choosing one. */
import { Choice, type Problem } from './fields.tsx'

export type Role = 'owner' | 'admin' | 'member'

export const roleNames = { owner: 'Owner', admin: 'Admin', member: 'Member' }

const roleHints = {
  owner: 'Everything, also making other owners.',
  admin: 'Also invites people, deletes and deprecates props, and manages webhooks and the denylist.',
  member: 'Looks, pulls, pushes, comments and reviews.',
}

/** Only owners make owners. */
export function RoleChoice({ chosen, mayOwn, problems }: { chosen: string; mayOwn: boolean; problems: readonly Problem[] }) {
  const roles: Role[] = mayOwn ? ['member', 'admin', 'owner'] : ['member', 'admin']
  const choices = roles.map((role) => ({ value: role, label: roleNames[role], hint: roleHints[role] }))
  return <Choice name="role" legend="Role" choices={choices} chosen={chosen} problems={problems} />
}
