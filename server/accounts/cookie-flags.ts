/** The flags of the cookies that the server sets: the session's, and what the pages keep. */
import type { FastifyRequest } from 'fastify'
import type { Settings } from '../config.ts'

/**
 * HttpOnly: no program in a browser reads it. SameSite=Lax: it does not come with forms of other sites. Secure where the server is reached
 * over HTTPS: never over an open line.
 */
export function cookieFlags({ protocol }: FastifyRequest, { publicUrl }: Settings) {
  const secure = protocol === 'https' || (publicUrl?.startsWith('https:') ?? false)
  return { path: '/', httpOnly: true, sameSite: 'lax', secure } as const
}
