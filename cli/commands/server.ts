/** `ph server`: `start` runs the companion server in the foreground, until Ctrl-C or SIGTERM; the others look after it. */
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunningServer } from '../../server/main.ts'
import { command, text } from '../command.ts'
import type { Context } from '../context.ts'
import { failed, wrongUsage } from '../refusal.ts'
import { backupCommands } from './server/backup.ts'
import { checkCommands } from './server/check.ts'
import { doctorCommands } from './server/doctor.ts'
import { keyCommands } from './server/keys.ts'
import { provisionCommands } from './server/provisioning.ts'
import { userCommands } from './server/users.ts'

const { readSettings, SettingError, settingsTable } = await import('../../server/config.ts')

const settings = settingsTable.map(
  ([name, fallback, meaning]) => [fallback ? `${name}, default ${fallback}` : name, meaning] as const,
)

export const groups = { user: 'The people of a workspace', key: 'The keys of a workspace' }

export const commands = [
  command({
    usage: 'server start',
    summary: 'Start the server and keep it running',
    description:
      'When it can answer, it prints a line with "ready at http://…". Logs go to stderr: plain lines on a terminal, JSON lines elsewhere. Without settings it keeps everything in ./ph-data and listens on this machine only.',
    options: {
      host: text('--host <address>', 'address to listen on (default 127.0.0.1; 0.0.0.0 for every network)'),
      port: text('--port <n>', 'port to listen on (default 7410; 0 takes a free one)'),
      data: text('--data <folder>', 'where the embedded database and the files are kept (PH_DATA)'),
      provision: text('--provision <file>', 'JSON file with workspaces, members and keys, applied at every start (PH_PROVISION)'),
    },
    terms: { title: 'Settings in the environment', list: settings },
    examples: [
      ['server start --provision team.json', 'start with the workspaces and keys of a file'],
      ['server start --port 0 --data /srv/props', 'on a free port, with its data elsewhere'],
    ],
    async run(context, flags) {
      const chosen = settingsFor(context, flags)
      const { startServer } = await import('../../server/main.ts')
      const starting = startServer({ settings: chosen })
      const running = await Promise.race([starting, aborted(context.signal)]).catch((error: unknown) => {
        throw startFailure(error, chosen)
      })
      if (!running) return giveUp(starting)
      context.out.result({ url: running.url }, readyWords(context, chosen, running.url))
      if (running.setupAddress) context.out.note(setupWords(running.setupAddress))
      const failure = await Promise.race([running.failed, aborted(context.signal)])
      await running.stop()
      if (failure !== undefined) throw failed('SERVER_STOPPED', failure, 'Let only one server run on the folder.')
      return undefined
    },
  }),
  ...doctorCommands,
  ...checkCommands,
  ...backupCommands,
  ...provisionCommands,
  ...userCommands,
  ...keyCommands,
]

async function aborted(signal: AbortSignal): Promise<undefined> {
  if (!signal.aborted) await once(signal, 'abort')
  return undefined
}

const longestGiveUpMs = 5_000

/** Asked to end before it was ready: it ends in order where that is soon, else in the middle, as when it is killed; both can be started again. */
async function giveUp(starting: Promise<RunningServer>): Promise<undefined> {
  const ended = starting.then((running) => running.stop()).catch(() => {})
  await Promise.race([ended, sleep(longestGiveUpMs)])
}

/** Scripts wait for the first line. A person at a terminal reads more. */
function readyWords({ out }: Context, { publicUrl, dataDir }: Settings, url: string): string[] {
  const ready = `ready at ${url}`
  if (!out.terminal) return [ready]
  return [
    `Prop House is ${ready}`,
    ...(publicUrl ? [`  People reach it at ${publicUrl}`] : []),
    `  Its data is in ${dataDir}`,
    '  Ctrl-C stops it.',
  ]
}

/** The address holds a code that makes the one who opens it the owner, so it is shown only here. */
const setupWords = (address: string): string =>
  `No workspace is here yet. Make one, and yourself its owner, at this address; it works once:\n\n  ${address}\n`

type Flags = Parameters<typeof readSettings>[0]
type Settings = ReturnType<typeof readSettings>

function settingsFor({ env, cwd }: Context, flags: Flags): Settings {
  try {
    return readSettings(flags, env, cwd)
  } catch (error) {
    throw startFailure(error)
  }
}

/** What keeps a server from starting is nearly always a setting or another program: say which. */
function startFailure(error: unknown, settings?: Settings): Error {
  if (error instanceof SettingError) return wrongUsage(error.message, 'Every setting is in `ph help server start`.')
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
  const address = `${settings?.host}:${settings?.port}`
  if (code === 'EADDRINUSE')
    return failed(
      'PORT_IN_USE',
      `Another program listens on ${address}.`,
      'Choose another port with --port, or --port 0 for a free one.',
    )
  if (code === 'EACCES' || code === 'EADDRNOTAVAIL')
    return failed('PORT_REFUSED', `This machine does not let ph listen on ${address}.`, 'Choose another --host or --port.')
  return failed(
    'SERVER_NOT_STARTED',
    error instanceof Error ? error.message : String(error),
    'Fix that and start it again. Every setting is in `ph help server start`.',
  )
}
