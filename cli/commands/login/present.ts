/** A sign-in that is there already: whether it still holds, and using it again. */
import { ClientError } from '../../../client/client-error.ts'
import { readKey } from '../../../client/sign-in/credentials.ts'
import { chooseProfileForUse, findProfileFor, keyAccount, readProfiles } from '../../../client/sign-in/profile.ts'
import { askIdentity } from '../../../client/sign-in/sign-in.ts'
import { ApiError } from '../../../contract/errors.ts'
import { clientName, foldersOf } from '../../connection.ts'
import type { Context } from '../../context.ts'
import type { KeyScope } from './device-screen.ts'
import type { ToldSignIn } from './keeping.ts'

export interface PresentSignIn {
  told: ToldSignIn & { already: true }
}

/** For a server that is slow: who wants to sign in does not wait for what was. */
const answerMs = 10_000

/** Met again, with better words, by the sign-in that follows. */
const passing = new Set<string>(['UNREACHABLE', 'NOT_A_LIBRARY', 'KEYCHAIN_REFUSED'])

/** The sign-in at this address, if its key is still good and may do what is asked for. */
export async function findSignIn(context: Context, url: string, scope: KeyScope): Promise<PresentSignIn | undefined> {
  const folders = foldersOf(context)
  const found = findProfileFor(await readProfiles(folders), { profile: context.globals.profile, url })
  if (!found) return undefined
  const { name, profile } = found
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(answerMs)])
  try {
    const key = await readKey(folders, keyAccount(name, profile.url), profile.keyPlace)
    if (!key) return undefined
    const identity = await askIdentity({ url: profile.url, key, clientName: clientName(), signal, retryForMs: 0 })
    if (scope === 'write' && identity.scope === 'read') return undefined
    return { told: { ...identity, url: profile.url, profile: name, key_place: profile.keyPlace, already: true } }
  } catch (error) {
    context.signal.throwIfAborted()
    if (error instanceof ApiError || error instanceof DOMException) return undefined
    if (error instanceof ClientError && passing.has(error.code)) return undefined
    throw error
  }
}

/** Makes it the sign-in that ph uses. */
export const goOnWith = (context: Context, { told }: PresentSignIn): Promise<void> =>
  chooseProfileForUse(foldersOf(context), told.profile)
