/** People who are asked to join: the list, one invitation, and the form that makes one. */

import { exactWords } from '../words.ts'
import { Field, type Problem, ProblemSummary } from './parts/fields.tsx'
import { type Frame, Page, Token } from './parts/frame.tsx'
import { Listing } from './parts/listing.tsx'
import { type Role, RoleChoice, roleNames } from './parts/role.tsx'

export interface InvitedRow {
  id: number
  email: string
  name: string
  displayName: string
  role: Role
  invitedBy: string
  endsAt: Date
  /** `ended`: too old. `void`: who made the link may not invite them any more. */
  state: 'open' | 'ended' | 'void'
}

export function InvitedTable({ frame, invited }: { frame: Frame; invited: readonly InvitedRow[] }) {
  return (
    <section>
      <h2 className="apart">Invited</h2>
      <p className="soft">They belong here once they accept. Until then they have no role, no keys, and see nothing.</p>
      <Listing caption="Invited" columns={['Name', 'Role', 'Status']} canAct>
        {invited.map((one) => (
          <tr key={one.id} className={one.state === 'open' ? undefined : 'past'}>
            <th scope="row">
              {one.displayName}
              <span className="under">
                @{one.name} · {one.email}
              </span>
            </th>
            <td>{roleNames[one.role]}</td>
            <td>
              <span>
                <LinkState state={one.state} />{' '}
                <span className="under">
                  by {one.invitedBy}, {one.state === 'ended' ? 'ended' : 'ends'}{' '}
                  <span className="unbroken">{exactWords(one.endsAt)}</span>
                </span>
              </span>
            </td>
            <td className="end">
              <a href={frame.at(`/members/invitations/${one.id}`)}>
                Open<span className="unseen"> the invitation of {one.displayName}</span>
              </a>
            </td>
          </tr>
        ))}
      </Listing>
    </section>
  )
}

const stateNames = { open: '✓ invited', ended: '– ended', void: '– no longer works' }

const LinkState = ({ state }: Pick<InvitedRow, 'state'>) => (
  <span className={state === 'open' ? 'chip good' : 'chip'}>{stateNames[state]}</span>
)

interface InvitedProps {
  frame: Frame
  invited: InvitedRow
  /** Why nothing can be done here, in one sentence. */
  fixedBecause: string | undefined
  problems: readonly Problem[]
}

export function InvitedPage({ frame, invited, fixedBecause, problems }: InvitedProps) {
  const { id, displayName, name, email, role, invitedBy, endsAt, state } = invited
  return (
    <Page frame={frame} title={`Invitation of ${displayName}`} section="members" hasTrouble={problems.length > 0}>
      <p className="back">
        <a href={frame.at('/members')}>← All members</a>
      </p>
      <h1>Invitation of {displayName}</h1>
      <p className="lead">
        @{name} · {email}
      </p>
      <ProblemSummary problems={problems} />
      <div className="pair">
        <section className="sheet">
          <dl className="facts">
            <dt>Role</dt>
            <dd>{roleNames[role]}</dd>
            <dt>Invited by</dt>
            <dd>{invitedBy}</dd>
            <dt>Status</dt>
            <dd>
              <LinkState state={state} />
            </dd>
            <dt>{state === 'ended' ? 'Ended' : 'Ends'}</dt>
            <dd>{exactWords(endsAt)}</dd>
          </dl>
          {state === 'void' && <p className="soft">{invitedBy} may not invite them any more, so the link no longer works.</p>}
          {fixedBecause && <p className="soft">{fixedBecause}</p>}
        </section>
        {!fixedBecause && <InvitedForms frame={frame} at={`/members/invitations/${id}`} />}
      </div>
    </Page>
  )
}

function InvitedForms({ frame, at }: { frame: Frame; at: string }) {
  return (
    <div>
      <form className="sheet fields" method="post" action={frame.at(`${at}/link`)}>
        <Token frame={frame} />
        <h2>A new link</h2>
        <p>Good for seven days from now, and shown once. The link before it stops working.</p>
        <div className="actions">
          <button type="submit" className="button quiet">
            Make a new link
          </button>
        </div>
      </form>
      <form className="sheet fields" method="post" action={frame.at(`${at}/withdraw`)}>
        <Token frame={frame} />
        <h2>Withdraw</h2>
        <p>The link no longer works then. You can invite them again, with another role too.</p>
        <div className="actions">
          <button type="submit" className="button danger">
            Withdraw the invitation
          </button>
        </div>
      </form>
    </div>
  )
}

export interface InviteFields {
  email: string
  display_name: string
  name: string
  role: string
}

interface InviteFormProps {
  frame: Frame
  form: InviteFields
  mayOwn: boolean
  problems: readonly Problem[]
}

export function InviteForm({ frame, form, mayOwn, problems }: InviteFormProps) {
  return (
    <Page frame={frame} title="Invite someone" section="members" width="alone" hasTrouble={problems.length > 0}>
      <h1>Invite someone to {frame.workspace?.name}</h1>
      <p className="lead">You get a link with which they join. Nothing is sent: you hand the link over yourself.</p>
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
            Make the invitation
          </button>
          <a className="button quiet" href={frame.at('/members')}>
            Back
          </a>
        </div>
      </form>
    </Page>
  )
}
