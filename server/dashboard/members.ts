/** The people of a workspace: the list for all members, changes for owners and admins. */
import { Type } from 'typebox'
import { ApiError } from '../../contract/errors.ts'
import { Email, oneOf, plainNamed } from '../../contract/shapes.ts'
import { invitationObstacle, invite } from '../accounts/invitations.ts'
import { addPerson, changePerson, findPerson, listPeople, type Person, type PersonChange, type Role } from '../accounts/people.ts'
import { isAdmin } from './admission.ts'
import { type Answer, show } from './answer.ts'
import { formCheck, type Returned, refused, returned } from './form-check.ts'
import { linkOf } from './invitation.ts'
import type { Notice } from './notices.ts'
import { PageFailure } from './page-failure.ts'
import { ShortName } from './short-name.ts'
import { LinkMadePage, MemberPage } from './views/member.tsx'
import { AddMemberPage, type MemberRow, MembersPage, type NewMemberForm } from './views/members.tsx'
import type { MemberVisit } from './visit.ts'

export const members = {
  async 'GET /members'(visit: MemberVisit): Promise<Answer> {
    const { frame, browser, sql, membership } = visit
    const people = await listPeople(sql, membership.workspace.id)
    const mayChange = isAdmin(visit)
    return show(MembersPage, { frame, mayChange, notice: browser.notice, members: people.map((person) => toRow(visit, person)) })
  },
}

export const memberChanges = {
  'GET /members/add': (visit: MemberVisit): Answer => addForm(visit, emptyForm),

  async 'POST /members'(visit: MemberVisit): Promise<Answer> {
    const typed = Object.fromEntries(
      Object.keys(emptyForm).map((name) => [name, visit.field(name)]),
    ) as unknown as NewMemberForm & { role: Role }
    const problems = problemsOf(typed)
    if (problems.length > 0) return addForm(visit, typed, returned(problems))
    visit.parts.database.requireRoom()
    try {
      return await add(visit, typed)
    } catch (error) {
      return addForm(visit, typed, refused(error, { CONFLICT: await takenField(visit, error, typed), FORBIDDEN: 'role' }))
    }
  },

  'GET /members/:id': (visit: MemberVisit): Promise<Answer> => memberPage(visit),

  async 'POST /members/:id/role'(visit: MemberVisit): Promise<Answer> {
    const role = visit.field('role')
    if (!isRole(role)) return memberPage(visit, returned([{ field: 'role', message: 'Choose a role.' }]))
    return change(visit, { role }, 'role-saved')
  },

  async 'POST /members/:id/status'(visit: MemberVisit): Promise<Answer> {
    const status = visit.field('status')
    if (status === 'disabled') return change(visit, { status }, 'member-disabled')
    if (status === 'active') return change(visit, { status }, 'member-enabled')
    return memberPage(visit, returned([{ message: 'The form did not say what to do. Send it once more.' }]))
  },

  async 'POST /members/:id/link'(visit: MemberVisit): Promise<Answer> {
    const person = await requireMember(visit)
    visit.parts.database.requireRoom()
    try {
      return await showLink(visit, person, false)
    } catch (error) {
      return memberPage(visit, refused(error, { FORBIDDEN: null }))
    }
  },
}

const roles = ['owner', 'admin', 'member'] as const
const isRole = (text: string): text is Role => (roles as readonly string[]).includes(text)

const problemsOf = formCheck(Type.Object({ display_name: plainNamed(120), name: ShortName, email: Email, role: oneOf(roles) }), {
  display_name: 'Enter their name, up to 120 characters.',
  name: 'Enter a short name for them: one word, up to 80 characters.',
  email: 'Enter their e-mail address, such as ada@studio.test.',
  role: 'Choose a role.',
})

const emptyForm: NewMemberForm = { email: '', display_name: '', name: '', role: 'member' }

const own = ({ membership: { workspace, person } }: MemberVisit) => ({ workspaceId: workspace.id, by: person.role })

/** Somebody who has an account keeps its password; everybody else gets a link to choose one. */
async function add(
  visit: MemberVisit,
  { email, name, display_name: displayName, role }: NewMemberForm & { role: Role },
): Promise<Answer> {
  const wanted = { ...own(visit), email, name, displayName, role, now: visit.now }
  const { person, isKnown } = await addPerson(visit.sql, wanted)
  if (!isKnown) return showLink(visit, person, true)
  visit.browser.leaveNotice('member-added')
  return { to: visit.frame.at('/members') }
}

/** Answers with the link itself: what is shown once must not be kept anywhere on the way to another page. */
async function showLink(visit: MemberVisit, { id, displayName }: Person, isNew: boolean): Promise<Answer> {
  const { workspace, person: by } = visit.membership
  const code = await invite(visit.sql, { workspaceId: workspace.id, by, personId: id, now: visit.now })
  return show(LinkMadePage, { frame: visit.frame, displayName, link: linkOf(visit, code), isNew })
}

/** What is taken: the e-mail of somebody who is here already, or somebody's short name. */
async function takenField({ sql, membership }: MemberVisit, error: unknown, { email }: NewMemberForm): Promise<string> {
  const id = error instanceof ApiError ? error.details.existing_id : undefined
  const person = typeof id === 'number' ? await findPerson(sql, membership.workspace.id, id) : undefined
  return person && person.email !== email.toLowerCase() ? 'name' : 'email'
}

async function change(visit: MemberVisit, wanted: Pick<PersonChange, 'role' | 'status'>, notice: Notice): Promise<Answer> {
  const { id } = await requireMember(visit)
  try {
    await changePerson(visit.sql, { ...own(visit), personId: id, ...wanted })
  } catch (error) {
    return memberPage(visit, refused(error, { CONFLICT: null, FORBIDDEN: null }))
  }
  visit.browser.leaveNotice(notice)
  return { to: visit.frame.at(`/members/${id}`) }
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
    : await invitationObstacle(sql, { workspaceId: workspace.id, by }, person)
  const member = toRow(visit, person)
  return show(MemberPage, { frame, member, mayOwn, fixedBecause, noLinkBecause, notice: browser.notice, problems }, more)
}

const toRow = (visit: MemberVisit, { id, name, displayName, email, role, kind, status }: Person): MemberRow => ({
  id,
  name,
  displayName,
  email: isAdmin(visit) ? email : undefined,
  role,
  kind,
  isActive: status === 'active',
  isYou: id === visit.membership.person.id,
})

const addForm = (visit: MemberVisit, form: NewMemberForm, { problems = [], ...more }: Partial<Returned> = {}): Answer =>
  show(AddMemberPage, { frame: visit.frame, form, mayOwn: visit.membership.person.role === 'owner', problems }, more)
