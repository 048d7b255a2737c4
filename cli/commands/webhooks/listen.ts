/** `ph webhooks listen`: events as webhooks send them, to a receiver on this machine, until Ctrl-C. */
import { type ChaosKind, chaosKinds } from '../../../client/webhooks/chaos.ts'
import { limits } from '../../../contract/limits.ts'
import { printable } from '../../../system/printable.ts'
import { command, text, value, values } from '../../command.ts'
import { clientName } from '../../connection.ts'
import type { Context } from '../../context.ts'
import { type Library, withLibrary } from '../../library.ts'
import { wrongUsage } from '../../refusal.ts'
import { typesMeant } from '../activity/event-types.ts'
import { followingWords } from '../activity/words.ts'
import { heardLine, sinceMeant } from './words.ts'

const pollMs = 1000

export const listenCommand = command({
  usage: 'webhooks listen',
  summary: 'Send events to a receiver on this machine, as a webhook would, until Ctrl-C',
  description:
    'Follows what happens in the library and sends each event on with the body, the headers and a signature of a webhook. Nothing is registered, and any key will do. What fails is said and not tried again; --since sends it again.',
  options: {
    forwardTo: text('--forward-to <url>', 'where the receiver listens; without it events are only shown'),
    event: values('--event <type>', 'only this type, or all that begin so (repeatable)', typesMeant),
    since: value('--since <when>', 'begin with what happened since: 12h, 7d, or a moment', sinceMeant),
    chaos: values('--chaos <kinds>', 'what may go wrong on the way, with commas between them (repeatable)', chaosMeant),
  },
  terms: {
    title: 'Chaos',
    list: [
      ['dup', 'an event comes twice, under one delivery id'],
      ['reorder', 'later events overtake it'],
      ['delay', 'it comes up to 3 seconds late, and what follows with it'],
      ['drop', 'one in ten never comes'],
      ['PH_WEBHOOK_SECRET', 'in the environment: the secret to sign with; without it one is made and shown'],
    ],
  },
  examples: [
    ['webhooks listen --forward-to http://127.0.0.1:3000/hook', 'what happens from now on'],
    [
      'webhooks listen --forward-to http://127.0.0.1:3000/hook --since 7d --chaos dup,reorder',
      'see what the receiver makes of that',
    ],
    ['webhooks listen --json | jq -c .event', 'the bodies as a webhook would send them'],
  ],
  async run(context, { forwardTo, event, since, chaos }) {
    const target = forwardTo === undefined ? undefined : addressOf(forwardTo)
    if (chaos.length > 0 && target === undefined)
      throw wrongUsage('--chaos needs a receiver: without --forward-to nothing is sent.', 'Add --forward-to.')
    const options = { target, types: [...new Set(event.flat())], since: since?.(context.now()), chaos: new Set(chaos.flat()) }
    await withLibrary(context, (library) => follow(context, library, options))
    return undefined
  },
})

interface Options {
  target: string | undefined
  types: readonly string[]
  since: Date | undefined
  chaos: ReadonlySet<ChaosKind>
}

/** Ends by its signal only. */
async function follow(context: Context, { api, connection: { url, key } }: Library, options: Options): Promise<void> {
  const { out, signal, pause, env } = context
  const [{ createApi }, { Http }, { eventBefore, listen }, { randomBytes }] = await Promise.all([
    import('../../../client/http/api.ts'),
    import('../../../client/http/http.ts'),
    import('../../../client/webhooks/listening.ts'),
    import('node:crypto'),
  ])
  const secret = secretFrom(env) ?? `whsec_${randomBytes(32).toString('base64url')}`
  if (options.target !== undefined && !env.PH_WEBHOOK_SECRET) out.note(`Signed with ${secret}`)
  if (options.target !== undefined) out.note(`Sending to ${printable(options.target)}. Stop with Ctrl-C.`)
  // A server that is away is waited for here, without end, and told once.
  const http = new Http({ url, key, clientName: clientName(), signal, pause, retryForMs: 0 })
  try {
    await listen(api, {
      poll: createApi(http),
      types: options.types,
      recent: 0,
      after: options.since && (await eventBefore(api, options.since)),
      everyMs: pollMs,
      pause,
      signal,
      forwardTo: options.target,
      secret,
      chaos: options.chaos,
      random: Math.random,
      now: context.now,
      tell: (state) => out.note(followingWords(state, 'Waiting for it.')),
      heard: (heard) => out.event(heard, () => [heardLine(heard)]),
    })
  } finally {
    await http.close('destroy')
  }
}

function secretFrom({ PH_WEBHOOK_SECRET: secret }: Record<string, string | undefined>): string | undefined {
  if (!secret || secret.length >= limits.webhook.minSecret) return secret || undefined
  throw wrongUsage('PH_WEBHOOK_SECRET is too short.', `It takes ${limits.webhook.minSecret} characters at least.`)
}

function addressOf(given: string): string {
  if (URL.canParse(given) && ['http:', 'https:'].includes(new URL(given).protocol)) return given
  throw wrongUsage(`--forward-to does not take "${given}".`, 'Write the whole address, such as http://127.0.0.1:3000/hook.')
}

function chaosMeant(given: string): ChaosKind[] {
  return given.split(',').map((word) => {
    const kind = chaosKinds.find((one) => one === word.trim().toLowerCase())
    if (kind) return kind
    throw wrongUsage(`--chaos does not take "${word}".`, `It takes ${chaosKinds.join(', ')}, with commas between them.`)
  })
}
