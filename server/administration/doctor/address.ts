/** A look at the address by which clients reach the server: presigned addresses and pages are made with it. */

import { isPlainHttp } from '../../../contract/plain-http.ts'
import { type Finding, fine, note, warning } from '../../../system/finding.ts'
import type { Settings } from '../../config.ts'

const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|::1)$/
const patienceMs = 4000

/** `isRunning`: there is a server that should answer there. */
export async function lookAtAddress(settings: Settings, isRunning: boolean): Promise<Finding[]> {
  const { publicUrl } = settings
  if (publicUrl === undefined) return [lookAtNone(settings)]
  const url = new URL(publicUrl)
  const found: Finding[] = []
  if (isPlainHttp(publicUrl))
    found.push(
      warning(
        'public address',
        `${publicUrl} is not encrypted: keys and passwords can be read on the way.`,
        'Put a proxy with TLS before the server, and https:// into PH_PUBLIC_URL.',
      ),
    )
  if (url.protocol === 'https:' && settings.trustedProxies === 0)
    found.push(
      warning(
        'proxy',
        'PH_PUBLIC_URL begins with https://, which a proxy answers, but PH_TRUST_PROXY is off: all people seem to come from one address, and share its rate limits.',
        'Set PH_TRUST_PROXY, if nobody reaches the server past the proxy.',
      ),
    )
  return isRunning
    ? [...found, await lookThere(publicUrl)]
    : [...found, note('public address', `${publicUrl}; it is checked while the server runs.`)]
}

const lookAtNone = ({ host }: Settings): Finding =>
  loopback.test(host)
    ? note(
        'public address',
        'PH_PUBLIC_URL is not set: addresses are made with the host name of each request. The server listens on this machine only.',
      )
    : warning(
        'public address',
        `PH_PUBLIC_URL is not set, and the server listens on ${host}: addresses are made with the host name of each request.`,
        'Set PH_PUBLIC_URL to the address that people use.',
      )

async function lookThere(publicUrl: string): Promise<Finding> {
  const next = 'Check DNS, the proxy and the firewall. From this machine it may fail where it works from others.'
  try {
    const response = await fetch(`${publicUrl}/healthz`, { signal: AbortSignal.timeout(patienceMs), redirect: 'manual' })
    await response.body?.cancel()
    if (response.ok && response.headers.get('x-ph-api') !== null)
      return fine('public address', `A Prop House server answers at ${publicUrl}.`)
    return warning('public address', `What answers at ${publicUrl} is not this server (status ${response.status}).`, next)
  } catch (error) {
    const cause = error instanceof Error ? (error.cause as NodeJS.ErrnoException | undefined) : undefined
    return warning('public address', `${publicUrl} could not be reached (${cause?.code ?? (error as Error).name}).`, next)
  }
}
