/** `ph mcp install`, `uninstall`: this program in the settings of an assistant, so that the assistant starts it. */
import { resolve } from 'node:path'
import { printable, printableLines } from '../../../system/printable.ts'
import { command, flag } from '../../command.ts'
import { requireConnection } from '../../connection.ts'
import type { Context } from '../../context.ts'
import { failed, wrongUsage } from '../../refusal.ts'
import { type Assistant, assistantsOf } from './assistants.ts'
import { projectOption, selectionArgs, selectionOf, selectionOptions } from './selection.ts'
import type { StartOrder } from './settings-file.ts'

const names = assistantsOf({})
const terms = { title: 'Clients', list: names.map(({ name, title }) => [name, title] as const) }
const dryRun = flag('--dry-run', 'only show what would be written')

export const installCommands = [
  command({
    usage: 'mcp install <client>',
    summary: 'Add Prop House to an assistant on this machine',
    description:
      'Writes into the settings of the assistant how it starts `ph mcp`, with the sign-in that you use now. Other servers and comments stay, and the file as it was before is kept beside it. A file that cannot be read is left as it is.',
    arguments: { client: 'one of the clients below' },
    options: { ...selectionOptions, project: projectOption, dryRun },
    terms,
    examples: [
      ['mcp install claude-desktop', 'then restart Claude Desktop'],
      ['mcp install claude-code --project ~/Unreal/Tavern', 'it may pull into this project and push from it, too'],
      ['mcp install cursor --read-only --dry-run', 'see what would be written, for an assistant that is only to look'],
    ],
    async run(context, { client, dryRun: isDry, project, ...selection }) {
      const assistant = assistantNamed(client, context)
      const args = [...selectionArgs(await selectionOf(selection)), ...(await projectArgs(context, project))]
      const order = await orderFor(context, assistant, args)
      const { changedText, readSettings, serverName, writeSettings } = await import('./settings-file.ts')
      const settings = await readSettings(assistant)
      const isThere = JSON.stringify(settings.known) === JSON.stringify(order)
      const copy = isThere || isDry ? undefined : await writeSettings(settings, changedText(settings, assistant.key, order))
      const result = { client, path: settings.path, server: order, changed: !isThere, dry_run: isDry, copy: copy ?? null }
      context.out.result(result, () => {
        if (isThere) return `${assistant.title} starts it already (${printable(settings.path)}).`
        if (isDry)
          return [
            `This would be in ${printable(settings.path)}:`,
            '',
            ...printableLines(JSON.stringify({ [assistant.key]: { [serverName]: order } }, null, 2)),
            '',
            'Nothing was written.',
          ]
        return [
          `${assistant.title} starts Prop House from now on (${printable(settings.path)}).`,
          ...copied(copy),
          assistant.next,
        ]
      })
      return undefined
    },
  }),
  command({
    usage: 'mcp uninstall <client>',
    summary: 'Take Prop House out of an assistant again',
    arguments: { client: 'one of the clients below' },
    options: { dryRun },
    terms,
    examples: [['mcp uninstall cursor', 'Cursor starts it no more']],
    async run(context, { client, dryRun: isDry }) {
      const assistant = assistantNamed(client, context)
      const { changedText, readSettings, writeSettings } = await import('./settings-file.ts')
      const settings = await readSettings(assistant)
      const isThere = settings.known !== undefined
      const copy = isThere && !isDry ? await writeSettings(settings, changedText(settings, assistant.key, undefined)) : undefined
      context.out.result({ client, path: settings.path, changed: isThere, dry_run: isDry, copy: copy ?? null }, () => {
        if (!isThere) return `${assistant.title} does not start it (${printable(settings.path)}).`
        if (isDry) return `It would be taken out of ${printable(settings.path)}. Nothing was written.`
        return [`${assistant.title} starts Prop House no more (${printable(settings.path)}).`, ...copied(copy)]
      })
      return undefined
    },
  }),
]

const copied = (copy: string | undefined): string[] => (copy ? [`The file as it was: ${printable(copy)}`] : [])

function assistantNamed(client: string, { env }: Context): Assistant {
  const found = assistantsOf(env).find(({ name }) => name === client.toLowerCase())
  if (found) return found
  throw wrongUsage(
    `ph knows no client "${client}".`,
    `It knows ${names.map(({ name }) => name).join(', ')}; others: docs/assistants.md.`,
  )
}

/** An assistant starts it anywhere, so the folders are written whole. Throws ClientError for one that holds no project. */
async function projectArgs({ cwd }: Context, folders: readonly string[]): Promise<string[]> {
  const { namedProject } = await import('../../../mcp/main.ts')
  return folders.flatMap((folder) => ['--project', namedProject(resolve(cwd, folder)).root])
}

/** An assistant starts it without the person's terminal: it needs a sign-in that is kept, and whole paths. */
async function orderFor(context: Context, { type }: Assistant, chosen: readonly string[]): Promise<StartOrder> {
  const { keySource, profileName } = await requireConnection(context)
  if (keySource === 'environment' || profileName === undefined)
    throw failed('NOT_SIGNED_IN', 'An assistant is not given the key of PH_API_KEY.', 'Sign in with `ph login`, then install it.')
  const { agentScript } = await import('../../../client/desktop/launch.ts')
  const folders = ['PH_CONFIG_DIR', 'PH_STATE_DIR', 'PH_CACHE_DIR'].flatMap((name) =>
    context.env[name] ? [[name, context.env[name]] as const] : [],
  )
  return {
    ...(type && { type }),
    command: process.execPath,
    args: [agentScript(), 'mcp', '--profile', profileName, ...chosen],
    ...(folders.length > 0 && { env: Object.fromEntries(folders) }),
  }
}
