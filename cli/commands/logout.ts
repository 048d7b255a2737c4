/** `ph logout`: ends keys on their servers where that can be, and forgets them here. */

import { ClientError } from '../../client/client-error.ts'
import { normalizeAddress } from '../../client/sign-in/address.ts'
import { findProfileFor, type Profile, readProfiles } from '../../client/sign-in/profile.ts'
import { revokeKey } from '../../client/sign-in/revocation.ts'
import { signOut } from '../../client/sign-in/sign-in.ts'
import { ApiError } from '../../contract/errors.ts'
import { printable } from '../../system/printable.ts'
import { command, flag } from '../command.ts'
import { clientName, connectionChoice, foldersOf, requireConnection } from '../connection.ts'
import type { Context } from '../context.ts'
import { failed, wrongUsage } from '../refusal.ts'
import { tellWaits } from '../terminal/waits.ts'
import { askYesOrNo } from '../terminal/yes-or-no.ts'

export const commands = [
  command({
    usage: 'logout',
    description:
      'Revokes the key that ph uses on its server, and forgets it here. With PH_API_KEY set, it revokes that key, for everyone who uses it, and the sign-ins of this machine stay.',
    options: {
      all: flag('--all', 'sign out of every profile of this machine'),
      keepKey: flag('--keep-key', 'only forget the key here; it stays valid on the server'),
    },
    examples: [
      ['logout', 'end the key of the last sign-in and forget it'],
      ['logout --profile studio', 'the same for the profile studio'],
      ['logout --all', 'the same for every profile'],
      ['logout --keep-key', 'forget the key here, because another machine uses it too'],
    ],
    async run(context, { all, keepKey }) {
      const { globals, env } = context
      if (all && globals.profile !== undefined) throw wrongUsage('--all and --profile exclude each other.', 'Use one of them.')
      if (all) await leaveAll(context, keepKey)
      else if (env.PH_API_KEY && globals.profile === undefined) await endGivenKey(context, keepKey)
      else await leaveOne(context, keepKey)
      return undefined
    },
  }),
]

interface Left {
  name: string
  profile: Profile
  revoked: boolean
  /** The rest of the sentence when the key lives on. */
  reason: string
}

async function leaveOne(context: Context, keepKey: boolean): Promise<void> {
  const { url, profile } = connectionChoice(context)
  const at = url === undefined ? undefined : normalizeAddress(url)
  const name = profile ?? findProfileFor(await readProfiles(foldersOf(context)), { url: at })?.name
  if (name === undefined)
    throw failed('NOT_SIGNED_IN', `Nobody is signed in ${at === undefined ? 'here' : `at ${at}`}.`, 'There is nothing to do.')
  const left = await leave(context, name, keepKey)
  context.out.result(toldOf(left), wordsOf(left))
}

async function leaveAll(context: Context, keepKey: boolean): Promise<void> {
  const all: Left[] = []
  for (const name of Object.keys((await readProfiles(foldersOf(context))).profiles)) all.push(await leave(context, name, keepKey))
  context.out.result({ profiles: all.map(toldOf) }, () =>
    all.length > 0 ? all.map(wordsOf).join('\n') : 'Nobody is signed in here.',
  )
}

const toldOf = ({ name, profile: { url }, revoked }: Left) => ({ profile: name, url, revoked })

function wordsOf({ profile: { workspace, url }, revoked, reason }: Left): string {
  const key = revoked ? 'The key is revoked; signing in again takes a new one.' : `The key is forgotten here${reason}.`
  return `Signed out of ${printable(workspace.name)} at ${url}. ${key}`
}

/** A server that is gone, or does not know the key any more, must not keep anybody from signing out. */
async function leave(context: Context, name: string, keepKey: boolean): Promise<Left> {
  const folders = foldersOf(context)
  if (keepKey) return { name, profile: await signOut(folders, name), revoked: false, reason: ', and stays valid' }
  const { signal, pause } = context
  try {
    const revoke = { clientName: clientName(), signal, pause, onWait: tellWaits(context) }
    return { name, profile: await signOut(folders, name, revoke), revoked: true, reason: '' }
  } catch (error) {
    const reason = whyNotRevoked(error)
    if (reason === undefined) throw error
    return { name, profile: await signOut(folders, name), revoked: false, reason }
  }
}

function whyNotRevoked(error: unknown): string | undefined {
  if (error instanceof ApiError) return `, but the server did not revoke it (${printable(error.message)})`
  if (!(error instanceof ClientError)) return undefined
  if (error.code === 'UNREACHABLE')
    return ', but the server could not be reached to revoke it. Revoke it later, on the keys page of the workspace'
  if (error.code === 'NOT_A_LIBRARY') return ', but what answers there is no library that could revoke it'
  if (error.code === 'KEYCHAIN_REFUSED') return ', but it could not be read from the keychain, so it is not revoked'
  return undefined
}

/** A key of the environment may be shared: who can be asked is asked. */
async function endGivenKey(context: Context, keepKey: boolean): Promise<void> {
  if (keepKey) throw wrongUsage('ph does not keep the key of PH_API_KEY.', 'Unset the variable to stop using it.')
  const { url, key } = await requireConnection(context)
  const question = `This revokes the key in PH_API_KEY at ${url}, for everyone who uses it. Go on?`
  if (context.interactive && !(await askYesOrNo(context, question, false)))
    throw failed('NOT_REVOKED', 'Nothing was revoked.', '`ph logout --profile <name>` signs out of a profile instead.')
  const { signal, pause } = context
  await revokeKey({ url, key, clientName: clientName(), signal, pause, onWait: tellWaits(context) })
  const words = `The key in PH_API_KEY is revoked at ${url}, for everyone who used it. Unset the variable.`
  context.out.result({ profile: null, url, revoked: true }, words)
}
