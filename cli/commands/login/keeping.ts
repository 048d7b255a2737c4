/** A key that was issued or given: tried at its address, then kept; one that cannot be kept is not left behind on the server. */

import { ClientError } from '../../../client/client-error.ts'
import type { KeyPlace } from '../../../client/sign-in/credentials.ts'
import { type IssuedKey, issuerOf } from '../../../client/sign-in/device-sign-in.ts'
import { profileNameFor, readProfiles } from '../../../client/sign-in/profile.ts'
import { dropKey } from '../../../client/sign-in/revocation.ts'
import { askIdentity, keepSignIn, type NewSignIn, type Replaced } from '../../../client/sign-in/sign-in.ts'
import { ApiError, exits } from '../../../contract/errors.ts'
import type { Identity } from '../../../contract/identity.ts'
import { shellWord } from '../../../system/shell-word.ts'
import { clientName, foldersOf } from '../../connection.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../refusal.ts'
import { tellWaits } from '../../terminal/waits.ts'
import { askYesOrNo } from '../../terminal/yes-or-no.ts'

/** What `ph login --json` prints. */
export interface ToldSignIn extends Identity {
  url: string
  profile: string
  key_place: KeyPlace
}

export interface SignedIn {
  told: ToldSignIn
  replaced: Replaced | undefined
}

/** Keeps what came of an approval in the browser. Throws ClientError `OTHER_ADDRESS` when it is for another server than was asked. */
export async function takeIssuedKey(
  context: Context,
  { askedUrl, issued, keyPlace }: { askedUrl: string; issued: IssuedKey; keyPlace: KeyPlace },
): Promise<SignedIn> {
  const { url, key } = issued
  try {
    await confirmAddress(context, askedUrl, url)
    const identity = await identityOf(context, url, key)
    return await keep(context, { url, askedUrl, key, identity, keyPlace, origin: 'device' })
  } catch (error) {
    await dropKey({ url: issuerOf(askedUrl, url), key })
    throw error
  }
}

/** Keeps what a person handed over. The place is asked for once the key is known to be good. */
export async function takeGivenKey(
  context: Context,
  { url, key, keyPlace }: { url: string; key: string; keyPlace: () => Promise<KeyPlace> },
): Promise<SignedIn> {
  const identity = await identityOf(context, url, key).catch((error: unknown) => {
    throw explained(error, url)
  })
  return keep(context, { url, key, identity, keyPlace: await keyPlace(), origin: 'given' })
}

const identityOf = (context: Context, url: string, key: string): Promise<Identity> => {
  const { signal, pause } = context
  return askIdentity({ url, key, clientName: clientName(), signal, pause, onWait: tellWaits(context) })
}

async function keep(context: Context, signIn: Omit<NewSignIn, 'profileName' | 'now'>): Promise<SignedIn> {
  const folders = foldersOf(context)
  const { url, identity, keyPlace } = signIn
  const profileName = context.globals.profile ?? profileNameFor(await readProfiles(folders), { url, slug: identity.org.slug })
  const { replaced } = await keepSignIn(folders, { ...signIn, profileName, now: context.now() })
  return { told: { ...identity, url, profile: profileName, key_place: keyPlace }, replaced }
}

/** A server may say that a key is for another one. Nobody's key travels there unasked. */
async function confirmAddress(context: Context, askedUrl: string, url: string): Promise<void> {
  if (new URL(askedUrl).origin === new URL(url).origin) return
  const question = `${askedUrl} says that the key is for another address: ${url}. Use it there?`
  if (context.interactive && (await askYesOrNo(context, question, false))) return
  throw new ClientError('OTHER_ADDRESS', `${askedUrl} issued a key for another address, ${url}. It is revoked again.`, {
    next: `If that address is yours, sign in there: \`ph login --url ${shellWord(url)}\`.`,
  })
}

/** Who has just given a key and an address is told to look at these. */
function explained(error: unknown, url: string): unknown {
  if (!(error instanceof ApiError)) return error
  const { code, message, details } = error
  if (code === 'NOT_FOUND') {
    const next = 'The name of the workspace stands after /w/ in the address.'
    return new Refusal({ code, exit: exits.failed, message, details, next })
  }
  if (code !== 'UNAUTHORIZED') return error
  const next = 'Paste the whole key, make a new one on the keys page of the workspace, or run `ph login` without --with-key.'
  return new Refusal({ code, exit: exits.signIn, message: `${url} does not know this key.`, details, next })
}
