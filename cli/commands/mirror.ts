/** `ph mirror`: the catalog on this machine: how it is, bringing it up to date, loading it anew. */
import { type AgentApi, type FoundAgent, findAgent } from '../../client/desktop/agent.ts'
import type { MirrorNews } from '../../client/mirror/load/news.ts'
import type { Mirror } from '../../client/mirror/mirror.ts'
import { findConnection } from '../../client/sign-in/profile.ts'
import type { MirrorReport } from '../../contract/agent-mirror.ts'
import { command } from '../command.ts'
import { connectionChoice, foldersOf } from '../connection.ts'
import type { Context } from '../context.ts'
import { withLibrary } from '../library.ts'
import { age, count, number, size } from '../terminal/amounts.ts'

export const commands = [
  command({
    usage: 'mirror status',
    summary: 'Say how the mirror is',
    description:
      'The mirror holds the entries of the workspace with their tags, packs, check-outs and review states, so that `ph search`, `ph show`, `ph locks` and `ph history` answer without the server. The desktop agent keeps it up to date while it runs; without the agent, `ph mirror update` does.',
    examples: [
      ['mirror status', 'how many entries it holds, and how old it is'],
      ['mirror status --json | jq .lag_seconds', 'its age in seconds, for a script'],
    ],
    async run(context) {
      const { url } = await findConnection(foldersOf(context), connectionChoice(context))
      const { openMirror } = await import('../../client/mirror/mirror.ts')
      const mirror = openMirror(foldersOf(context), url)
      const agent = await keeperOf(context, url)
      try {
        await tell(context, mirror, agent && (await agent.api.agentMirror.get()))
      } finally {
        mirror.close()
      }
      return undefined
    },
  }),
  command({
    usage: 'mirror update',
    summary: 'Bring the mirror up to date, or load it where there is none',
    examples: [['mirror update', 'before a journey without a network']],
    run: (context) => write(context, { anew: false }, ({ agentMirror }) => agentMirror.get()),
  }),
  command({
    usage: 'mirror rebuild',
    summary: 'Load the mirror anew; what it holds serves until the new one is there',
    examples: [['mirror rebuild', 'when something in it seems wrong']],
    run: (context) => write(context, { anew: true }, ({ agentMirror }) => agentMirror.rebuild()),
  }),
]

/** The agent that runs, where it keeps the mirror of this workspace. */
async function keeperOf(context: Context, url: string): Promise<FoundAgent | undefined> {
  const agent = await findAgent(foldersOf(context))
  return agent?.presence.server === url ? agent : undefined
}

/** Brings it up to date, or has the agent do it that keeps it; says how it is afterwards. */
async function write(
  context: Context,
  { anew }: { anew: boolean },
  ask: (api: AgentApi) => Promise<MirrorReport>,
): Promise<undefined> {
  const { url } = await findConnection(foldersOf(context), connectionChoice(context))
  const agent = await keeperOf(context, url)
  if (agent) return tellAgents(context, await ask(agent.api))
  await withLibrary(context, async ({ api, connection }) => {
    const [{ openMirror }, { updateMirror }] = await Promise.all([
      import('../../client/mirror/mirror.ts'),
      import('../../client/mirror/update.ts'),
    ])
    const mirror = openMirror(foldersOf(context), connection.url)
    const { signal, pause } = context
    try {
      await updateMirror(mirror, api, { anew, signal, pause, tell: (news) => tellNews(context, news) })
      await tell(context, mirror)
    } finally {
      mirror.close()
    }
  })
  return undefined
}

function tellAgents({ out }: Context, report: MirrorReport): undefined {
  const entries = count(report.entries, 'entry', 'entries')
  const how = { loading: ', and loads it anew now', current: ', as the library has them', behind: '', offline: '', failed: '' }[
    report.state
  ]
  const isAway = report.state === 'offline' || report.state === 'failed'
  out.result(report, [
    `The desktop agent keeps the mirror: ${entries}${how}.`,
    ...(isAway ? ['It goes on with that when the server is reached and no pause holds it: see `ph agent status`.'] : []),
  ])
  return undefined
}

function tellNews({ out }: Context, news: MirrorNews): void {
  if (news.kind === 'loading')
    out.note(`${number(news.entries)}${news.total === undefined ? '' : ` of ${number(news.total)}`} entries`)
  if (news.kind === 'cut') out.note(`The answer was cut after ${count(news.entries, 'entry', 'entries')}.`)
  if (news.kind === 'pages') out.note('Reading page by page.')
  if (news.kind === 'reset') {
    const why = news.isSetBack ? 'The library was set back to an earlier state' : 'The change feed does not reach back so far'
    out.note(`${why}: the mirror is loaded anew.`)
  }
}

/** `kept`: as the agent that keeps it says. */
async function tell({ out, now }: Context, mirror: Mirror, kept?: MirrorReport): Promise<void> {
  const { mirrorReport } = await import('../../client/mirror/report.ts')
  const report = kept ?? mirrorReport(mirror, now().getTime())
  const as_of = mirror.syncedAt === undefined ? null : new Date(mirror.syncedAt).toISOString()
  const bytes = mirror.files.bytes()
  out.result({ ...report, as_of, bytes }, () =>
    as_of === null
      ? 'There is no mirror yet. Load it with `ph mirror update`.'
      : `${count(report.entries, 'entry', 'entries')}, ${size(bytes)}, ${kept?.state === 'current' ? 'as the library has them' : `as of ${age(as_of, now())}`}.`,
  )
}
