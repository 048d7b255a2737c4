/** `ph whoami`: who the key acts as, where, and where the key is kept. */
import { keysFile } from '../../client/folders.ts'
import { type Connection, readProfiles } from '../../client/profile.ts'
import { command, flag } from '../command.ts'
import { foldersOf } from '../connection.ts'
import type { Context } from '../context.ts'
import { type Library, withLibrary } from '../library.ts'
import { table } from '../table.ts'

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

async function tellIdentity(context: Context, { api, connection }: Library): Promise<void> {
  const identity = await api.identity.me()
  const { user, org, scope, name } = identity
  const key = { source: connection.keySource, ...(connection.keySource === 'file' ? { file: keysFile(foldersOf(context)) } : {}) }
  const { paint } = context.out
  context.out.result({ ...identity, url: connection.url, profile: connection.profileName ?? null, key }, () => [
    `${paint('bold', user.display_name)} (${user.email}), ${user.role === 'admin' ? 'admin' : 'member'}`,
    `  workspace  ${org.name}`,
    `  server     ${connection.url}`,
    `  key        "${name}", ${scope} scope`,
    `             ${placeOf(context, connection)}`,
    ...(connection.profileName ? [`  profile    ${connection.profileName}`] : []),
  ])
}

function placeOf(context: Context, { keySource }: Connection): string {
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
    { title: 'AS', value: (row: (typeof rows)[number]) => row.user.display_name, cut: 'end' as const },
    { title: 'SCOPE', value: (row: (typeof rows)[number]) => row.scope },
  ]
  context.out.result({ current: current ?? null, profiles }, () =>
    rows.length > 0 ? table(rows, columns, context.out) : 'Nobody is signed in here. Sign in with `ph login --with-key`.',
  )
}
