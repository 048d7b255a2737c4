/** `ph server key`: keys of a workspace, from the machine the server runs on. */
import type { OperatorKey } from '../../../contract/operator.ts'
import { printable } from '../../../system/printable.ts'
import { command, text, value } from '../../command.ts'
import { choiceOf, wrongUsage } from '../../refusal.ts'
import { age } from '../../terminal/amounts.ts'
import { table } from '../../terminal/table.ts'
import { administer, given, workspaceOptions } from './reach.ts'

export const keyCommands = [
  command({
    usage: 'server key create <user>',
    summary: 'Make a key that acts as someone',
    description:
      'Only the key is printed on standard output. It is shown once, because the server keeps only its SHA-256. Anyone who has it may do what that member may.',
    arguments: { user: 'whom it acts as: e-mail address, login name or id' },
    options: {
      name: text('--name <name>', 'what it is for, so that it can be told from others (default: key)'),
      scope: value('--scope <scope>', 'read or write (default read)', choiceOf('--scope', ['read', 'write'])),
      ...workspaceOptions,
    },
    exits: ['conflict'],
    examples: [
      ['server key create build@acme.test --name nightly --scope write', 'show a key that may push'],
      ['server key create ada@acme.test > key.txt', 'a read key, into a file'],
    ],
    async run(context, { user, name = 'key', scope = 'read', data, workspace }) {
      const input = given({ workspace, user, name, scope })
      const answer = await administer(context, { data, workspace }, (api) => api.key.create(input))
      context.out.result(answer, answer.key)
      context.out.note(
        `A ${answer.scope} key of ${printable(answer.user)} in ${answer.workspace}, named "${printable(answer.name)}", id ${answer.id}. It is not shown again.`,
      )
      return undefined
    },
  }),
  command({
    usage: 'server key list',
    summary: 'List the keys of a workspace that are not revoked',
    options: { user: text('--user <user>', 'only those of this member'), ...workspaceOptions },
    examples: [
      ['server key list', 'all of them, newest first'],
      ['server key list --user ada@acme.test', 'those that act as her'],
    ],
    async run(context, { user, data, workspace }) {
      const answer = await administer(context, { data, workspace }, (api) => api.key.list(given({ workspace, user })))
      context.out.result(answer, () =>
        answer.keys.length === 0
          ? `There are no keys in ${answer.workspace}.`
          : table(answer.keys, columns(context.now()), context.out),
      )
      return undefined
    },
  }),
  command({
    usage: 'server key revoke <key>',
    summary: 'End a key: the next request with it is refused',
    arguments: { key: 'its id, or its beginning as `ph server key list` shows it' },
    options: workspaceOptions,
    exits: ['conflict'],
    examples: [
      ['server key revoke 42', 'the key with the id 42'],
      ['server key revoke ph_live_x7Qp', 'the one that begins so'],
    ],
    async run(context, { key, data, workspace }) {
      const answer = await administer(context, { data, workspace }, (api) =>
        api.key.revoke(given({ workspace, key: beginningOf(key) })),
      )
      context.out.result(
        answer,
        `The key "${printable(answer.name)}" (${answer.prefix}…) of ${printable(answer.user)} is revoked.`,
      )
      return undefined
    },
  }),
]

function beginningOf(key: string): string {
  if (/^(\d{1,15}|ph_live_[0-9A-Za-z]{1,4})$/.test(key)) return key
  if (/^ph_live_[0-9A-Za-z]{5,}$/.test(key))
    throw wrongUsage(
      'That is more than the beginning of a key, and everyone on this machine can read it on the command line.',
      'Give the first 12 characters, or its id out of `ph server key list`.',
    )
  throw wrongUsage(`"${key}" is neither the id nor the beginning of a key.`, 'List the keys with `ph server key list`.')
}

const columns = (now: Date) => [
  { title: 'ID', value: (key: OperatorKey) => key.id, right: true },
  { title: 'BEGINS', value: (key: OperatorKey) => key.prefix, spare: 'late' as const },
  { title: 'NAME', value: (key: OperatorKey) => key.name, cut: 'end' as const },
  { title: 'SCOPE', value: (key: OperatorKey) => key.scope },
  { title: 'ACTS AS', value: (key: OperatorKey) => key.user, cut: 'middle' as const },
  { title: 'CREATED', value: (key: OperatorKey) => age(key.created_at, now), spare: true },
  {
    title: 'LAST USED',
    value: (key: OperatorKey) => (key.last_used_at === null ? 'never' : age(key.last_used_at, now)),
    spare: 'late' as const,
  },
]
