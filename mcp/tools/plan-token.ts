/** A token for a plan: who was shown what a call would do, and may carry out that call, with these arguments, for ten minutes. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { ApiError } from '../../contract/errors.ts'

export const planMinutes = 10

/** What a token is bound to. `secret` never leaves the server, or the process on a person's machine. */
export interface Planned {
  secret: string
  person: string
  tool: string
  input: unknown
}

export function issuePlanToken(planned: Planned, now: Date): { token: string; expiresAt: string } {
  const expiresMs = now.getTime() + planMinutes * 60_000
  return { token: `${expiresMs.toString(36)}.${signature(planned, expiresMs)}`, expiresAt: new Date(expiresMs).toISOString() }
}

/** Throws VALIDATION where the token is not of this call, or its time is over. */
export function requirePlanToken(token: string, planned: Planned, now: Date): void {
  const [time = '', signed = ''] = token.split('.')
  const expiresMs = Number.parseInt(time, 36)
  const expected = Buffer.from(signature(planned, expiresMs))
  const given = Buffer.from(signed)
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw refused('belongs to another call: its arguments, its tool or its person differ')
  if (!(now.getTime() < expiresMs)) throw refused(`is older than ${planMinutes} minutes`)
}

const refused = (why: string) =>
  new ApiError('VALIDATION', `The plan_token ${why}. Call the tool again without plan_token for a new plan.`, {
    errors: [{ path: 'plan_token', message: why }],
  })

function signature({ secret, person, tool, input }: Planned, expiresMs: number): string {
  const args = createHash('sha256').update(canonical(input)).digest('hex')
  return createHmac('sha256', secret).update([person, tool, args, expiresMs].join('\n')).digest('base64url')
}

/** The same text for the same value, in whatever order its keys came. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const fields = Object.entries(value).filter(([, one]) => one !== undefined)
  return `{${fields
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, one]) => `${JSON.stringify(key)}:${canonical(one)}`)
    .join(',')}}`
}
