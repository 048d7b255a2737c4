/** The agent as a service of this person, started when they sign in to the machine: what is written for each system, and what is run. */
import { homedir } from 'node:os'
import { join } from 'node:path'
import { withoutEnd } from '../../system/text/text-end.ts'

export interface ServiceProgram {
  /** Absolute path of the Node that runs it, and of bin/ph.mjs. */
  node: string
  script: string
  /** Behind `ph`. */
  args: readonly string[]
  /** PH_STATE_DIR and the like, where they are set. */
  env: Readonly<Record<string, string>>
}

export interface ServiceDefinition {
  /** Where the system looks for it. */
  path: string
  /** Its bytes. */
  content: Buffer
  /** Commands that make the system know and start it, and those that end and forget it, each with its arguments. */
  install: readonly (readonly string[])[]
  uninstall: readonly (readonly string[])[]
}

const description = 'Prop House desktop agent'
const unitName = 'prop-house-agent.service'
const label = 'io.prop-house.agent'
const taskName = 'Prop House agent'

interface Machine {
  platform: NodeJS.Platform
  env: Readonly<Record<string, string | undefined>>
  /** The agent's folder, which exists. */
  dir: string
  uid: number
}

/** Undefined where the system has no such thing that `ph` knows. */
export function serviceFor(program: ServiceProgram, machine: Machine): ServiceDefinition | undefined {
  if (machine.platform === 'linux') return systemdUnit(program, machine)
  if (machine.platform === 'darwin') return launchdAgent(program, machine)
  if (machine.platform === 'win32') return scheduledTask(program, machine)
  return undefined
}

const homeOf = ({ env }: Machine): string => env.HOME || homedir()

/** systemd.syntax(7), systemd.service(5): quotes, `%` specifiers and `$` variables are escaped. */
function systemdUnit({ node, script, args, env }: ServiceProgram, machine: Machine): ServiceDefinition {
  const folder = join(machine.env.XDG_CONFIG_HOME || join(homeOf(machine), '.config'), 'systemd', 'user')
  const quoted = (text: string) => `"${text.replaceAll(/["\\]/g, '\\$&').replaceAll('%', '%%')}"`
  // In the name of the program a `$` stands for itself.
  const command = [quoted(node), ...[script, ...args].map((one) => quoted(one).replaceAll('$', '$$$$'))].join(' ')
  const lines = [
    '[Unit]',
    `Description=${description}`,
    '',
    '[Service]',
    `ExecStart=${command}`,
    ...Object.entries(env).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`),
    'Restart=on-failure',
    'RestartSec=10',
    // Wrong usage, no sign-in, and another agent that runs already: starting again changes nothing.
    'RestartPreventExitStatus=2 4 5',
    '',
    '[Install]',
    'WantedBy=default.target',
    '',
  ]
  const systemctl = (...words: string[]) => ['systemctl', '--user', ...words]
  return {
    path: join(folder, unitName),
    content: Buffer.from(lines.join('\n')),
    install: [systemctl('daemon-reload'), systemctl('enable', '--now', unitName)],
    uninstall: [systemctl('disable', '--now', unitName)],
  }
}

const xml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** launchd.plist(5). */
function launchdAgent({ node, script, args, env }: ServiceProgram, machine: Machine): ServiceDefinition {
  const path = join(homeOf(machine), 'Library', 'LaunchAgents', `${label}.plist`)
  const strings = [node, script, ...args].map((one) => `    <string>${xml(one)}</string>`)
  const variables = Object.entries(env).map(([name, value]) => `    <key>${xml(name)}</key><string>${xml(value)}</string>`)
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    '<dict>',
    `  <key>Label</key><string>${label}</string>`,
    '  <key>ProgramArguments</key>',
    '  <array>',
    ...strings,
    '  </array>',
    ...(variables.length > 0 ? ['  <key>EnvironmentVariables</key>', '  <dict>', ...variables, '  </dict>'] : []),
    '  <key>RunAtLoad</key><true/>',
    '  <key>KeepAlive</key><dict><key>Crashed</key><true/></dict>',
    '  <key>ThrottleInterval</key><integer>10</integer>',
    `  <key>StandardErrorPath</key><string>${xml(join(machine.dir, 'launchd.log'))}</string>`,
    '</dict>',
    '</plist>',
    '',
  ]
  const domain = `gui/${machine.uid}`
  return {
    path,
    content: Buffer.from(lines.join('\n')),
    install: [['launchctl', 'bootstrap', domain, path]],
    uninstall: [['launchctl', 'bootout', `${domain}/${label}`]],
  }
}

/** Task Scheduler schema 1.2; `schtasks` reads UTF-16. A window would stay open: the script host starts it without one. */
function scheduledTask({ node, script, args, env }: ServiceProgram, { dir }: Machine): ServiceDefinition {
  const path = join(dir, 'agent-task.xml')
  // Backslashes before a quote are doubled.
  const doubled = (part: string) => part + part.slice(withoutEnd(part, '\\').length)
  const quoted = (text: string) => `"${text.split('"').map(doubled).join('\\"')}"`
  // A task has no environment of its own.
  const set = Object.entries(env).map(([name, value]) => `set "${name}=${value.replaceAll('%', '%%')}"&& `)
  const line = `/d /s /c "${set.join('')}${[node, script, ...args].map(quoted).join(' ')}"`
  const lines = [
    '<?xml version="1.0" encoding="UTF-16"?>',
    '<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">',
    `  <RegistrationInfo><Description>${description}</Description></RegistrationInfo>`,
    '  <Triggers><LogonTrigger><Enabled>true</Enabled></LogonTrigger></Triggers>',
    '  <Settings>',
    '    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>',
    '    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>',
    '    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>',
    '    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>',
    '    <RestartOnFailure><Interval>PT1M</Interval><Count>10</Count></RestartOnFailure>',
    '    <Hidden>true</Hidden>',
    '  </Settings>',
    `  <Actions><Exec><Command>cmd.exe</Command><Arguments>${xml(line)}</Arguments></Exec></Actions>`,
    '</Task>',
    '',
  ]
  return {
    path,
    content: Buffer.from(`\ufeff${lines.join('\r\n')}`, 'utf16le'),
    install: [
      ['schtasks', '/Create', '/TN', taskName, '/XML', path, '/F'],
      ['schtasks', '/Run', '/TN', taskName],
    ],
    uninstall: [
      ['schtasks', '/End', '/TN', taskName],
      ['schtasks', '/Delete', '/TN', taskName, '/F'],
    ],
  }
}
