/** The people of a workspace: the list, and adding somebody. */
import { Choice, Field, type Problem, ProblemSummary } from './fields.tsx'
import { type Frame, Page, Token } from './frame.tsx'
import { Notice } from './notice.tsx'

export type Role = 'owner' | 'admin' | 'member'

export interface MemberRow {
  id: number
  name: string
  displayName: string
  /** Shown to owners and admins only. */
  email: string | undefined
  role: Role
  kind: 'person' | 'api'
  isActive: boolean
  isYou: boolean
}

interface MembersProps {
  frame: Frame
  members: readonly MemberRow[]
  /** Whether the one who looks may add and change people. */
  mayChange: boolean
  notice: string | undefined
}

export function MembersPage({ frame, members, mayChange, notice }: MembersProps) {
  return (
    <Page frame={frame} title="Members" place="members">
      <div className="head">
        <div>
          <h1>Members</h1>
          <p className="lead">
            {mayChange
              ? `Who belongs to ${frame.workspace?.name}, and what they may do.`
              : `Who belongs to ${frame.workspace?.name}. Owners and admins add people and change roles.`}
          </p>
        </div>
        {mayChange && (
          <a className="button" href={frame.at('/members/add')}>
            Add somebody
          </a>
        )}
      </div>
      <Notice words={notice} />
      <MemberTable frame={frame} members={members} mayChange={mayChange} />
    </Page>
  )
}

function MemberTable({ frame, members, mayChange }: Omit<MembersProps, 'notice'>) {
  return (
    <table className="table">
      <caption className="unseen">Members</caption>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Role</th>
          <th scope="col">State</th>
          {mayChange && (
            <th scope="col">
              <span className="unseen">What to do</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
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
            <td data-label="Role">
              <span>
                {roleNames[member.role]}
                {member.kind === 'api' && <span className="under">a program, not a person</span>}
              </span>
            </td>
            <td data-label="State">
              <MemberState isActive={member.isActive} />
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
      </tbody>
    </table>
  )
}

export const roleNames = { owner: 'Owner', admin: 'Admin', member: 'Member' }

export function MemberState({ isActive }: { isActive: boolean }) {
  return <span className={isActive ? 'chip good' : 'chip'}>{isActive ? '✓ active' : '– disabled'}</span>
}

const roleHints = {
  owner: 'Everything, and the only one who makes other owners.',
  admin: 'Also adds people, deletes and deprecates props, and keeps webhooks and the denylist.',
  member: 'Looks, pulls, pushes, comments and reviews.',
}

/** Only owners make owners. */
export function RoleChoice({ chosen, mayOwn, problems }: Pick<AddMemberProps, 'mayOwn' | 'problems'> & { chosen: string }) {
  const roles: Role[] = mayOwn ? ['member', 'admin', 'owner'] : ['member', 'admin']
  const choices = roles.map((role) => ({ value: role, label: roleNames[role], hint: roleHints[role] }))
  return <Choice name="role" legend="Role" choices={choices} chosen={chosen} problems={problems} />
}

export interface NewMemberForm {
  email: string
  display_name: string
  name: string
  role: string
}

interface AddMemberProps {
  frame: Frame
  form: NewMemberForm
  mayOwn: boolean
  problems: readonly Problem[]
}

export function AddMemberPage({ frame, form, mayOwn, problems }: AddMemberProps) {
  return (
    <Page frame={frame} title="Add somebody" place="members" width="narrow" hasTrouble={problems.length > 0}>
      <h1>Add somebody to {frame.workspace?.name}</h1>
      <p className="lead">You get a link that lets them choose a password. Nothing is sent: you hand the link over yourself.</p>
      <ProblemSummary problems={problems} />
      <form className="sheet fields" method="post" action={frame.at('/members')}>
        <Token frame={frame} />
        <Field
          name="display_name"
          label="Name"
          value={form.display_name}
          autoComplete="off"
          maxLength={120}
          problems={problems}
        />
        <Field
          name="name"
          label="Short name"
          hint="One word that others write as @name."
          value={form.name}
          autoComplete="off"
          maxLength={80}
          problems={problems}
        />
        <Field
          name="email"
          label="E-mail address"
          hint="They sign in with it."
          type="email"
          value={form.email}
          autoComplete="off"
          maxLength={200}
          problems={problems}
        />
        <RoleChoice chosen={form.role} mayOwn={mayOwn} problems={problems} />
        <div className="actions">
          <button type="submit" className="button">
            Add them
          </button>
          <a className="button quiet" href={frame.at('/members')}>
            Back
          </a>
        </div>
      </form>
    </Page>
  )
}
