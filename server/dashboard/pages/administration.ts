/** What owners and admins look after: what is stored, what can go, what may not be pushed, which addresses are told. */
import { type SweepKind, sweepKinds } from '../../../contract/admin.ts'
import { limits } from '../../../contract/limits.ts'
import { inTransaction } from '../../database/transaction.ts'
import { writeRefusal } from '../../front-door/states.ts'
import { selectFigures } from '../../storage/counting/figures.ts'
import { allow, deny, selectDenylist, selectDenylisted } from '../../storage/denylist.ts'
import { selectDeliveries, selectWebhooks } from '../../webhooks/endpoint-rows.ts'
import { selectLooks, sweep } from '../../work/sweep.ts'
import { type Answer, show } from '../answer.ts'
import { type Returned, refused, returned } from '../form-check.ts'
import type { Notice } from '../notices.ts'
import { PageFailure } from '../page-failure.ts'
import { AdministrationPage } from '../views/administration.tsx'
import { WebhookPage } from '../views/webhooks.tsx'
import type { MemberVisit } from '../visit.ts'

export const administration = {
  'GET /administration': (visit: MemberVisit): Promise<Answer> => page(visit),

  async 'POST /administration/denylist'(visit: MemberVisit): Promise<Answer> {
    const { sql, now, membership } = visit
    const typed = { value: visit.field('value'), note: visit.field('note') }
    const kind = kindOf(typed.value)
    if (kind === undefined || typed.note.length > limits.note) return page(visit, { typed, ...returned(problemsOf(typed)) })
    const denial = { kind, value: typed.value.toLowerCase(), note: typed.note || null, created_by: membership.person.id, now }
    const { id } = membership.workspace
    return changing(visit, { notice: 'denied', at: '#denylist', field: 'value', typed }, () => {
      visit.services.database.requireRoom()
      return inTransaction(sql, (inside) => deny(inside, id, denial), id)
    })
  },

  async 'POST /administration/denylist/:id/remove'(visit: MemberVisit): Promise<Answer> {
    const id = Number(visit.param('id'))
    const known = Number.isSafeInteger(id) && id > 0 ? id : 0
    return changing(visit, { notice: 'allowed', at: '#denylist' }, () => allow(visit.sql, visit.membership.workspace.id, known))
  },

  /** The dry run, or what follows it. */
  async 'POST /administration/sweeps'(visit: MemberVisit): Promise<Answer> {
    const [kind, act] = [visit.field('kind'), visit.field('act')]
    if (!isKind(kind) || (act !== 'look' && act !== 'remove'))
      return page(visit, returned([{ message: 'The form did not say what to do. Send it once more.' }]))
    const notice = act === 'look' ? 'looked' : 'swept'
    const { sql, now, membership, services } = visit
    const sweeping = { sql, workspaceId: membership.workspace.id, now, files: services.storage.uncounted }
    return changing(visit, { notice, at: '#sweeps' }, () => sweep(sweeping, { kind, dry_run: act === 'look' }))
  },

  async 'GET /administration/webhooks/:id'(visit: MemberVisit): Promise<Answer> {
    const { sql, membership, frame, now } = visit
    const { id } = membership.workspace
    const webhook = (await selectWebhooks(sql, id, sql`order by w.id`)).find((one) => String(one.id) === visit.param('id'))
    if (!webhook)
      throw new PageFailure(404, {
        title: 'No such webhook',
        message: 'No webhook of this workspace has this address. It may be deleted already.',
        link: { page: '/administration', words: 'See the webhooks' },
      })
    const deliveries = await selectDeliveries(sql, id, { id: webhook.id, limit: limits.page.default })
    return show(WebhookPage, { frame, now, webhook, deliveries })
  },
}

const isKind = (text: string): text is SweepKind => (sweepKinds as readonly string[]).includes(text)

function kindOf(value: string): 'content_hash' | 'package_guid' | undefined {
  if (/^[0-9a-f]{64}$/i.test(value)) return 'content_hash'
  return /^[0-9a-f]{32}$/i.test(value.replaceAll(/[-{}]/g, '')) ? 'package_guid' : undefined
}

interface Typed {
  value: string
  note: string
}

const problemsOf = ({ value, note }: Typed) => [
  ...(kindOf(value)
    ? []
    : [{ field: 'value', message: 'Enter the SHA-256 of a file, 64 hex digits, or the GUID of a package, 32.' }]),
  ...(note.length > limits.note ? [{ field: 'note', message: `Say why in up to ${limits.note} characters.` }] : []),
]

interface Change {
  notice: Notice
  /** Where on the page it is seen. */
  at: string
  /** Beside which field a conflict is said. */
  field?: string
  typed?: Typed
}

/** Pages work in every state of the workspace; what they change follows the same rules as for programs. */
async function changing(visit: MemberVisit, { notice, at, field, typed }: Change, act: () => Promise<unknown>): Promise<Answer> {
  try {
    const refusal = writeRefusal(visit.membership.workspace)
    if (refusal) throw refusal
    await act()
  } catch (error) {
    const said = { FORBIDDEN: null, UNAVAILABLE: null, NOT_FOUND: null, DRY_RUN_REQUIRED: null, CONFLICT: field ?? null }
    return page(visit, { ...(typed ? { typed } : {}), ...refused(error, said) })
  }
  visit.browser.leaveNotice(notice)
  return { to: visit.frame.at(`/administration${at}`) }
}

async function page(
  visit: MemberVisit,
  { problems = [], typed = { value: '', note: '' }, ...more }: Partial<Returned> & { typed?: Typed } = {},
): Promise<Answer> {
  const { sql, now, frame, browser, membership } = visit
  const where = { workspaceId: membership.workspace.id, now }
  const [figures, denied, denylist, webhooks, looks] = await Promise.all([
    selectFigures(sql, where),
    selectDenylisted(sql, where.workspaceId),
    selectDenylist(sql, where.workspaceId),
    selectWebhooks(sql, where.workspaceId, sql`order by w.id`),
    selectLooks(sql, where),
  ])
  const facts = { figures, denied, denylist, webhooks, looks }
  return show(AdministrationPage, { frame, now, notice: browser.notice, problems, typed, ...facts }, more)
}
