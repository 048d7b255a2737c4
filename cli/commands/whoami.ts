/** `ph whoami`: who the key acts as, where, and where the key is kept. */
import { keysFile } from '../../client/folders.ts'
import { readProfiles } from '../../client/sign-in/profile.ts'
import { roleOf } from '../../client/sign-in/sign-in.ts'
import { printable } from '../../system/printable.ts'
import { command, flag } from '../command.ts'
import { foldersOf, type Signed } from '../connection.ts'
import type { Context } from '../context.ts'
import { type Library, withLibrary } from '../library.ts'
import { age } from '../terminal/amounts.ts'
import { table } from '../terminal/table.ts'
import { wrapAfter } from '../terminal/wrap.ts'

export const commands = [
  command({
    usage: 'whoami',
    options: { all: flag('--all', 'list every profile of this machine instead; asks no server') },
    examples: [
      ['whoami', 'who you are, in which workspace, with which key'],
      ['whoami --all', 'all sign-ins of this machine'],
      ['whoami --profile studio --json', 'the same as JSON, for the profile studio'],
    ],
    async run(context, { all }) {
      await (all ? listProfiles(context) : withLibrary(context, (library) => tellIdentity(context, library)))
      return undefined
    },
  }),
]

/** As much of a key as the keys page shows: enough to tell it from others. */
const prefixLength = 12

async function tellIdentity(context: Context, { api, connection }: Library): Promise<void> {
  const identity = await api.identity.me()
  const { user, org, scope, name } = identity
  const { url, profileName, keySource, key: secret, profile } = connection
  const signedInAt = keySource === 'environment' ? undefined : profile?.signedInAt
  const key = {
    source: keySource,
    ...(keySource === 'file' ? { file: keysFile(foldersOf(context)) } : {}),
    prefix: secret.slice(0, prefixLength),
    signed_in_at: signedInAt ?? null,
  }
  const { paint, width } = context.out
  const fact = (label: string, text: string) => wrapAfter(`  ${label.padEnd(11)}`, text, width)
  context.out.result({ ...identity, url, profile: profileName ?? null, key }, () => [
    `${paint('bold', printable(user.display_name))} (${printable(user.email)}), ${printable(roleOf(identity))}`,
    ...fact('workspace', printable(org.name)),
    ...fact('server', url),
    ...fact('key', `${key.prefix}…, "${printable(name)}", ${printable(scope)} scope\n${keySourceWords(context, connection)}`),
    ...(profileName ? fact('profile', `${profileName}${signedInAt ? `, signed in ${age(signedInAt, context.now())}` : ''}`) : []),
  ])
}

function keySourceWords(context: Context, { keySource }: Signed): string {
  if (keySource === 'environment') return 'from PH_API_KEY'
  return keySource === 'file' ? `kept in ${keysFile(foldersOf(context))}` : 'kept in the keychain'
}

async function listProfiles(context: Context): Promise<void> {
  const { current, profiles } = await readProfiles(foldersOf(context))
  const rows = Object.entries(profiles).map(([name, profile]) => ({ name, current: name === current, ...profile }))
  const columns = [
    { title: '', value: (row: (typeof rows)[number]) => (row.current ? '*' : '') },
    { title: 'PROFILE', value: (row: (typeof rows)[number]) => row.name },
    { title: 'WORKSPACE', value: (row: (typeof rows)[number]) => row.workspace.name, cut: 'end' as const },
    { title: 'ADDRESS', value: (row: (typeof rows)[number]) => row.url, cut: 'middle' as const },
    { title: 'AS', value: (row: (typeof rows)[number]) => row.user.display_name, cut: 'end' as const, spare: 'late' as const },
    { title: 'SCOPE', value: (row: (typeof rows)[number]) => row.scope, spare: 'late' as const },
  ]
  context.out.result({ current: current ?? null, profiles }, () =>
    rows.length > 0 ? table(rows, columns, context.out) : 'Nobody is signed in here. Sign in with `ph login`.',
  )
}
