/** Approving the sign-in of a terminal. Looking decides nothing; deciding takes a form of ours and a button of its own. */
import { ApiError } from '../../../contract/errors.ts'
import { approveSignIn, denySignIn, findWaiting, type WaitingSignIn } from '../../accounts/device-approval.ts'
import { findOutcome } from '../../accounts/device-outcome.ts'
import { networkOf } from '../../accounts/throttle.ts'
import { type Answer, show } from '../answer.ts'
import { type Returned, refused, returned } from '../form-check.ts'
import { DeviceCodePage, DeviceDecisionPage, DeviceOutcomePage, type DeviceRequest } from '../views/device.tsx'
import type { PersonVisit } from '../visit.ts'

export const device = {
  async 'GET /device'(visit: PersonVisit): Promise<Answer> {
    const typed = visit.query('code')
    return typed === '' ? codeForm(visit, '') : look(visit, typed)
  },

  async 'POST /device'(visit: PersonVisit): Promise<Answer> {
    const typed = visit.field('code')
    const decision = visit.field('decision')
    if (decision === 'approve') return approve(visit, typed)
    if (decision !== 'deny') return look(visit, typed, returned([{ message: 'Nothing is decided yet: press Approve or Deny.' }]))
    await unlessOver(denySignIn(visit.sql, entry(visit, typed)))
    return { to: pageOf(visit, typed) }
  },
}

/** What can no longer be decided is no failure here: the page that follows says what became of it. */
async function unlessOver(decision: Promise<void>): Promise<void> {
  await decision.catch((error: unknown) => {
    if (!isOver(error)) throw error
  })
}

const isOver = (error: unknown): boolean =>
  error instanceof ApiError && ['NOT_FOUND', 'CONFLICT', 'DEVICE_EXPIRED'].includes(error.code)

const entry = ({ session, now }: PersonVisit, userCode: string) => ({ userCode, accountId: session.accountId, now })

const pageOf = ({ frame }: PersonVisit, typed: string): string => frame.at(`/device?code=${encodeURIComponent(written(typed))}`)

/** As programs show it: `BCDF-GHJK`. */
function written(typed: string): string {
  const letters = typed.toUpperCase().replaceAll(/[^A-Z]/g, '')
  return letters.length === 8 ? `${letters.slice(0, 4)}-${letters.slice(4)}` : typed.slice(0, 40)
}

/** What waits under the code, or what became of it; `wrong` is what keeps it from being decided. */
async function look(visit: PersonVisit, typed: string, wrong: Partial<Returned> = {}): Promise<Answer> {
  try {
    return decisionForm(visit, { typed, waiting: await findWaiting(visit.sql, entry(visit, typed)), ...wrong })
  } catch (error) {
    const outcome = isOver(error) && (await findOutcome(visit.sql, entry(visit, typed)))
    if (outcome) return show(DeviceOutcomePage, { frame: visit.frame, ...outcome })
    return codeForm(visit, typed, refused(error, { NOT_FOUND: 'code', RATE_LIMITED: null }))
  }
}

/** The scope goes with the form: what is approved is what was shown. */
async function approve(visit: PersonVisit, typed: string): Promise<Answer> {
  const chosen = visit.memberships.find(({ workspace }) => workspace.slug === visit.field('workspace'))
  const choose = { field: 'workspace', message: 'Choose the workspace it may sign in to.' }
  if (!chosen) return look(visit, typed, returned([choose]))
  const scope = visit.field('scope') === 'write' ? 'write' : 'read'
  await unlessOver(approveSignIn(visit.sql, { ...entry(visit, typed), workspaceId: chosen.workspace.id, scope }))
  return { to: pageOf(visit, typed) }
}

const codeForm = ({ frame }: PersonVisit, code: string, { problems = [], ...more }: Partial<Returned> = {}): Answer =>
  show(DeviceCodePage, { frame, code, problems }, more)

interface Looked extends Partial<Returned> {
  typed: string
  waiting: WaitingSignIn
}

function decisionForm(
  { frame, now, memberships, visitor, field }: PersonVisit,
  { typed, waiting, problems = [], ...more }: Looked,
): Answer {
  const { clientName, scope, requestedFrom, requestedAt, expiresAt, requestedWorkspaceId } = waiting
  const request: DeviceRequest = {
    userCode: written(typed),
    clientName,
    scope,
    address: requestedFrom,
    isSameAddress: networkOf(requestedFrom) === networkOf(visitor.address),
    createdAt: requestedAt,
    expiresAt,
  }
  const requested = memberships.find(({ workspace }) => workspace.id === requestedWorkspaceId)?.workspace.slug
  const chosen = field('workspace') || requested
  return show(DeviceDecisionPage, { frame, request, now, chosen, problems }, more)
}
