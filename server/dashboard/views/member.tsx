/** One member, as an owner or admin changes them: role, disabling, a link to choose a password. */
import type { ReactNode } from 'react'
import { HeldList, type HeldRow, ReleaseChoice } from './holdings.tsx'
import { type MemberRow, MemberState } from './members.tsx'
import { type Problem, ProblemSummary } from './parts/fields.tsx'
import { type Frame, Page, Token } from './parts/frame.tsx'
import { Notice } from './parts/notice.tsx'
import { RoleChoice, roleNames } from './parts/role.tsx'

interface MemberProps {
  frame: Frame
  member: MemberRow
  /** Undefined: nothing. */
  held: HeldRow | undefined
  mayOwn: boolean
  /** Why neither role nor state can be changed, in one sentence. */
  fixedBecause: string | undefined
  /** Why no link can be made, in one sentence. */
  noLinkBecause: string | undefined
  notice: string | undefined
  problems: readonly Problem[]
}

export function MemberPage({ frame, member, held, mayOwn, fixedBecause, noLinkBecause, notice, problems }: MemberProps) {
  return (
    <Page frame={frame} title={member.displayName} section="members" hasTrouble={problems.length > 0}>
      <p className="back">
        <a href={frame.at('/members')}>← All members</a>
      </p>
      <h1>{member.displayName}</h1>
      <p className="lead">
        @{member.name} · {member.email}
      </p>
      <Notice words={notice} />
      <ProblemSummary problems={problems} />
      <div className="pair">
        {fixedBecause ? (
          <Fixed member={member} because={fixedBecause} />
        ) : (
          <RolePart frame={frame} member={member} mayOwn={mayOwn} problems={problems} />
        )}
        <div>
          {!fixedBecause && <StatePart frame={frame} member={member} held={held} />}
          {!member.isActive && held && held.checkOuts > 0 && <ReleasePart frame={frame} member={member} />}
          <LinkPart frame={frame} member={member} because={noLinkBecause} />
        </div>
      </div>
    </Page>
  )
}

function Fixed({ member, because }: { member: MemberRow; because: string }) {
  return (
    <section className="sheet">
      <dl className="facts">
        <dt>Role</dt>
        <dd>{roleNames[member.role]}</dd>
        <dt>Status</dt>
        <dd>
          <MemberState member={member} />
        </dd>
      </dl>
      <p className="soft">{because}</p>
    </section>
  )
}

/** A form of this member's page. */
function MemberForm({ frame, to, children }: { frame: Frame; to: string; children: ReactNode }) {
  return (
    <form className="sheet fields" method="post" action={frame.at(to)}>
      <Token frame={frame} />
      {children}
    </form>
  )
}

function RolePart({ frame, member, mayOwn, problems }: Pick<MemberProps, 'frame' | 'member' | 'mayOwn' | 'problems'>) {
  return (
    <MemberForm frame={frame} to={`/members/${member.id}/role`}>
      <RoleChoice chosen={member.role} mayOwn={mayOwn} problems={problems} />
      <div className="actions">
        <button type="submit" className="button">
          Save the role
        </button>
      </div>
    </MemberForm>
  )
}

function StatePart({ frame, member, held }: Pick<MemberProps, 'frame' | 'member' | 'held'>) {
  return (
    <MemberForm frame={frame} to={`/members/${member.id}/status`}>
      <h2>
        Status <MemberState member={member} />
      </h2>
      <p>{stateWords(member)}</p>
      {held && <p>{member.isActive ? 'They have' : 'They still have'}:</p>}
      {held && <HeldList held={held} />}
      {member.isActive && held && held.checkOuts > 0 && <ReleaseChoice />}
      <input type="hidden" name="status" value={member.isActive ? 'disabled' : 'active'} />
      <div className="actions">
        <button type="submit" className={member.isActive ? 'button danger' : 'button'}>
          {member.isActive ? 'Disable' : 'Enable'} {member.displayName}
        </button>
      </div>
    </MemberForm>
  )
}

/** For what was left checked out when they were disabled. */
function ReleasePart({ frame, member }: { frame: Frame; member: MemberRow }) {
  return (
    <MemberForm frame={frame} to={`/members/${member.id}/release`}>
      <h2>Their check-outs</h2>
      <p>
        Nobody else can push a version of what they have checked out until its time is over. Releasing lets others go on at once.
      </p>
      <div className="actions">
        <button type="submit" className="button">
          Release what they have checked out
        </button>
      </div>
    </MemberForm>
  )
}

function stateWords({ isActive, isYou }: MemberRow): string {
  if (isActive && isYou)
    return 'This is you. You and all your keys would be locked out of this workspace until someone else enables you again.'
  return isActive
    ? 'Disabling ends their sessions here, and all their keys are refused from the next request on. What they made stays, under their name.'
    : 'They cannot sign in, and none of their keys works. Enabling lets them in again, with the keys they had.'
}

function LinkPart({ frame, member, because }: { frame: Frame; member: MemberRow; because: string | undefined }) {
  return (
    <MemberForm frame={frame} to={`/members/${member.id}/link`}>
      <h2>A new password</h2>
      <p>
        {because ??
          'A link lets them choose one, once, within seven days. Until then the old one keeps working. Links made before stop working.'}
      </p>
      {!because && (
        <div className="actions">
          <button type="submit" className="button quiet">
            Make a link
          </button>
        </div>
      )}
    </MemberForm>
  )
}
