/** Where to sign in: the address as given, or that of the profile, or a server on this machine. */

import { ClientError } from '../../../client/client-error.ts'
import { normalizeAddress } from '../../../client/sign-in/address.ts'
import { findProfileFor, readProfiles } from '../../../client/sign-in/profile.ts'
import { ApiError } from '../../../contract/errors.ts'
import { connectionChoice, foldersOf } from '../../connection.ts'
import type { Context } from '../../context.ts'
import { wrongUsage } from '../../refusal.ts'

/** Where `ph server start` listens unless it is told otherwise. */
const localServer = 'http://127.0.0.1:7410'
const localAnswerMs = 2000

/** Throws ClientError `WRONG_ADDRESS`, Refusal for wrong usage when there is none at all. */
export async function signInAddress(context: Context): Promise<string> {
  const { url, profile } = connectionChoice(context)
  if (url !== undefined) return normalizeAddress(url)
  const known = findProfileFor(await readProfiles(foldersOf(context)), { profile })
  if (known) return known.profile.url
  if (await answersHere(context)) {
    context.out.note(`No address was given; a server answers on this machine, at ${localServer}.`)
    return localServer
  }
  throw wrongUsage('ph does not know where to sign in.', 'Give the address: `ph login --url https://props.example.com/w/acme`.')
}

async function answersHere({ signal }: Context): Promise<boolean> {
  const { Http } = await import('../../../client/http/http.ts')
  const http = new Http({
    url: localServer,
    retryForMs: 0,
    signal: AbortSignal.any([signal, AbortSignal.timeout(localAnswerMs)]),
  })
  try {
    return (await http.store({ url: '/healthz' })) === 200
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof ClientError || error instanceof ApiError || error instanceof DOMException) return false
    throw error
  } finally {
    await http.close('destroy')
  }
}
