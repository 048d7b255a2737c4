/** `ph config`: what a person sets once. */
import { changeKept } from '../../client/settings/change.ts'
import { type Effective, effective } from '../../client/settings/effective.ts'
import { type Kept, readKept, settingsFile } from '../../client/settings/kept.ts'
import { type Setting, settingNamed, settings } from '../../client/settings/known.ts'
import { printable } from '../../system/printable.ts'
import { shellWord } from '../../system/shell-word.ts'
import { command } from '../command.ts'
import { foldersOf } from '../connection.ts'
import type { Context } from '../context.ts'
import { nearNames } from '../entries/near-names.ts'
import { wrongUsage } from '../refusal.ts'
import { table } from '../terminal/table.ts'

const nameArgument = `one of ${settings.map(({ name }) => name).join(', ')}`

export const commands = [
  command({
    usage: 'config list',
    summary: 'List the settings, and where the value of each comes from',
    description:
      'What is given on the command line goes before the environment, the environment before the file, the file before the default.',
    examples: [
      ['config list', 'all of them'],
      ['config list --json', 'also with what each takes'],
    ],
    async run(context) {
      const file = fileOf(context)
      const kept = readKept(file)
      const rows = settings.map((setting) => ({
        ...rowOf(setting, kept, context),
        meaning: setting.meaning,
        takes: setting.takes,
      }))
      const unknown = Object.keys(kept).filter((name) => !settingNamed(name))
      context.out.result({ settings_file: file, settings: rows, unknown_settings: unknown }, () => [
        ...table(
          rows,
          [
            { title: 'SETTING', value: ({ name }) => name },
            { title: 'VALUE', value: ({ value }) => value ?? '-', cut: 'end' },
            { title: 'FROM', value: ({ source, variable }) => (source === 'environment' ? variable : fromWords[source]) },
            { title: 'MEANING', value: ({ meaning }) => meaning, cut: 'end', spare: true },
          ],
          context.out,
        ),
        ...(context.out.terminal ? ['', context.out.paint('dim', `The file: ${printable(file)}`)] : []),
        ...(unknown.length > 0 ? [`The file also sets ${unknown.map(printable).join(', ')}, which this ph does not know.`] : []),
      ])
      return undefined
    },
  }),
  command({
    usage: 'config get <setting>',
    summary: 'Print the value that holds, alone on its line',
    arguments: { setting: nameArgument },
    examples: [['config get cache-size', 'for a script']],
    async run(context, { setting: name }) {
      const row = rowOf(requireSetting(name), readKept(fileOf(context)), context)
      context.out.result(row, () => (row.value === null ? [] : [printable(row.value)]))
      return undefined
    },
  }),
  command({
    usage: 'config set <setting> <value>',
    summary: 'Set it for every run of ph from now on',
    arguments: { setting: nameArgument, value: 'as `ph config list --json` says what it takes' },
    terms: { title: 'Settings', list: settings.map(({ name, meaning, takes }) => [name, `${meaning}: ${takes}`] as const) },
    examples: [
      ['config set cache-size 50G', 'more room for files that projects share'],
      ['config set editor "code --wait"', 'where comments are written'],
      ['config set pictures off', 'words only'],
    ],
    async run(context, { setting: name, value: given }) {
      const setting = requireSetting(name)
      const value = requireValue(setting, given)
      const before = await changeKept(fileOf(context), (kept) => ({ ...kept, [setting.name]: value }))
      const row = changedRow(setting, before, context)
      context.out.result(row, `${setting.name} is ${printable(value)} from now on.${overruled(row)}`)
      return undefined
    },
  }),
  command({
    usage: 'config unset <setting>',
    summary: 'Go back to the default',
    arguments: { setting: nameArgument },
    examples: [['config unset cache-size', 'as it was before it was set']],
    async run(context, { setting: name }) {
      const setting = requireSetting(name)
      const before = await changeKept(fileOf(context), ({ [setting.name]: _gone, ...others }) => others)
      const row = changedRow(setting, before, context)
      const now = row.value === null ? 'has no value now' : `is ${printable(row.value)} now`
      context.out.result(row, `${setting.name} ${now}.${overruled(row)}`)
      return undefined
    },
  }),
]

const fromWords = { config: 'the file', default: 'default' } as const

const fileOf = (context: Context): string => settingsFile(foldersOf(context))

type Row = Effective & { name: string; variable: string; default: string | null }

/** The environment as it was, without what the file put there. */
function rowOf(setting: Setting, kept: Kept, { env, fromSettings }: Context): Row {
  const own = fromSettings?.has(setting.variable) ? {} : env
  const { name, variable, usual } = setting
  return { name, ...effective(setting, kept, own), variable, default: usual }
}

function changedRow(setting: Setting, before: Kept, context: Context): Row & { previous: string | null } {
  const previous = before[setting.name]
  const row = rowOf(setting, readKept(fileOf(context)), context)
  return { ...row, previous: typeof previous === 'string' ? previous : null }
}

const overruled = ({ source, variable, value }: Row): string =>
  source === 'environment' ? ` ${variable} is set in the environment and goes before it: ${printable(value ?? '')}.` : ''

/** What people look for here, and where it is decided. */
const elsewhere: Readonly<Record<string, string>> = {
  ...{ server: 'login', url: 'login', address: 'login', key: 'login', profile: 'login', workspace: 'login' },
}

function requireSetting(name: string): Setting {
  const setting = settingNamed(name)
  if (setting) return setting
  const known = settings.map((one) => one.name)
  const near = nearNames(name, known).slice(0, 2)
  const message = `There is no setting ${printable(name)}.`
  if (Object.hasOwn(elsewhere, name.toLowerCase()))
    throw wrongUsage(message, 'Server, workspace and key are those of a sign-in: `ph login`, and `ph whoami --all` lists them.')
  const meant = near.length > 0 ? `Did you mean ${near.map((one) => `\`${one}\``).join(' or ')}? ` : ''
  throw wrongUsage(message, `${meant}\`ph config list\` shows all: ${known.join(', ')}.`)
}

function requireValue({ name, takes, read, usual }: Setting, given: string): string {
  const value = read(given)
  if (value !== undefined) return value
  throw wrongUsage(
    `${name} does not take ${given === '' ? 'an empty value' : `"${printable(given).slice(0, 200)}"`}; it takes ${takes}.`,
    `Write it like this: \`ph config set ${name} ${shellWord(usual ?? (name === 'project' ? 'Tavern' : 'code --wait'))}\``,
  )
}
