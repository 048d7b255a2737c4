/** `ph webhooks`: addresses that are told of events, and receivers that are tried out at a desk. */
import type { Api } from '../../client/http/api.ts'
import { ApiError, exits } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { type Webhook, webhookFormats } from '../../contract/webhooks.ts'
import { printable } from '../../system/printable.ts'
import { command, flag, text, value, values } from '../command.ts'
import { withLibrary } from '../library.ts'
import { choiceOf, wholeNumber, wrongUsage } from '../refusal.ts'
import { count, number } from '../terminal/amounts.ts'
import { confirmHarm, yesOption } from '../terminal/confirmation.ts'
import { typesMeant } from './activity/event-types.ts'
import { listenCommand } from './webhooks/listen.ts'
import { deliveryRows, sinceMeant, webhookLines, webhookRows } from './webhooks/words.ts'

const idArgument = 'its id, as `ph webhooks list` shows it'
const event = values('--event <type>', 'only this type, or all that begin so (repeatable)', typesMeant)
const format = value('--format <format>', 'json, or slack for chat programs', choiceOf('--format', webhookFormats))
const secretTerm = {
  title: 'Secret',
  list: [
    [
      'PH_WEBHOOK_SECRET',
      `in the environment: the secret to sign with, ${limits.webhook.minSecret} to ${limits.webhook.maxSecret} characters; without it one is made. It is shown once`,
    ],
  ] as const,
}

export const commands = [
  command({
    usage: 'webhooks list',
    summary: 'List webhooks, and how their deliveries go',
    examples: [
      ['webhooks list', 'which addresses are told of what'],
      ['webhooks list --json | jq ".webhooks[] | select(.deliveries.failed > 0).url"', 'those that missed something'],
    ],
    async run(context) {
      await withLibrary(context, async ({ api }) => {
        const { webhooks } = await api.webhooks.list()
        context.out.result({ webhooks }, () => (webhooks.length > 0 ? webhookRows(webhooks, context) : 'There are no webhooks.'))
      })
      return undefined
    },
  }),
  command({
    usage: 'webhooks create <url>',
    summary: 'Tell an address of events from now on',
    description:
      'The address is one on the public internet, beginning with https://. The secret is shown once: keep it at the receiver, which checks with it that a request comes from the library.',
    arguments: { url: 'where the receiver listens' },
    options: { event, format, paused: flag('--paused', 'send nothing yet; what happens meanwhile comes later') },
    terms: secretTerm,
    examples: [
      ['webhooks create https://ci.example.com/props --event push', 'new versions, for a build machine'],
      ['webhooks create https://hooks.slack.com/services/T0/B0/x --format slack --event review', 'reviews, for a channel'],
    ],
    async run(context, { url, event: types, format: chosen, paused }) {
      await withLibrary(context, async ({ api }) => {
        const made = await api.webhooks.create({
          url,
          ...wanted(types),
          ...secretOf(context.env),
          ...(chosen ? { format: chosen } : {}),
          active: !paused,
        })
        context.out.result(made, () => webhookLines(made))
        context.out.note(`The secret is not shown again. Try the receiver with \`ph webhooks test ${made.id}\`.`)
      })
      return undefined
    },
  }),
  command({
    usage: 'webhooks update <id>',
    summary: 'Change a webhook, pause it, or give it another secret',
    arguments: { id: idArgument },
    options: {
      to: text('--to <url>', 'another address'),
      event,
      allEvents: flag('--all-events', 'every type of event'),
      format,
      pause: flag('--pause', 'send nothing; what happens meanwhile comes later'),
      resume: flag('--resume', 'send again, what happened meanwhile first'),
      newSecret: flag(
        '--new-secret',
        'sign with another secret from now on: PH_WEBHOOK_SECRET, or one that is made; it is shown once',
      ),
    },
    terms: secretTerm,
    examples: [
      ['webhooks update 3 --pause', 'while its receiver is rebuilt'],
      ['webhooks update 3 --new-secret', 'the old one got around'],
    ],
    async run(context, { id, to, event: types, allEvents, format: chosen, pause, resume, newSecret }) {
      if (pause && resume) throw wrongUsage('--pause and --resume exclude each other.', 'Use one of them.')
      if (allEvents && types.length > 0) throw wrongUsage('--event and --all-events exclude each other.', 'Use one of them.')
      const changes = {
        ...(to === undefined ? {} : { url: to }),
        ...wanted(types),
        ...(allEvents ? { events: null } : {}),
        ...(chosen ? { format: chosen } : {}),
        ...(pause || resume ? { active: !pause } : {}),
        ...(newSecret ? { secret: secretOf(context.env).secret ?? (await newWebhookSecret()) } : {}),
      }
      if (Object.keys(changes).length === 0)
        throw wrongUsage('Nothing is to be changed.', 'Say what, as in `ph webhooks update 3 --pause`.')
      await withLibrary(context, async ({ api }) => {
        const changed = await api.webhooks.update({ webhook_id: webhookId(id), ...changes })
        context.out.result(changed, () => webhookLines(changed))
      })
      return undefined
    },
  }),
  command({
    usage: 'webhooks delete <id>',
    summary: 'Delete a webhook, and what is known of its deliveries',
    arguments: { id: idArgument },
    options: { yes: yesOption },
    examples: [['webhooks delete 3', 'asks first']],
    async run(context, { id, yes }) {
      await withLibrary(context, async ({ api }) => {
        const webhook = await requireWebhook(api, webhookId(id))
        const waits = webhook.deliveries.pending
        const lost =
          waits > 0 ? ` ${count(waits, 'delivery', 'deliveries')} that ${waits === 1 ? 'waits' : 'wait'} would not be sent.` : ''
        const plan = `The webhook to ${printable(webhook.url)} would be deleted.${lost}`
        await confirmHarm(context, { yes, plan, details: { webhook }, question: 'Delete it?' })
        await api.webhooks.remove({ webhook_id: webhook.id })
        context.out.result({ webhook }, `The webhook to ${printable(webhook.url)} is deleted.`)
      })
      return undefined
    },
  }),
  command({
    usage: 'webhooks test <id>',
    summary: 'Send a test to a webhook now, and say what it answered',
    arguments: { id: idArgument },
    examples: [['webhooks test 3', 'is the receiver there?']],
    async run(context, { id }) {
      return withLibrary(context, async ({ api }) => {
        const answer = await api.webhooks.test({ webhook_id: webhookId(id) })
        context.out.result(answer, () =>
          answer.delivered
            ? `It arrived, and was answered ${answer.status_code}.`
            : `It did not arrive. ${printable(answer.error ?? '')}`,
        )
        return answer.delivered ? exits.done : exits.failed
      })
    },
  }),
  command({
    usage: 'webhooks deliveries <id>',
    summary: 'List what was sent to a webhook, newest first, and what became of it',
    arguments: { id: idArgument },
    options: {
      limit: value(
        '--limit <n>',
        `at most so many (default ${limits.page.default})`,
        wholeNumber('--limit', limits.page.min, limits.page.max),
      ),
    },
    examples: [
      ['webhooks deliveries 3', 'why does the receiver hear nothing?'],
      ['webhooks deliveries 3 --json | jq ".deliveries[] | select(.status == \\"failed\\").event_id"', 'what it missed'],
    ],
    async run(context, { id, limit }) {
      await withLibrary(context, async ({ api }) => {
        const { deliveries } = await api.webhooks.deliveries({
          webhook_id: webhookId(id),
          ...(limit === undefined ? {} : { limit }),
        })
        context.out.result({ deliveries }, () =>
          deliveries.length > 0 ? deliveryRows(deliveries, context) : 'Nothing was sent yet.',
        )
      })
      return undefined
    },
  }),
  command({
    usage: 'webhooks replay <id>',
    summary: 'Send a webhook the events since a moment again',
    description:
      'Each event comes as a new delivery with the id that it had, so a receiver that remembers ids takes only what it missed.',
    arguments: { id: idArgument },
    options: { since: value('--since <when>', 'how long ago, as 12h or 7d, or a moment', sinceMeant) },
    examples: [
      ['webhooks replay 3 --since 7d', 'the receiver lost its database'],
      ['webhooks replay 3 --since 2026-11-26T08:00:00Z', 'from that moment on'],
    ],
    async run(context, { id, since }) {
      if (since === undefined)
        throw wrongUsage('From when on is not said.', 'Add --since, as in `ph webhooks replay 3 --since 7d`.')
      await withLibrary(context, async ({ api }) => {
        const { queued } = await api.webhooks.replay({ webhook_id: webhookId(id), since: since(context.now()).toISOString() })
        context.out.result({ queued }, `${count(queued, 'event')} ${queued === 1 ? 'is' : 'are'} sent again.`)
      })
      return undefined
    },
  }),
  listenCommand,
]

const wanted = (types: readonly string[][]) =>
  types.length > 0
    ? { events: [...new Set(types.flat())] as NonNullable<Parameters<Api['webhooks']['create']>[0]['events']> }
    : {}

const secretOf = ({ PH_WEBHOOK_SECRET: secret }: Record<string, string | undefined>) => (secret ? { secret } : {})

async function newWebhookSecret(): Promise<string> {
  const { randomBytes } = await import('node:crypto')
  return `whsec_${randomBytes(32).toString('base64url')}`
}

const webhookId = (given: string): number => wholeNumber('<id>', 1, Number.MAX_SAFE_INTEGER)(given)

async function requireWebhook(api: Api, id: number): Promise<Webhook> {
  const found = (await api.webhooks.list()).webhooks.find((one) => one.id === id)
  if (found) return found
  throw new ApiError('WEBHOOK_NOT_FOUND', `There is no webhook ${number(id)} in this workspace.`)
}
