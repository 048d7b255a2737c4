/** `ph agent install`, `uninstall`: the agent as a service of this person. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { agentScript } from '../../../client/desktop/launch.ts'
import { type ServiceDefinition, serviceFor } from '../../../client/desktop/service.ts'
import { agentFolder } from '../../../client/folders.ts'
import { shellWord } from '../../../system/shell-word.ts'
import { command, flag } from '../../command.ts'
import { foldersOf, requireConnection } from '../../connection.ts'
import type { Context } from '../../context.ts'
import { failed } from '../../refusal.ts'
import { agentSettings } from './running.ts'

export const serviceCommands = [
  command({
    usage: 'agent install',
    summary: 'Start the agent whenever you sign in to this machine',
    description:
      'A systemd user unit on Linux, a launchd agent on macOS, a scheduled task on Windows: of yours alone, without administrator rights.',
    options: { print: flag('--print', 'only print what would be written') },
    terms: { title: 'Settings', list: agentSettings },
    examples: [
      ['agent install', 'from now on'],
      ['agent install --print', 'see it first'],
    ],
    async run(context, { print }) {
      const service = definition(context, await profileArgs(context))
      if (print) {
        const text = service.content.toString(process.platform === 'win32' ? 'utf16le' : 'utf8')
        context.out.result({ path: service.path, content: text, commands: service.install }, () => text.trimEnd().split('\n'))
        return undefined
      }
      mkdirSync(dirname(service.path), { recursive: true })
      writeFileSync(service.path, service.content)
      const ran = runAll(service.install)
      context.out.result({ path: service.path, installed: ran.ok, commands: service.install }, () =>
        ran.ok
          ? `The agent starts whenever you sign in, and runs now (${service.path}).`
          : [`${service.path} is written, but ${ran.said}`, 'Run this where you are signed in:', ...service.install.map(asLine)],
      )
      return ran.ok ? undefined : 1
    },
  }),
  command({
    usage: 'agent uninstall',
    summary: 'Start the agent by itself no more',
    examples: [['agent uninstall', 'and end the one that runs as a service']],
    async run(context) {
      const service = definition(context, [])
      const wasThere = existsSync(service.path)
      if (wasThere) runAll(service.uninstall)
      rmSync(service.path, { force: true })
      context.out.result({ path: service.path, uninstalled: wasThere }, () =>
        wasThere ? 'The agent starts by itself no more.' : 'It was not installed.',
      )
      return undefined
    },
  }),
]

/** A service has no key of the environment: it needs a sign-in that is kept. */
async function profileArgs(context: Context): Promise<string[]> {
  const { keySource, profileName } = await requireConnection(context)
  if (keySource === 'environment' || profileName === undefined)
    throw failed('NOT_SIGNED_IN', 'A service cannot use the key of PH_API_KEY.', 'Sign in with `ph login`, then install it.')
  return ['--profile', profileName]
}

function definition(context: Context, args: readonly string[]): ServiceDefinition {
  const { env, fromSettings } = context
  const dir = agentFolder(foldersOf(context))
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const kept = ['PH_CONFIG_DIR', 'PH_STATE_DIR', 'PH_CACHE_DIR', ...agentSettings.map(([name]) => name)]
  // What the file of settings says, the service reads there by itself.
  const own = kept.flatMap((name) => (env[name] && !fromSettings?.has(name) ? [[name, env[name]] as const] : []))
  const program = {
    node: process.execPath,
    script: agentScript(),
    args: ['agent', 'run', ...args],
    env: Object.fromEntries(own),
  }
  const service = serviceFor(program, { platform: process.platform, env, dir, uid: process.getuid?.() ?? 0 })
  if (service) return service
  throw failed('NO_SERVICES', `ph knows no services of ${process.platform}.`, 'Start it with `ph agent start` when you need it.')
}

const asLine = (words: readonly string[]): string => `  ${words.map(shellWord).join(' ')}`

function runAll(commands: ServiceDefinition['install']): { ok: boolean; said: string } {
  for (const [program = '', ...args] of commands) {
    const { status, error, stderr } = spawnSync(program, args, { encoding: 'utf8', timeout: 30_000, windowsHide: true })
    if (error || status !== 0)
      return {
        ok: false,
        said: `${program} says: ${(error?.message ?? stderr ?? '').trim().split('\n')[0] || `it ended with ${status}`}`,
      }
  }
  return { ok: true, said: '' }
}
