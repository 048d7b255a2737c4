/** Where clients reach this server, for the addresses in answers. */
import type { FastifyRequest } from 'fastify'
import { Refusal } from '../../serving/refusal.ts'
import type { Settings } from '../config.ts'

/** A name, an IPv4 address or an IPv6 address in brackets, with a port or without (RFC 9110 section 7.2). */
const hostPattern = /^(?:[a-z0-9](?:[a-z0-9._-]{0,252}[a-z0-9])?\.?|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i

/**
 * PH_PUBLIC_URL, or what the request was sent to. A proxy's word on the protocol counts where proxies are trusted; X-Forwarded-Host never
 * does, because proxies pass on what clients wrote there.
 */
export function originOf(request: FastifyRequest, { publicUrl }: Pick<Settings, 'publicUrl'>): string {
  if (publicUrl !== undefined) return publicUrl
  const host = request.headers.host ?? hostOf(request.socket)
  const protocol = request.protocol === 'https' ? 'https' : 'http'
  return `${protocol}://${host}`
}

/** What an old client that names no host has reached. */
const hostOf = ({ localAddress = '', localPort }: FastifyRequest['socket']): string =>
  `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`

/** A request that names no host, or several, is refused, before the name could stand in an answer (RFC 9112 section 3.2). */
export function refuseOddHost({ headers: { host }, raw: { rawHeaders } }: Pick<FastifyRequest, 'headers' | 'raw'>): void {
  if (host === undefined) return
  if (!hostPattern.test(host) || timesNamed(rawHeaders) > 1)
    throw new Refusal(400, 'The Host header of the request names no host, or it came twice.')
}

/** Node keeps the first of several. Names and values alternate in the list. */
function timesNamed(rawHeaders: readonly string[]): number {
  let times = 0
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') times++
  return times
}
