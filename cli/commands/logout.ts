/** `ph logout`: ends the key on the server where that can be, and forgets it here. */

import { ClientError } from '../../client/client-error.ts'
import { type Profile, readProfiles } from '../../client/profile.ts'
import { signOut } from '../../client/sign-in.ts'
import { ApiError } from '../../contract/errors.ts'
import { command, flag } from '../command.ts'
import { clientName, foldersOf } from '../connection.ts'
import type { Context } from '../context.ts'
import { failed } from '../refusal.ts'

export const commands = [
  command({
    usage: 'logout',
    options: { keepKey: flag('--keep-key', 'only forget the key here; it stays valid on the server') },
    examples: [
      ['logout', 'end the key of the last sign-in and forget it'],
      ['logout --profile studio', 'the same for the profile studio'],
      ['logout --keep-key', 'forget the key here, because another machine uses it too'],
    ],
    async run(context, { keepKey }) {
      const folders = foldersOf(context)
      const profileName = context.globals.profile ?? (await readProfiles(folders)).current
      if (profileName === undefined) throw failed('NOT_SIGNED_IN', 'Nobody is signed in here.', 'There is nothing to do.')
      const { profile, revoked, reason } = await leave(context, profileName, keepKey)
      const key = revoked ? 'The key is revoked; signing in again takes a new one.' : `The key is forgotten here${reason}.`
      context.out.result(
        { profile: profileName, url: profile.url, revoked },
        `Signed out of ${profile.workspace.name} at ${profile.url}. ${key}`,
      )
      return undefined
    },
  }),
]

interface Left {
  profile: Profile
  revoked: boolean
  /** The rest of the sentence when the key lives on. */
  reason: string
}

/** A server that is gone, or does not know the key any more, must not keep anybody from signing out. */
async function leave(context: Context, profileName: string, keepKey: boolean): Promise<Left> {
  const folders = foldersOf(context)
  if (keepKey) return { profile: await signOut(folders, profileName), revoked: false, reason: ', and stays valid' }
  try {
    return { profile: await signOut(folders, profileName, { clientName: clientName() }), revoked: true, reason: '' }
  } catch (error) {
    const reason = whyNotRevoked(error)
    if (reason === undefined) throw error
    return { profile: await signOut(folders, profileName), revoked: false, reason }
  }
}

function whyNotRevoked(error: unknown): string | undefined {
  if (error instanceof ApiError) return `, but the server did not revoke it (${error.message})`
  if (error instanceof ClientError && error.code === 'UNREACHABLE') return ', but the server could not be reached to revoke it'
  return undefined
}
