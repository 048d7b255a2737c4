/** Signing in and out: a key is tried first, then kept, and the profile says for what. */

import type { Identity } from '../../contract/identity.ts'
import { ClientError } from '../client-error.ts'
import type { Folders } from '../folders.ts'
import { createApi } from '../http/api.ts'
import { Http, type HttpOptions } from '../http/http.ts'
import { type KeyPlace, readKey, removeKey, storeKey } from './credentials.ts'
import { keyAccount, type Profile, profileNamed, readProfiles, removeProfile, saveProfile } from './profile.ts'
import { dropKey, type KeyAtServer, revokeKey } from './revocation.ts'

/** Asks the server who the key is. Throws ApiError `UNAUTHORIZED` for an unknown key, ClientError `NOT_A_LIBRARY`. */
export async function askIdentity(options: HttpOptions): Promise<Identity> {
  const http = new Http(options)
  try {
    return readIdentity(options.url, await createApi(http).identity.me())
  } finally {
    await http.close('destroy')
  }
}

/** What is kept and shown of an answer is there, who gave it. Throws ClientError `NOT_A_LIBRARY`. */
export function readIdentity(url: string, answer: unknown): Identity {
  const { user, org, name, scope } = (answer ?? {}) as Partial<Identity>
  const texts = [name, user?.name, user?.display_name, user?.email, org?.name, org?.slug]
  const numbers = [user?.id, org?.id]
  const isWhole =
    texts.every((text) => typeof text === 'string' && text.length <= 1000) &&
    numbers.every((id) => Number.isSafeInteger(id)) &&
    (scope === 'read' || scope === 'write')
  if (isWhole) return answer as Identity
  throw new ClientError('NOT_A_LIBRARY', `${url} does not say who the key belongs to.`)
}

/** `role` knows admins and members only; a server that tells owners apart says it in a field of its own. */
export const roleOf = ({ user, workspace_role: role }: Identity & { workspace_role?: string }): string =>
  role === 'owner' || role === 'admin' || role === 'member' ? role : user.role

export interface NewSignIn {
  url: string
  /** As it was typed; normalized. */
  askedUrl?: string
  key: string
  identity: Identity
  profileName: string
  keyPlace: KeyPlace
  /** `device`: made for this machine alone, so nobody else has it. `given`: handed over by a person. */
  origin: Profile['origin']
  now: Date
}

/**
 * Keeps a key that was tried, and makes its profile the current one. Gives the profile that stood there before, when its key is
 * another one: that key is forgotten here, and revoked where nobody else can have it.
 */
export async function keepSignIn(folders: Folders, signIn: NewSignIn): Promise<{ profile: Profile; replaced?: Replaced }> {
  const { url, askedUrl, key, identity, profileName, keyPlace, origin, now } = signIn
  const old = profileNamed(await readProfiles(folders), profileName)
  const oldAccount = old && keyAccount(profileName, old.url)
  const oldKey = old && oldAccount && (await readKey(folders, oldAccount, old.keyPlace).catch(() => undefined))
  const account = keyAccount(profileName, url)
  await storeKey(folders, account, { key, place: keyPlace })
  const { id, name, display_name } = identity.user
  const { org, scope } = identity
  const user = { id, name, display_name }
  const signedInAt = now.toISOString()
  const redirected = askedUrl === undefined || askedUrl === url ? {} : { askedUrl }
  const profile: Profile = { url, ...redirected, workspace: org, user, scope, keyPlace, origin, signedInAt }
  await saveProfile(folders, profileName, profile)
  if (!old || !oldAccount) return { profile }
  if (oldAccount !== account || old.keyPlace !== keyPlace) await removeKey(folders, oldAccount, old.keyPlace)
  if (!oldKey || oldKey === key) return { profile }
  const revoked = old.origin === 'device' && (await dropKey({ url: old.url, key: oldKey }))
  return { profile, replaced: { profile: old, revoked } }
}

export interface Replaced {
  profile: Profile
  revoked: boolean
}

/**
 * Forgets a profile and its key on this machine; `revoke` also ends the key on the server first, where that is offered.
 * Throws ClientError `NO_PROFILE`.
 */
export async function signOut(
  folders: Folders,
  profileName: string,
  revoke?: Omit<KeyAtServer, 'url' | 'key'>,
): Promise<Profile> {
  const profile = profileNamed(await readProfiles(folders), profileName)
  if (!profile) throw new ClientError('NO_PROFILE', `There is no profile ${profileName}.`)
  const account = keyAccount(profileName, profile.url)
  if (revoke) {
    const key = await readKey(folders, account, profile.keyPlace)
    if (key) await revokeKey({ url: profile.url, key, ...revoke })
  }
  await removeKey(folders, account, profile.keyPlace)
  await removeProfile(folders, profileName)
  return profile
}
