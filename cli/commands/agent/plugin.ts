/** `ph agent plugin`. */
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { ClientError } from '../../../client/client-error.ts'
import { findAgent } from '../../../client/desktop/agent.ts'
import { type ChangedPlugin, installPlugin, removePlugin } from '../../../client/desktop/plugin-install.ts'
import { type PluginStanding, pluginPlace, pluginStanding } from '../../../client/desktop/plugin-standing.ts'
import { findDescriptor, isProject, readEngineVersion } from '../../../client/project/unreal-project.ts'
import { printable } from '../../../system/printable.ts'
import { command, flag } from '../../command.ts'
import { foldersOf } from '../../connection.ts'
import type { Context } from '../../context.ts'
import { wrongUsage } from '../../refusal.ts'

export const pluginCommands = [
  command({
    usage: 'agent plugin <folder>',
    summary: 'Put the plugin for the Unreal editor into a project, or update it',
    description:
      'Writes `Plugins/PropHouse` of the project: Python that the editor runs by itself (5.1 or newer), nothing to compile. An older one is updated. Files of it that someone changed are replaced with --force only. Needs no agent and no sign-in; it may go into version control with the project.',
    arguments: { folder: 'the folder of the project, or its .uproject file' },
    options: {
      check: flag('--check', 'only say whether the project has it, and whether it is old'),
      remove: flag('--remove', 'take it away'),
      force: flag('--force', 'also where files of it were changed, or it is newer than this one; a copy is kept'),
    },
    examples: [
      ['agent plugin .', 'the project in this folder'],
      ['agent plugin ~/Tavern/Tavern.uproject --check', 'look, and change nothing'],
      ['agent plugin . --remove', 'without it again'],
    ],
    exits: ['conflict'],
    async run(context, { folder, check, remove, force }) {
      if (check && (remove || force)) throw wrongUsage('--check changes nothing.', 'Leave out --remove and --force, or --check.')
      const root = projectAt(resolve(context.cwd, folder))
      const path = join(root, pluginPlace)
      if (check) {
        const standing = pluginStanding(root)
        context.out.result(documentOf(path, standing), standingWords(path, standing))
        return undefined
      }
      const change = { force, now: context.now() }
      const done = remove ? removePlugin(root, change) : await installPlugin(root, change)
      const runs = remove || (await findAgent(foldersOf(context)).catch(() => undefined)) !== undefined
      const now = pluginStanding(root)
      const copy = done.copy === null ? [] : [`What was there is kept in ${printable(join(root, done.copy))}.`]
      context.out.result({ ...documentOf(path, now), before: done.before.version, done: done.isDone, copy: done.copy }, () =>
        remove
          ? [...removedWords(path, done), ...copy]
          : [...installedWords(path, done), ...copy, ...engineWords(root), ...nextWords(runs, context)],
      )
      return undefined
    },
  }),
]

/** Throws ClientError `PATH_NOT_FOUND`, `NO_PROJECT`. */
function projectAt(path: string): string {
  const folder = /\.uproject$/i.test(path) ? dirname(path) : path
  if (!existsSync(path)) throw new ClientError('PATH_NOT_FOUND', `There is no ${printable(path)}.`)
  if (isProject(folder)) return folder
  throw new ClientError('NO_PROJECT', `${printable(folder)} holds no .uproject.`, {
    next: 'Name the folder of an Unreal project, or its .uproject file.',
  })
}

const documentOf = (path: string, { state, version, available, changed }: PluginStanding) => ({
  path,
  state,
  version,
  available,
  changed,
})

function standingWords(path: string, { state, version, available, changed }: PluginStanding): string {
  const is = `${printable(path)} holds version ${printable(version ?? 'unknown')}`
  const words: Record<PluginStanding['state'], string> = {
    missing: `The project does not have the plugin. This ph brings ${available}.`,
    current: `${is}, as this ph brings it.`,
    old: `${is}. This ph brings a later one, ${available}: the command without --check puts it there.`,
    newer: `${is}, which is newer than the ${available} of this ph.`,
    changed: `${is}, with files that someone changed: ${printable(changed.join(', '))}. This ph brings ${available}.`,
  }
  return words[state]
}

function installedWords(path: string, { before: { version, available }, isDone }: ChangedPlugin): string[] {
  if (!isDone) return [`The plugin is there already, version ${available}: ${printable(path)}`]
  const from = version === null || version === available ? '' : `, which was ${printable(version)}`
  return [`The plugin is in its place, version ${available}${from}: ${printable(path)}`]
}

const removedWords = (path: string, { isDone }: ChangedPlugin): string[] => [
  isDone ? `The plugin is gone from ${printable(dirname(path))}.` : 'The project did not have the plugin.',
]

const oldestEngine = [5, 1] as const

/** What a project says of its engine; a build from sources says nothing that could be compared. */
function engineWords(root: string): string[] {
  const descriptor = findDescriptor(root)
  const [major = 0, minor = 0] = (descriptor && readEngineVersion(descriptor))?.split('.').map(Number) ?? oldestEngine
  const isOld = major < oldestEngine[0] || (major === oldestEngine[0] && minor < oldestEngine[1])
  return isOld
    ? [`The project says that its engine is ${major}.${minor}; the plugin needs ${oldestEngine.join('.')} or newer.`]
    : []
}

function nextWords(runs: boolean, { out }: Context): string[] {
  return [
    'Start the editor, or start it again if it is open: the menu Prop House stands in its menu bar.',
    ...(runs
      ? []
      : [`The editor speaks to the agent of this machine, which does not run: ${out.paint('cyan', 'ph agent start')}`]),
  ]
}
