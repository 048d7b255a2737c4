/** People as others name them: by login name, by display name, by id, or `me`. */
import type { Api } from '../../../client/http/api.ts'
import type { Member } from '../../../contract/members.ts'
import { printable } from '../../../system/printable.ts'
import { listed, personName } from '../../discussion/people.ts'
import { nearNames } from '../../entries/near-names.ts'
import { failed, wrongUsage } from '../../refusal.ts'

/** What options that name people say of it. */
export const whoWords = 'login name, display name, id or me'

/** Everyone in the workspace, and which of them the key acts as. */
export interface Team {
  members: Member[]
  me: Member
}

export async function readTeam(api: Api): Promise<Team> {
  const [{ members }, me] = await Promise.all([api.members.list(), api.members.me()])
  return { members, me }
}

/** `left: 'too'` also accepts people who have left, so that they can be removed. */
interface Whom {
  left?: 'too'
}

/** Each once, in order; several may stand in one text, with commas between. Refuses with `USER_NOT_FOUND` and the like. */
export function requirePeople(team: Team, references: readonly string[], whom: Whom = {}): Member[] {
  const one = (reference: string, found = matching(team, reference)) => requireThere(requireOne(team, reference, found), whom)
  const people = references.flatMap((reference) => {
    const whole = matching(team, reference)
    if (whole.length > 0 || !reference.includes(',')) return [one(reference, whole)]
    const parts = reference.split(',').flatMap((part) => part.trim() || [])
    if (parts.length === 0) throw nobodyNamed()
    return parts.map((part) => one(part))
  })
  return [...new Set(people)]
}

export const requirePerson = (team: Team, reference: string): Member =>
  requireThere(requireOne(team, reference, matching(team, reference)), {})

/** The same for those who are to review. */
export function requireReviewers(team: Team, references: readonly string[]): Member[] {
  const people = requirePeople(team, references)
  const api = people.find(({ kind }) => kind === 'api')
  if (api) throw failed('VALIDATION', `${personName(api)} is an API identity, and those review nothing.`, 'Name a person.')
  return people
}

/** A login name as it is written, else a name that differs in case only, else the id. */
function matching({ members, me }: Team, given: string): Member[] {
  const reference = given.trim().replace(/^@/, '')
  const folded = reference.toLowerCase()
  if (folded === 'me' && !members.some(({ name }) => name === reference)) return [me]
  const login = members.filter(({ name }) => name === reference)
  if (login.length > 0) return login
  const named = members.filter(({ name, display_name }) => [name, display_name].some((one) => one.toLowerCase() === folded))
  const active = named.filter((one) => one.active)
  if (named.length > 0) return active.length > 0 ? active : named
  return /^\d{1,15}$/.test(reference) ? members.filter(({ id }) => id === Number(reference)) : []
}

function requireThere(person: Member, { left }: Whom): Member {
  if (person.active || left) return person
  throw failed('USER_NOT_FOUND', `${personName(person)} has left the workspace.`, 'Name someone who is still there.')
}

const nobodyNamed = () => wrongUsage('Nobody was named.', `Give a ${whoWords}.`)
const mostNamed = 8

function requireOne({ members }: Team, reference: string, found: readonly Member[]): Member {
  const [only, second] = found
  if (reference.trim() === '') throw nobodyNamed()
  if (only && second)
    throw failed(
      'USER_AMBIGUOUS',
      `${listed(found.map(({ name }) => printable(name)))} are all called "${reference}".`,
      'Give the login name of the one you mean.',
    )
  if (only) return only
  const active = members.filter((one) => one.active && one.kind === 'person')
  const near = nearNames(
    reference,
    active.flatMap(({ name, display_name }) => [...new Set([name, display_name])].filter(Boolean)),
  )
  throw failed(
    'USER_NOT_FOUND',
    `Nobody here is called "${reference}".`,
    near.length > 0
      ? `Did you mean ${near.map(printable).join(' or ')}?`
      : `There are ${listed(
          active.map(({ name }) => printable(name)),
          mostNamed,
        )}.`,
  )
}
