/** The people of a workspace: the list for all members, with who is invited for owners and admins, and what those change. */
import { listInvited } from '../../accounts/invitations.ts'
import { linkObstacle, makePasswordLink } from '../../accounts/password-links.ts'
import { changePerson, findPerson, listPeople, type Person, type PersonChange, type Role } from '../../accounts/people.ts'
import { type Holdings, holdingsOf, releaseAllOf } from '../../check-out/holdings.ts'
import { Feed } from '../../feed.ts'
import { isAdmin } from '../admission.ts'
import { type Answer, show } from '../answer.ts'
import { type Returned, refused, returned } from '../form-check.ts'
import type { Notice } from '../notices.ts'
import { PageFailure } from '../page-failure.ts'
import type { HeldRow } from '../views/holdings.tsx'
import { MemberPage } from '../views/member.tsx'
import { type MemberRow, MembersPage } from '../views/members.tsx'
import { LinkMadePage } from '../views/parts/link-made.tsx'
import type { MemberVisit } from '../visit.ts'
import { exactWords } from '../words.ts'
import { linkOf } from './invitation.ts'
import { toInvitedRow } from './invited.ts'

export const members = {
  async 'GET /members'(visit: MemberVisit): Promise<Answer> {
    const { frame, browser, sql, membership } = visit
    const people = await listPeople(sql, membership.workspace.id)
    const mayChange = isAdmin(visit)
    const invitations = mayChange ? await listInvited(sql, membership.workspace.id) : []
    const invited = invitations.map((one) => toInvitedRow(visit, one))
    const members = people.map((person) => toRow(visit, person))
    return show(MembersPage, { frame, mayChange, notice: browser.notice, members, invited })
  },
}

export const memberChanges = {
  'GET /members/:id': (visit: MemberVisit): Promise<Answer> => memberPage(visit),

  async 'POST /members/:id/role'(visit: MemberVisit): Promise<Answer> {
    const role = visit.field('role')
    if (!isRole(role)) return memberPage(visit, returned([{ field: 'role', message: 'Choose a role.' }]))
    return change(visit, { role }, 'role-saved')
  },

  async 'POST /members/:id/status'(visit: MemberVisit): Promise<Answer> {
    const status = visit.field('status')
    if (status === 'disabled') return disable(visit)
    if (status === 'active') return change(visit, { status }, 'member-enabled')
    return memberPage(visit, returned([{ message: 'The form did not say what to do. Send it once more.' }]))
  },

  async 'POST /members/:id/release'(visit: MemberVisit): Promise<Answer> {
    const person = await requireMember(visit)
    if (person.status === 'active')
      return memberPage(visit, returned([{ message: 'Only what someone who is disabled has checked out is released here.' }]))
    await release(visit, person)
    visit.browser.leaveNotice('check-outs-released')
    return { to: visit.frame.at(`/members/${person.id}`) }
  },

  async 'POST /members/:id/link'(visit: MemberVisit): Promise<Answer> {
    const person = await requireMember(visit)
    visit.services.database.requireRoom()
    try {
      const linking = {
        workspaceId: visit.membership.workspace.id,
        by: visit.membership.person,
        personId: person.id,
        now: visit.now,
      }
      const link = linkOf(visit, await makePasswordLink(visit.sql, linking))
      // What is shown once must not be kept anywhere on the way to another page.
      return show(LinkMadePage, { frame: visit.frame, displayName: person.displayName, link, isInvitation: false })
    } catch (error) {
      return memberPage(visit, refused(error, { FORBIDDEN: null }))
    }
  },
}

const roles = ['owner', 'admin', 'member'] as const
const isRole = (text: string): text is Role => (roles as readonly string[]).includes(text)

const own = ({ membership: { workspace, person } }: MemberVisit) => ({ workspaceId: workspace.id, by: person.role })

async function change(visit: MemberVisit, changed: Pick<PersonChange, 'role' | 'status'>, notice: Notice): Promise<Answer> {
  const { id } = await requireMember(visit)
  try {
    await changePerson(visit.sql, { ...own(visit), personId: id, ...changed })
  } catch (error) {
    return memberPage(visit, refused(error, { CONFLICT: null, FORBIDDEN: null }))
  }
  visit.browser.leaveNotice(notice)
  return { to: visit.frame.at(`/members/${id}`) }
}

/** Disabled first: from then on they take nothing more, so that what is released then is all of it. */
async function disable(visit: MemberVisit): Promise<Answer> {
  const isRelease = visit.field('check_outs') === 'release'
  const answer = await change(visit, { status: 'disabled' }, isRelease ? 'member-disabled-released' : 'member-disabled')
  if (isRelease && 'to' in answer) await release(visit, await requireMember(visit))
  return answer
}

function release({ sql, now, membership: { workspace, person: by } }: MemberVisit, leaver: Person): Promise<number> {
  return releaseAllOf({ sql, now, workspace, feed: new Feed(), actor: by }, leaver)
}

async function requireMember({ sql, membership: { workspace }, param }: MemberVisit): Promise<Person> {
  const id = param('id')
  const person = /^[1-9]\d{0,14}$/.test(id) ? await findPerson(sql, workspace.id, Number(id)) : undefined
  if (person) return person
  throw new PageFailure(404, {
    title: 'No such member',
    message: `Nobody of ${workspace.name} has this address.`,
    link: { page: '/members', words: 'See the members' },
  })
}

async function memberPage(visit: MemberVisit, { problems = [], ...more }: Partial<Returned> = {}): Promise<Answer> {
  const { sql, frame, membership, browser } = visit
  const person = await requireMember(visit)
  const { workspace, person: by } = membership
  const mayOwn = by.role === 'owner'
  const isAbove = person.role === 'owner' && !mayOwn
  const fixedBecause = isAbove ? 'Only an owner may change an owner.' : undefined
  const noLinkBecause = isAbove
    ? 'Only an owner may give an owner a new password.'
    : await linkObstacle(sql, { workspaceId: workspace.id, by }, person)
  const member = toRow(visit, person)
  const held = toHeld((await holdingsOf({ sql, workspace, now: visit.now }, [person.id])).get(person.id))
  return show(MemberPage, { frame, member, held, mayOwn, fixedBecause, noLinkBecause, notice: browser.notice, problems }, more)
}

const toHeld = (held: Holdings | undefined): HeldRow | undefined =>
  held && { ...held, shown: held.shown.map(({ name, expiresAt }) => ({ name, until: exactWords(new Date(expiresAt)) })) }

const toRow = (visit: MemberVisit, { id, name, displayName, email, role, kind, status, canSignIn }: Person): MemberRow => ({
  id,
  name,
  displayName,
  email: isAdmin(visit) ? email : undefined,
  role,
  kind,
  isActive: status === 'active',
  hasCome: canSignIn || kind === 'api',
  isYou: id === visit.membership.person.id,
})
