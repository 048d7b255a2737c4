/** A token for a plan: who was shown what a call would do, and may carry out that call, with these arguments, once, within ten minutes. */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { ToolRefusal } from './refusal.ts'
import { own, type Said } from './said.ts'

export const planMinutes = 10

/** What a token is bound to. `secret` never leaves the server, or the process on a person's machine. */
export interface Planned {
  secret: string
  person: string
  tool: string
  input: unknown
}

/** A plan that is carried out: its id, and until when its token holds. */
export interface Plan {
  id: string
  expiresAt: string
}

/** Says that a plan is carried out now; false where it was before. */
export type SpendPlan = (plan: Plan) => Promise<boolean>

export function issuePlanToken(planned: Planned, now: Date): { token: string; expiresAt: string } {
  const id = randomBytes(12).toString('base64url')
  const expiresMs = now.getTime() + planMinutes * 60_000
  const said = `${expiresMs.toString(36)}.${id}`
  return { token: `${said}.${signature(planned, said)}`, expiresAt: new Date(expiresMs).toISOString() }
}

/** Throws VALIDATION where the token is not of this call, or its time is over. Whether it was used is the other half (`SpendPlan`). */
export function requirePlanToken(token: string, planned: Planned, now: Date): Plan {
  const [time = '', id = '', signed = ''] = token.split('.')
  const expiresMs = Number.parseInt(time, 36)
  const expected = Buffer.from(signature(planned, `${time}.${id}`))
  const given = Buffer.from(signed)
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw refused(own`belongs to another call: its arguments, its tool or its person differ`)
  if (!(now.getTime() < expiresMs)) throw refused(own`is older than ${planMinutes} minutes`)
  return { id, expiresAt: new Date(expiresMs).toISOString() }
}

/** The plans of one process, which nobody else could carry out. */
export function spendPlanHere(now: () => Date): SpendPlan {
  const spent = new Map<string, number>()
  return async ({ id, expiresAt }) => {
    for (const [old, expiresMs] of spent) if (expiresMs < now().getTime()) spent.delete(old)
    if (spent.has(id)) return false
    spent.set(id, Date.parse(expiresAt))
    return true
  }
}

/** Also where the call failed: what it did until then is not known here. */
export const planWasSpent = (): ToolRefusal => refused(own`was used already, and is good once. Look first what that call did`)

const refused = (why: Said): ToolRefusal =>
  new ToolRefusal('VALIDATION', own`The plan_token ${why}. Call the tool again without plan_token for a new plan.`, {
    errors: [{ path: 'plan_token', message: why.text }],
  })

function signature({ secret, person, tool, input }: Planned, said: string): string {
  const args = createHash('sha256').update(canonical(input)).digest('hex')
  return createHmac('sha256', secret).update([person, tool, args, said].join('\n')).digest('base64url')
}

/** The same text for the same value, in whatever order its keys came. */
const canonical = (value: unknown): string => JSON.stringify(inOrder(value)) ?? 'null'

/** Itself where it is in order already: most of what is sent is. */
function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items = value.map(inOrder)
    return items.every((one, at) => one === value[at]) ? value : items
  }
  const fields = value as Record<string, unknown>
  const keys = Object.keys(fields)
  const inner = new Map(keys.map((key) => [key, inOrder(fields[key])]))
  const isInOrder = keys.every((key, at) => (at === 0 || (keys[at - 1] as string) < key) && inner.get(key) === fields[key])
  return isInOrder ? value : Object.fromEntries(keys.sort().map((key) => [key, inner.get(key)]))
}
