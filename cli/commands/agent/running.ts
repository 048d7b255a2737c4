/** `ph agent run`, `start`, `stop`, `restart`, `pause`, `resume`. */

import { once } from 'node:events'
import type { RunningAgent } from '../../../agent/main.ts'
import { type FoundAgent, findAgent, isAgentSilent, silentNext } from '../../../client/desktop/agent.ts'
import { launchAgent, waitUntilGone } from '../../../client/desktop/launch.ts'
import type { Wire } from '../../../client/http/open-http.ts'
import { readVersion } from '../../../client/version.ts'
import { limits } from '../../../contract/limits.ts'
import { printable } from '../../../system/printable.ts'
import { shellWord } from '../../../system/shell-word.ts'
import { command, value } from '../../command.ts'
import { foldersOf, requireConnection, requireWire } from '../../connection.ts'
import type { Context } from '../../context.ts'
import { rememberChange } from '../../library.ts'
import { failed, wrongUsage } from '../../refusal.ts'
import { count, moment } from '../../terminal/amounts.ts'
import { shown } from '../../terminal/output.ts'
import { askAgent, askAgentIfThere, elsewhere, stayingWith, workspaceArgs } from './workspace.ts'

export const agentSettings = [
  ['PH_AGENT_NOTICES', '`off`: warnings and arrivals are shown in editors and events only, not on the desktop'],
  ['PH_PREVIEWS', '`off`: no previews are made of what editors check in'],
] as const

export const runningCommands = [
  command({
    usage: 'agent run',
    summary: 'Run the agent in the foreground, until Ctrl-C',
    description:
      'Says what it does on stderr, and in its log. `ph agent start` does the same in the background, `ph agent install` whenever you sign in to this machine.',
    terms: { title: 'Settings', list: agentSettings },
    examples: [
      ['agent run', 'see what it does'],
      ['agent run --profile client-a', 'for another workspace'],
    ],
    exits: ['conflict'],
    async run(context) {
      await runAgent(context)
      return undefined
    },
  }),
  command({
    usage: 'agent start',
    summary: 'Start the agent in the background',
    description: 'Does nothing when it runs already.',
    terms: { title: 'Settings', list: agentSettings },
    examples: [
      ['agent start', 'until it is stopped or the machine is'],
      ['agent start --json', 'with its process and address'],
    ],
    async run(context) {
      const there = await askAgentIfThere(context)
      const { presence, api } = there ?? (await start(context))
      const other = there && (await elsewhere(context, there))
      if (other)
        context.out.note(
          `ph works for ${printable(other)} now. To have the agent do so too: \`ph agent restart --url ${shellWord(other)}\`.`,
        )
      const { projects } = await api.agent.status()
      const runs = `The agent runs${there ? ' already' : ''}: process ${presence.pid}, for ${printable(presence.server)}.`
      const next =
        projects.length === 0
          ? 'Say which project it is to look after: ph agent link <folder>'
          : `It looks after ${count(projects.length, 'project')}.`
      context.out.result({ ...presence, started: !there }, `${runs} ${next}`)
      return undefined
    },
  }),
  command({
    usage: 'agent stop',
    summary: 'End the agent',
    description: 'What it was doing goes on when it is started again.',
    examples: [['agent stop', 'until you start it again']],
    async run(context) {
      const stopped = await stop(context)
      context.out.result({ stopped }, stopped ? 'The agent has ended.' : 'No agent was running.')
      return undefined
    },
  }),
  command({
    usage: 'agent restart',
    summary: 'End the agent and start it again, as after an update of ph',
    description: 'It works for the same workspace as before, unless --profile or --url names another one.',
    examples: [
      ['agent restart', 'with the version of ph that is here now'],
      ['agent restart --profile client-a', 'for another workspace'],
    ],
    async run(context) {
      const again = await stayingWith(context, await findAgent(foldersOf(context)))
      // What is wrong with the sign-in is said while the one that runs still does.
      await requireWire(again)
      await stop(context)
      const { presence } = await start(again)
      context.out.result(
        { ...presence, started: true },
        `The agent runs: process ${presence.pid}, for ${printable(presence.server)}.`,
      )
      return undefined
    },
  }),
  command({
    usage: 'agent pause',
    summary: 'Import, watch and mirror nothing for a while',
    options: { for: value('--for <time>', 'so long, such as 30m, 2h or 1d (default: until `ph agent resume`)', readMinutes) },
    examples: [
      ['agent pause --for 30m', 'during a demonstration'],
      ['agent pause', 'until you say otherwise'],
    ],
    async run(context, { for: minutes }) {
      const { api } = await askAgent(context)
      const status = await api.agent.pause(minutes === undefined ? {} : { minutes })
      const until = status.paused_until === null ? '`ph agent resume`' : moment(status.paused_until)
      context.out.result(status, `The agent pauses until ${until}.`)
      return undefined
    },
  }),
  command({
    usage: 'agent resume',
    summary: 'Go on after a pause, and try at once what failed',
    examples: [['agent resume', 'go on now']],
    async run(context) {
      const { api } = await askAgent(context)
      context.out.result(await api.agent.resume(), 'The agent goes on.')
      return undefined
    },
  }),
]

/** Begins anew when the key is no longer valid and someone has signed in again. */
async function runAgent(context: Context): Promise<void> {
  const { out, signal } = context
  for (let isFirst = true; ; isFirst = false) {
    const { signal: _ending, ...wire } = await requireWire(context)
    const running = await startWith(context, wire)
    if (isFirst) out.note(`The agent runs, for ${wire.url}. Ctrl-C ends it.`)
    const over = new AbortController()
    const ended = [running.asked, aborted(signal)].map((end) => end.then(() => 'end' as const))
    try {
      const why = await Promise.race([...ended, newKey(context, { running, key: wire.key, signal: over.signal })])
      if (why === 'end') return
    } finally {
      over.abort()
      await running.stop()
    }
  }
}

async function startWith(context: Context, { key, ...wire }: Wire): Promise<RunningAgent> {
  if (!key) throw failed('NO_KEY', `No key is known for ${wire.url}.`, 'Sign in with `ph login`.')
  const { stderr, env } = context
  const { startAgent } = await import('../../../agent/main.ts')
  const tell = env.PH_AGENT_QUIET ? undefined : (line: string) => stderr.write(shown(line))
  const chosen = { notices: env.PH_AGENT_NOTICES !== 'off', previews: env.PH_PREVIEWS !== 'off' }
  const remember = async (change: Parameters<typeof rememberChange>[1]) =>
    rememberChange(context, change, await requireConnection(context))
  const parts = { wire: { ...wire, leavesRoom: false, key }, version: readVersion(), remember }
  return startAgent({ ...parts, ...chosen, ...(tell ? { tell } : {}) })
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}

const lookForKeyMs = 3000

interface Signed {
  running: RunningAgent
  key: string | undefined
  signal: AbortSignal
}

/** Looks only while the server refuses the one that there is. */
async function newKey(context: Context, { running, key, signal }: Signed): Promise<'new key'> {
  for (;;) {
    await context.pause(lookForKeyMs, signal)
    if (running.agent.reach.state !== 'signed_out') continue
    const now = await requireWire(context).catch(() => undefined)
    if (now && now.key !== key) return 'new key'
  }
}

/** With the sign-in that this command has. */
async function start(context: Context): Promise<FoundAgent> {
  const { env, signal } = context
  return launchAgent({ folders: foldersOf(context), args: await workspaceArgs(context), env, signal })
}

async function stop(context: Context): Promise<boolean> {
  const folders = foldersOf(context)
  const found = await findAgent(folders)
  if (!found && isAgentSilent(folders)) throw failed('AGENT_NOT_ENDED', 'The agent runs, but does not answer.', silentNext)
  if (!found) return false
  await found.api.agent.stop()
  if (await waitUntilGone(folders, context.signal)) return true
  throw failed(
    'AGENT_NOT_ENDED',
    `The agent (process ${found.presence.pid}) was asked to end and still answers.`,
    'See what it does with `ph agent logs`; end the process if it does not come to an end.',
  )
}

const minutesIn: Record<string, number> = { m: 1, h: 60, d: 24 * 60 }
const mostMinutes = limits.agent.pauseMinutes

/** `30m`, `2h`, `1d` as minutes. */
function readMinutes(given: string): number {
  const [, amount = '', unit = ''] = /^(\d{1,5})([mhd])$/i.exec(given.trim()) ?? []
  const minutes = Number(amount) * (minutesIn[unit.toLowerCase()] ?? 0)
  if (minutes >= 1 && minutes <= mostMinutes) return minutes
  throw wrongUsage(`--for takes a time from 1m to ${mostMinutes / 24 / 60}d, not "${given}".`, 'For example: --for 30m')
}
