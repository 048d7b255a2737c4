/** `ph server user`: the people of a workspace, from the machine the server runs on. */
import type { InvitedUser, Operator, OperatorUser } from '../../../contract/operator.ts'
import type { OutputOf } from '../../../contract/route.ts'
import { printable } from '../../../system/printable.ts'
import { shellWord } from '../../../system/shell-word.ts'
import { command, flag, text, value } from '../../command.ts'
import type { Context } from '../../context.ts'
import { choiceOf, wrongUsage } from '../../refusal.ts'
import { count, moment } from '../../terminal/amounts.ts'
import { type Column, table } from '../../terminal/table.ts'
import { readNewPassword } from './password.ts'
import { administer, given, type ServerChoice, withServerOptions, workspaceOptions } from './reach.ts'

const roles = ['owner', 'admin', 'member'] as const
const kinds = ['person', 'api'] as const
const user = { user: 'their e-mail address, login name or id' }

export const userCommands = [
  command({
    usage: 'server user list',
    summary: 'List the members of a workspace',
    options: workspaceOptions,
    examples: [
      ['server user list', 'everyone, those who were disabled and those who are invited included'],
      ['server user list --workspace acme --json', 'those of the workspace acme, as JSON'],
    ],
    async run(context, { data, workspace }) {
      const answer = await administer(context, { data, workspace }, (api) => api.user.list(given({ workspace })))
      context.out.result(answer, () =>
        answer.users.length === 0
          ? `Nobody belongs to ${answer.workspace}.`
          : table([...answer.users, ...answer.invited], columns(context.now()), context.out),
      )
      return undefined
    },
  }),
  command({
    usage: 'server user add <email>',
    summary: 'Add someone to a workspace',
    description:
      'They belong to it at once, without an invitation. Someone who has an account on this server keeps it and its password; only a password that was chosen through a link of another workspace ends, because people there may know it. Others get a new account; without --password they cannot sign in until a password is set.',
    arguments: { email: 'address they sign in with' },
    options: {
      name: text('--name <name>', 'short name, shown beside what they do (default: what stands before the @)'),
      displayName: text('--display-name <name>', 'full name (default: the short one)'),
      role: value('--role <role>', 'owner, admin or member (default member)', choiceOf('--role', roles)),
      kind: value('--kind <kind>', 'person, or api for a program (default person)', choiceOf('--kind', kinds)),
      password: flag('--password', 'set a password: asked for on a terminal, else read from standard input'),
      ...workspaceOptions,
    },
    exits: ['conflict'],
    examples: [
      ['server user add ada@acme.test --display-name "Ada L" --role admin --password', 'an admin, who can sign in at once'],
      [
        'server user add build@acme.test --kind api',
        'an identity for a build machine; give it a key with `ph server key create`',
      ],
    ],
    async run(context, { email, name = email.split('@')[0] ?? email, displayName, role = 'member', kind = 'person', ...rest }) {
      requireAddress(email)
      const password = rest.password ? await readNewPassword(context, email) : undefined
      const input = given({ workspace: rest.workspace, email, name, display_name: displayName, role, kind, password })
      const answer = await administer(context, rest, (api) => api.user.add(input))
      const added = `Added ${words(answer.user)} to ${answer.workspace} as ${article(answer.user.role)}.`
      const after = afterwards(answer, kind, password).map((line) => withServerOptions(line, rest))
      context.out.result(answer, [added, ...after].join('\n'))
      return undefined
    },
  }),
  command({
    usage: 'server user role <user> <role>',
    summary: 'Make someone an owner, an admin or a member',
    arguments: { ...user, role: 'owner, admin or member' },
    options: workspaceOptions,
    exits: ['conflict'],
    examples: [['server user role ada@acme.test admin', 'from the next request on her keys may do what admins may']],
    async run(context, { user: who, role, data, workspace }) {
      const input = given({ workspace, user: who, role: choiceOf('The role', roles)(role) })
      const answer = await administer(context, { data, workspace }, (api) => api.user.role(input))
      context.out.result(answer, `${words(answer.user)} is ${article(answer.user.role)} of ${answer.workspace} now.`)
      return undefined
    },
  }),
  command({
    usage: 'server user disable <user>',
    summary: 'Shut someone out; what they did stays',
    description:
      'What they have checked out stops everyone else until it ends: the answer names it, and --release gives it back. It works for someone who is shut out already, too.',
    arguments: user,
    options: { release: flag('--release', 'release everything that they have checked out'), ...workspaceOptions },
    exits: ['conflict'],
    examples: [
      ['server user disable ada@acme.test', 'from the next request on her keys answer 401'],
      ['server user disable ada@acme.test --release', 'the same, and others can go on with what she had checked out'],
    ],
    run: (context, { user: who, release, ...rest }) => setStatus(context, rest, { who, status: 'disabled', release }),
  }),
  command({
    usage: 'server user enable <user>',
    summary: 'Let someone in again who was disabled',
    arguments: user,
    options: workspaceOptions,
    examples: [['server user enable ada@acme.test', 'her keys that were not revoked work again']],
    run: (context, { user: who, ...rest }) => setStatus(context, rest, { who, status: 'active' }),
  }),
  command({
    usage: 'server user password <user>',
    summary: 'Set the password of someone, and end their sessions',
    description:
      'The password is asked for on a terminal, else read from standard input. It is the password of the account, in every workspace.',
    arguments: user,
    options: workspaceOptions,
    examples: [
      ['server user password ada@acme.test', 'asks for it twice'],
      ['server user password ada@acme.test < password.txt', 'the same for scripts'],
    ],
    async run(context, { user: who, data, workspace }) {
      const password = await readNewPassword(context, who)
      const input = given({ workspace, user: who, password })
      const answer = await administer(context, { data, workspace }, (api) => api.user.password(input))
      context.out.result(
        answer,
        `${printable(answer.email)} has a new password, and is signed out everywhere. Keys stay as they are.`,
      )
      return undefined
    },
  }),
]

const columns = (now: Date): Column<OperatorUser | InvitedUser>[] => [
  { title: 'ID', value: (one) => ('id' in one ? one.id : '-'), right: true },
  { title: 'E-MAIL', value: (one) => one.email, cut: 'middle' },
  { title: 'NAME', value: (one) => one.name, cut: 'end' },
  { title: 'DISPLAY NAME', value: (one) => one.display_name, cut: 'end', spare: true },
  { title: 'ROLE', value: (one) => one.role },
  { title: 'KIND', value: (one) => ('kind' in one ? one.kind : 'person'), spare: true },
  { title: 'STATUS', value: (one) => statusOf(one, now), spare: 'late' },
]

/** Who has not come yet is not called active. */
function statusOf(one: OperatorUser | InvitedUser, now: Date): string {
  if ('ends_at' in one) return new Date(one.ends_at) <= now ? 'invited (the link has ended)' : 'invited'
  return one.status === 'active' && one.kind === 'person' && !one.can_sign_in ? 'no sign-in yet' : one.status
}

async function setStatus(
  context: Context,
  { data, workspace }: ServerChoice,
  { who, status, release }: { who: string; status: 'active' | 'disabled'; release?: boolean },
): Promise<undefined> {
  const input = given({ workspace, user: who, status, ...(release ? { release } : {}) })
  const answer = await administer(context, { data, workspace }, (api) => api.user.status(input))
  const done = status === 'active' ? 'may use' : 'is shut out of'
  const after = heldWords(answer).map((line) => withServerOptions(line, { data, workspace }))
  context.out.result(answer, [`${words(answer.user)} ${done} ${answer.workspace} from now on.`, ...after].join('\n'))
}

/** Says what a disabled member still holds, and how others get on. */
function heldWords({ user: { email }, released, holds }: OutputOf<Operator['user']['status']>): string[] {
  const done = released > 0 ? [`Released ${count(released, 'check-out', 'check-outs')}: others can go on.`] : []
  if (!holds) return done
  const { check_outs, shown, last_ends_at, to_answer, requested, jobs } = holds
  const more = check_outs - shown.length
  const names = `${shown.map(printable).join(', ')}${more > 0 ? `, and ${more} more` : ''}`
  const kept = [
    `They still have checked out until ${moment(last_ends_at ?? '')}, and nobody else can push: ${names}.`,
    `Release it with \`ph server user disable ${shellWord(email)} --release\`.`,
  ]
  const rounds = [
    ...(to_answer > 0
      ? [`${count(to_answer, 'open review waits', 'open reviews wait')} for their answer: ask someone else in.`]
      : []),
    ...(requested > 0
      ? [`${count(requested, 'open review was', 'open reviews were')} asked for by them; admins can cancel or change those.`]
      : []),
    ...(jobs > 0
      ? [
          `${count(jobs, 'pull job of theirs is under way, and goes', 'pull jobs of theirs are under way, and go')} back to the queue.`,
        ]
      : []),
  ]
  return [...done, ...(check_outs > 0 ? kept : []), ...rounds]
}

function requireAddress(email: string): void {
  if (!/^[^@\s]+@[^@\s]+$/.test(email))
    throw wrongUsage(`"${email}" is not an e-mail address.`, 'Write it like ada@example.com; a program may have an invented one.')
}

/** What to know about the account, or to do next. */
function afterwards(answer: OutputOf<Operator['user']['add']>, kind: string, password: string | undefined): string[] {
  if (answer.has_account) return [accountWords[answer.password].replace('<user>', shellWord(answer.user.email))]
  if (kind !== 'person' || password !== undefined) return []
  return [`They cannot sign in before they have a password: \`ph server user password ${shellWord(answer.user.email)}\``]
}

/** What is said of an account that was there before. */
const accountWords = {
  none: 'They had an account on this server already, without a password.',
  kept: 'They had an account on this server already, and keep its password.',
  set: 'They had an account on this server already: it has the new password, and is signed out everywhere.',
  ended:
    'They had an account on this server already. Its password had been chosen by a link of another workspace, where someone may know it: it opens nothing any more. Give them a new one with `ph server user password <user>`.',
}

const words = ({ display_name, email }: OperatorUser): string => `${printable(display_name)} (${printable(email)})`
const article = (role: string): string => (role === 'member' ? 'a member' : `an ${role}`)
