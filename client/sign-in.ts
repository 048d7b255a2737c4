/** Signing in with a key and out again: the key is tried first, then kept, and the profile says for what. */
import { ApiError } from '../contract/errors.ts'
import type { Identity } from '../contract/identity.ts'
import { ClientError } from './client-error.ts'
import { type KeyPlace, readKey, removeKey, storeKey } from './credentials.ts'
import type { Folders } from './folders.ts'
import { Http } from './http.ts'
import { keyAccount, type Profile, readProfiles, removeProfile, saveProfile } from './profile.ts'

export interface SignIn {
  url: string
  key: string
  profileName: string
  /** Leave the keychain out. */
  preferred?: KeyPlace
  clientName?: string
  signal?: AbortSignal
}

/** Asks the server who the key is. Throws ApiError `UNAUTHORIZED` for an unknown key. */
export async function askIdentity(options: {
  url: string
  key?: string
  clientName?: string
  signal?: AbortSignal
}): Promise<Identity> {
  const http = new Http(options)
  try {
    return (await http.json({ method: 'GET', path: '/auth/me' })) as Identity
  } finally {
    await http.close()
  }
}

/** Tries the key, keeps it and makes its profile the current one. Answers who it is and where the key is kept. */
export async function signInWithKey(folders: Folders, signIn: SignIn): Promise<{ identity: Identity; profile: Profile }> {
  const identity = await askIdentity(signIn)
  const { url, key, profileName, preferred } = signIn
  await forgetKey(folders, profileName)
  const keyPlace = await storeKey(folders, keyAccount(profileName, url), { key, preferred })
  const { id, name, display_name } = identity.user
  const { org, scope } = identity
  const profile: Profile = { url, workspace: org, user: { id, name, display_name }, scope, keyPlace }
  await saveProfile(folders, profileName, profile)
  return { identity, profile }
}

/**
 * Forgets a profile and its key on this machine; `revoke` also ends the key on the server first, where that is offered.
 * Throws ClientError `NO_PROFILE`.
 */
export async function signOut(folders: Folders, profileName: string, revoke?: { clientName?: string }): Promise<Profile> {
  const profile = (await readProfiles(folders)).profiles[profileName]
  if (!profile) throw new ClientError('NO_PROFILE', `There is no profile ${profileName}.`)
  const account = keyAccount(profileName, profile.url)
  const key = await readKey(folders, account, profile.keyPlace)
  if (revoke && key) await revokeKey({ url: profile.url, key, ...revoke })
  await removeKey(folders, account, profile.keyPlace)
  await removeProfile(folders, profileName)
  return profile
}

/** A profile that is signed in anew may have kept its old key elsewhere. */
async function forgetKey(folders: Folders, profileName: string): Promise<void> {
  const old = (await readProfiles(folders)).profiles[profileName]
  if (old) await removeKey(folders, keyAccount(profileName, old.url), old.keyPlace)
}

/** A key that the server no longer knows is revoked enough; a server without this call leaves keys to its dashboard. */
async function revokeKey(options: { url: string; key: string; clientName?: string }): Promise<void> {
  const http = new Http(options)
  try {
    await http.json({ method: 'POST', path: '/auth/logout' })
  } catch (error) {
    if (!(error instanceof ApiError && ['UNAUTHORIZED', 'NOT_FOUND'].includes(error.code))) throw error
  } finally {
    await http.close()
  }
}
