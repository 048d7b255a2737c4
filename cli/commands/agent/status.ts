/** `ph agent status`. */
import { readVersion } from '../../../client/version.ts'
import type { AgentProject, AgentStatus } from '../../../contract/agent.ts'
import type { AgentSender } from '../../../contract/agent-senders.ts'
import { exits } from '../../../contract/errors.ts'
import { printable } from '../../../system/printable.ts'
import { shellWord } from '../../../system/shell-word.ts'
import { command } from '../../command.ts'
import type { Context } from '../../context.ts'
import { age, count, duration, moment, timeLeft } from '../../terminal/amounts.ts'
import { wrap, wrapAfter } from '../../terminal/wrap.ts'
import { allowCommand, senderWords } from './senders.ts'
import { askAgent } from './workspace.ts'

export const statusCommands = [
  command({
    usage: 'agent status',
    summary: 'Say how the agent, its projects and its mirror are',
    description: 'The exit code is 3 while no agent runs, and 1 when it has no valid sign-in.',
    examples: [
      ['agent status', 'in words'],
      ['agent status --json | jq .mirror.lag_seconds', 'for a program'],
    ],
    async run(context) {
      const { api } = await askAgent(context)
      const status = await api.agent.status()
      // An agent of an older version knows none; that it is older is said.
      const { senders } = await api.agentSenders.list().catch(() => ({ senders: [] }))
      context.out.result(status, () => [...words(status, context), ...senderLines(senders, context)])
      return status.state === 'signed_out' ? exits.failed : undefined
    },
  }),
]

/** Those who wait for an answer. */
function senderLines(senders: readonly AgentSender[], { out }: Context): string[] {
  const asked = senders.filter(({ answer, jobs }) => answer === null && jobs.length > 0)
  return asked.flatMap((one) => [
    '',
    ...wrapAfter('? ', `${senderWords(one)} You have not said whether it may arrive.`, out.width),
    ...wrapAfter('    ', allowCommand(one), out.width),
  ])
}

const states: Record<AgentStatus['state'], string> = {
  running: 'runs',
  paused: 'is paused',
  offline: 'runs, and does not reach the server',
  signed_out: 'runs, and its key is no longer valid: sign in with `ph login`, and it goes on by itself',
}

function words(status: AgentStatus, context: Context): string[] {
  const { out, now } = context
  const { pid, state, server, person, started_at, paused_until } = status
  const until = state === 'paused' && paused_until !== null ? `, until ${moment(paused_until)}` : ''
  const who = person ? ` as ${printable(person.display_name || person.name)}` : ''
  return [
    `The agent ${states[state]}${until}.`,
    ...wrap(`process ${pid}, started ${age(started_at, now())}, for ${printable(server)}${who}`, out.width, '  ').map((line) =>
      out.paint('dim', line),
    ),
    '',
    ...projectLines(status.projects, context),
    '',
    ...mirrorLines(status),
    ...versionLines(status, context),
    ...partLines(status, context),
  ]
}

function projectLines(projects: readonly AgentProject[], { out }: Context): string[] {
  if (projects.length === 0) return ['It looks after no project. Link one: ph agent link <folder>']
  return projects.flatMap((project) => {
    const { project_key, root, editor, accepts_imports, takes_away, auto_checkout, plugin, watching, imports } = project
    const facts = [
      editor ? `editor ${printable(editor.engine_version ?? 'open')}` : 'no editor',
      accepts_imports ? 'takes imports' : 'takes no imports',
      ...(takes_away ? ['takes old files away'] : []),
      ...(auto_checkout ? ['checks out at the first save'] : []),
      ...(plugin ? [pluginWords(plugin, project)] : []),
      ...watchingWords(watching),
    ]
    const head = `${out.paint('bold', printable(project_key))}  ${printable(root)}`
    return [head, ...wrap(facts.join(' · '), out.width, '  '), ...importLines(imports).flatMap((line) => wrap(line, out.width))]
  })
}

/** An editor may have it from its engine's folder. */
function pluginWords({ state, version, available }: NonNullable<AgentProject['plugin']>, { root, editor }: AgentProject): string {
  const bring = printable(`ph agent plugin ${shellWord(root)}`)
  if (state === 'missing') return editor ? `plugin ${printable(editor.plugin_version ?? 'of its own')}` : `no plugin: ${bring}`
  const is = `plugin ${printable(version ?? '')}`.trimEnd()
  if (state === 'old') return `${is}, and this ph brings a later one, ${printable(available)}: ${bring}`
  return state === 'changed' ? `${is}, with files that were changed` : is
}

function watchingWords({ state, files, modified, outdated, held }: AgentProject['watching']): string[] {
  if (state === 'off') return []
  if (state === 'looking') return ['first look under way']
  return [
    count(files, 'file'),
    ...(modified > 0 ? [`${modified} modified`] : []),
    ...(outdated > 0 ? [`${outdated} outdated`] : []),
    ...(held > 0 ? [`${held} held by others`] : []),
  ]
}

const importWords: Record<NonNullable<AgentProject['imports']['last']>['state'], string> = {
  running: 'arrives',
  asking: 'waits for an answer',
  waiting: 'waits',
  done: 'arrived',
  failed: 'failed',
  given_up: 'was given up',
}

function importLines({ running, waiting, last }: AgentProject['imports']): string[] {
  const why = (message: string | null) => (message === null ? '' : `: ${printable(message)}`)
  if (running) {
    const { job_id, state, files, total_files, message } = running
    const how = state === 'running' ? `: ${files} of ${count(total_files, 'file')}` : why(message)
    return [`  job ${job_id} ${importWords[state]}${how}`]
  }
  const waits = waiting > 0 ? [`  ${count(waiting, 'job waits', 'jobs wait')}`] : []
  return last ? [...waits, `  job ${last.job_id} ${importWords[last.state]}${why(last.message)}`] : waits
}

const mirrorWords: Record<AgentStatus['mirror']['state'], string> = {
  loading: 'is being loaded',
  current: 'is as the library',
  behind: 'has changes to read',
  offline: 'waits for the server',
  failed: 'failed',
}

function mirrorLines({ state: status, mirror: { state, entries, lag_seconds } }: AgentStatus): string[] {
  const lag =
    lag_seconds !== null && lag_seconds > 0 && state !== 'current' ? `, last current ${duration(lag_seconds * 1000)} ago` : ''
  const how = status === 'paused' && state === 'offline' ? 'rests' : mirrorWords[state]
  return [`The mirror ${how}${lag}: ${count(entries, 'entry', 'entries')}`]
}

function versionLines({ version }: AgentStatus, { out }: Context): string[] {
  const here = readVersion()
  if (version === here) return []
  return wrapAfter('! ', `The agent is ph ${printable(version)}, and this is ${here}. Restart it: ph agent restart`, out.width)
}

/** Those that wait, and why; all is well where none does. */
function partLines({ parts }: AgentStatus, { now, out }: Context): string[] {
  return parts
    .filter(({ state }) => state === 'waiting')
    .flatMap(({ name, message, next_try_at }) => {
      const again = next_try_at === null ? '' : ` Tried again in ${timeLeft(next_try_at, now())}.`
      return wrapAfter('! ', `${name} failed: ${printable(message ?? '')}${again}`, out.width)
    })
}
