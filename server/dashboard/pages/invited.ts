/** People who are asked to join a workspace: the form, the invitation until it is accepted, new links, withdrawing. */
import { Type } from 'typebox'
import { ApiError } from '../../../contract/errors.ts'
import { Email, oneOf, plainNamed } from '../../../contract/shapes.ts'
import { findInvited, type Invited, invite, renewInvitation, withdrawInvitation } from '../../accounts/invitations.ts'
import { findPerson, type Role } from '../../accounts/people.ts'
import { type Answer, show } from '../answer.ts'
import { formCheck, type Returned, refused, returned } from '../form-check.ts'
import { PageFailure } from '../page-failure.ts'
import { InvitedPage, type InvitedRow, type InviteFields, InviteForm } from '../views/invited.tsx'
import { LinkMadePage } from '../views/parts/link-made.tsx'
import type { MemberVisit } from '../visit.ts'
import { linkOf } from './invitation.ts'
import { ShortName } from './short-name.ts'

export const invited = {
  'GET /members/add': (visit: MemberVisit): Answer => inviteForm(visit, emptyFields),

  async 'POST /members'(visit: MemberVisit): Promise<Answer> {
    const typed = Object.fromEntries(
      Object.keys(emptyFields).map((name) => [name, visit.field(name)]),
    ) as unknown as InviteFields & { role: Role }
    const problems = problemsOf(typed)
    if (problems.length > 0) return inviteForm(visit, typed, returned(problems))
    visit.services.database.requireRoom()
    const { display_name: displayName, ...fields } = typed
    try {
      return showLink(visit, await invite(visit.sql, { ...acting(visit), ...fields, displayName, now: visit.now }))
    } catch (error) {
      return inviteForm(visit, typed, refused(error, { CONFLICT: await takenField(visit, error, typed), FORBIDDEN: 'role' }))
    }
  },

  'GET /members/invitations/:id': async (visit: MemberVisit): Promise<Answer> => invitedPage(visit, await requireInvited(visit)),

  async 'POST /members/invitations/:id/link'(visit: MemberVisit): Promise<Answer> {
    const invitation = await requireInvited(visit)
    visit.services.database.requireRoom()
    try {
      const one = { ...acting(visit), invitationId: invitation.id, now: visit.now }
      return showLink(visit, await renewInvitation(visit.sql, one))
    } catch (error) {
      return stale(visit, error)
    }
  },

  async 'POST /members/invitations/:id/withdraw'(visit: MemberVisit): Promise<Answer> {
    const invitation = await requireInvited(visit)
    try {
      await withdrawInvitation(visit.sql, { ...acting(visit), invitationId: invitation.id })
    } catch (error) {
      return stale(visit, error)
    }
    visit.browser.leaveNotice('invitation-withdrawn')
    return { to: visit.frame.at('/members') }
  },
}

const acting = ({ membership: { workspace, person } }: MemberVisit) => ({ workspaceId: workspace.id, by: person })

const roles = ['owner', 'admin', 'member'] as const

const problemsOf = formCheck(Type.Object({ display_name: plainNamed(120), name: ShortName, email: Email, role: oneOf(roles) }), {
  display_name: 'Enter their name, up to 120 characters.',
  name: 'Enter a short name for them: one word, up to 80 characters.',
  email: 'Enter their e-mail address, such as ada@studio.test.',
  role: 'Choose a role.',
})

const emptyFields: InviteFields = { email: '', display_name: '', name: '', role: 'member' }

/** What is taken: the e-mail of someone who is here or invited already, or someone's short name. */
async function takenField({ sql, membership }: MemberVisit, error: unknown, { email }: InviteFields): Promise<string> {
  const details = error instanceof ApiError ? error.details : {}
  if (details.field === 'name') return 'name'
  const id = details.existing_id
  const person = typeof id === 'number' ? await findPerson(sql, membership.workspace.id, id) : undefined
  return person && person.email !== email.toLowerCase() ? 'name' : 'email'
}

/** Answers with the link itself: what is shown once must not be kept anywhere on the way to another page. */
const showLink = (visit: MemberVisit, { displayName, code }: { displayName: string; code: string }): Answer =>
  show(LinkMadePage, { frame: visit.frame, displayName, link: linkOf(visit, code), isInvitation: true })

async function requireInvited({ sql, membership: { workspace }, param }: MemberVisit): Promise<Invited> {
  const id = param('id')
  const found = /^[1-9]\d{0,14}$/.test(id) ? await findInvited(sql, workspace.id, Number(id)) : undefined
  if (found) return found
  throw new PageFailure(404, {
    title: 'No such invitation',
    message: 'It was accepted or withdrawn, or there never was one.',
    link: { page: '/members', words: 'See the members' },
  })
}

/** What was refused is said on the page of the invitation, where there still is one. */
const stale = async (visit: MemberVisit, error: unknown): Promise<Answer> => {
  const back = refused(error, { FORBIDDEN: null, USER_NOT_FOUND: null })
  return invitedPage(visit, await requireInvited(visit), back)
}

function invitedPage(visit: MemberVisit, invitation: Invited, { problems = [], ...more }: Partial<Returned> = {}): Answer {
  const isAbove = invitation.role === 'owner' && visit.membership.person.role !== 'owner'
  const fixedBecause = isAbove ? 'Only an owner may invite owners.' : undefined
  return show(InvitedPage, { frame: visit.frame, invited: toInvitedRow(visit, invitation), fixedBecause, problems }, more)
}

export const toInvitedRow = ({ now }: MemberVisit, { endsAt, mayStillInvite, ...invitation }: Invited): InvitedRow => ({
  ...invitation,
  endsAt,
  state: endsAt <= now ? 'ended' : mayStillInvite ? 'open' : 'void',
})

const inviteForm = (visit: MemberVisit, form: InviteFields, { problems = [], ...more }: Partial<Returned> = {}): Answer =>
  show(InviteForm, { frame: visit.frame, form, mayOwn: visit.membership.person.role === 'owner', problems }, more)
