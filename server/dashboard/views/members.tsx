/** The people of a workspace, and those who are invited. */

import { type InvitedRow, InvitedTable } from './invited.tsx'
import { type Frame, Page } from './parts/frame.tsx'
import { Listing } from './parts/listing.tsx'
import { Notice } from './parts/notice.tsx'
import { type Role, roleNames } from './parts/role.tsx'

export interface MemberRow {
  id: number
  name: string
  displayName: string
  /** Shown to owners and admins only. */
  email: string | undefined
  role: Role
  kind: 'person' | 'api'
  isActive: boolean
  /** Has a way to sign in; who was added without one has not come yet. */
  hasCome: boolean
  isYou: boolean
}

interface MembersProps {
  frame: Frame
  members: readonly MemberRow[]
  /** Whether the one who looks may add and change people. */
  mayChange: boolean
  /** Nobody, for who may not change anything. */
  invited: readonly InvitedRow[]
  notice: string | undefined
}

export function MembersPage({ frame, members, mayChange, invited, notice }: MembersProps) {
  return (
    <Page frame={frame} title="Members" section="members">
      <div className="head">
        <div>
          <h1>Members</h1>
          <p className="lead">
            {mayChange
              ? `Who belongs to ${frame.workspace?.name}, and what they may do.`
              : `Who belongs to ${frame.workspace?.name}. Owners and admins invite people and change roles.`}
          </p>
        </div>
        {mayChange && (
          <a className="button" href={frame.at('/members/add')}>
            Invite someone
          </a>
        )}
      </div>
      <Notice words={notice} />
      <MemberTable frame={frame} members={members} mayChange={mayChange} />
      {invited.length > 0 && <InvitedTable frame={frame} invited={invited} />}
    </Page>
  )
}

function MemberTable({ frame, members, mayChange }: Omit<MembersProps, 'notice' | 'invited'>) {
  return (
    <Listing caption="Members" columns={['Name', 'Role', 'Status']} canAct={mayChange}>
      {members.map((member) => (
        <tr key={member.id} className={member.isActive ? undefined : 'past'}>
          <th scope="row">
            {member.displayName}
            {member.isYou && <span className="soft"> (you)</span>}
            <span className="under">
              @{member.name}
              {member.email && ` · ${member.email}`}
            </span>
          </th>
          <td>
            <span>
              {roleNames[member.role]} {member.kind === 'api' && <span className="under">a program, not a person</span>}
            </span>
          </td>
          <td>
            <MemberState member={member} />
          </td>
          {mayChange && (
            <td className="end">
              <a href={frame.at(`/members/${member.id}`)}>
                Change<span className="unseen"> {member.displayName}</span>
              </a>
            </td>
          )}
        </tr>
      ))}
    </Listing>
  )
}

export function MemberState({ member: { isActive, hasCome } }: { member: Pick<MemberRow, 'isActive' | 'hasCome'> }) {
  if (isActive && !hasCome) return <span className="chip">– no sign-in yet</span>
  return <span className={isActive ? 'chip good' : 'chip'}>{isActive ? '✓ active' : '– disabled'}</span>
}
