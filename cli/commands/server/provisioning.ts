/** `ph server provision`: applies a provisioning file, or says what it would change. */
import { resolve } from 'node:path'
import type { Operator, ProvisionChange } from '../../../contract/operator.ts'
import type { OutputOf } from '../../../contract/route.ts'
import { printable } from '../../../system/printable.ts'
import { command, flag } from '../../command.ts'
import type { Context } from '../../context.ts'
import { wrongUsage } from '../../refusal.ts'
import { count } from '../../terminal/amounts.ts'
import type { Paint } from '../../terminal/output.ts'
import { administer, type ServerChoice, serverOptions, withServerOptions } from './reach.ts'

type Outcome = OutputOf<Operator['provisioning']['apply']>

export const provisionCommands = [
  command({
    usage: 'server provision <file>',
    summary: 'Apply a file of workspaces, members and keys, or say what it would change',
    description:
      'It makes what is missing and changes what is different; what the file does not name stays. A second time it changes nothing. While no server runs and there is no database, one is made.',
    arguments: { file: 'JSON file; docs/running-a-server.md shows an example' },
    options: {
      check: flag('--check', 'only say what would change'),
      dryRun: flag('--dry-run', 'the same'),
      ...serverOptions,
    },
    examples: [
      ['server provision team.json --check', 'what would change'],
      ['server provision team.json', 'change it, in the server that runs or in its database'],
    ],
    async run(context, { file, check, dryRun, data }) {
      const content = await readFile(context, file)
      const checkOnly = check || dryRun
      const outcome = await administer(context, { data, ifNone: checkOnly ? 'imagine' : 'make' }, (api) =>
        api.provisioning.apply({ file: content, check: checkOnly }),
      )
      context.out.result(outcome, () => tell(outcome, context.out.paint, { data }))
      return undefined
    },
  }),
]

async function readFile({ cwd }: Context, file: string): Promise<Record<string, unknown>> {
  const [{ readProvisionFile }, { SettingError }] = await Promise.all([
    import('../../../server/provision/file.ts'),
    import('../../../server/config.ts'),
  ])
  try {
    return readProvisionFile(resolve(cwd, file))
  } catch (error) {
    throw error instanceof SettingError
      ? wrongUsage(error.message, 'Correct the file; docs/running-a-server.md shows an example.')
      : error
  }
}

const signs = { created: '+', changed: '~', unchanged: '=', left: '.' } as const
const colors = { created: 'green', changed: 'yellow', unchanged: 'dim', left: 'dim' } as const
/** Keys that people made for themselves are never in the file: many of them are one line. */
const mostLeft = 20

function tell({ changes, warnings, checked_only }: Outcome, paint: Paint, choice: ServerChoice): string[] {
  const shown = changes.filter(({ does }) => does !== 'left')
  const left = changes.filter(({ does }) => does === 'left')
  const rest = left.length - mostLeft
  return [
    ...shown.map((change) => line(change, paint)),
    ...left.slice(0, mostLeft).map((change) => line(change, paint)),
    ...(rest > 0 ? [paint('dim', `. and ${count(rest, 'more', 'more')} that the file does not name, and that stay`)] : []),
    ...warnings.map((warning) => `${paint('yellow', '!')} ${withServerOptions(warning, choice)}`),
    summary(changes, checked_only),
  ]
}

function line({ what, workspace, name, does, fields, remark }: ProvisionChange, paint: Paint): string {
  const thing = what === 'workspace' ? `workspace ${workspace}` : `${what} ${printable(name)} of ${workspace}`
  const details = does === 'changed' ? fields.map(({ field, from, to }) => `${field} ${told(from)} -> ${told(to)}`) : []
  const words = { created: 'new', changed: details.join(', '), unchanged: 'unchanged', left: 'not in the file, stays' }[does]
  return `${paint(colors[does], signs[does])} ${thing}: ${[words, ...(remark ? [printable(remark)] : [])].join('; ')}`
}

const told = (value: string | number | null): string => (value === null ? 'none' : printable(String(value)))

function summary(changes: readonly ProvisionChange[], checkedOnly: boolean): string {
  const amount = (does: ProvisionChange['does']) => changes.filter((change) => change.does === does).length
  const [created, changed] = [amount('created'), amount('changed')]
  if (created + changed === 0) return 'Nothing to change.'
  const words = `${count(created, 'new', 'new')}, ${count(changed, 'changed', 'changed')}, ${amount('unchanged')} unchanged`
  return checkedOnly ? `Would be: ${words}. Nothing was changed.` : `Done: ${words}.`
}
