/** `ph server doctor`: what is wrong with a server, and what fixes it. */
import { exits } from '../../../contract/errors.ts'
import type { Examination } from '../../../server/administration/doctor/doctor.ts'
import type { Finding } from '../../../system/finding.ts'
import { printable } from '../../../system/printable.ts'
import { command } from '../../command.ts'
import type { Context } from '../../context.ts'
import { findingLines, findingTerms, tally } from '../../terminal/finding-lines.ts'
import type { Output } from '../../terminal/output.ts'
import { serverOptions } from './reach.ts'

type ToldSetting = Examination['settings'][number]

export const doctorCommands = [
  command({
    usage: 'server doctor',
    summary: 'Say what is wrong with the server, and what fixes it',
    description:
      'Asks the server that runs on the data folder; while none runs, looks at what the next start would find. It changes nothing. The exit code is 1 when something does not work.',
    options: serverOptions,
    terms: findingTerms,
    examples: [
      ['server doctor', 'settings, database, storage, disk, clock, permissions'],
      ['server doctor --data /srv/props --json', 'the same for programs'],
    ],
    async run(context, { data }) {
      const { settings, ...examination } = await examine(context, data)
      const wrong = settings.flatMap(({ name, wrong: said }): Finding[] =>
        said ? [{ check: name, verdict: 'problem', said, next: 'Every setting is in `ph help server start`.' }] : [],
      )
      const findings = [...wrong, ...examination.findings]
      const { problems, warnings } = tally(findings)
      context.out.result({ server: examination.server, settings, findings, problems, warnings }, () =>
        tell(context.out, settings, findings),
      )
      return problems > 0 ? exits.failed : undefined
    },
  }),
]

/** With settings that cannot be used there is nothing to look at. */
async function examine({ env, cwd }: Context, data: string | undefined): Promise<Examination> {
  const [{ readSettings, SettingError, tellSettings }, { examineServer }] = await Promise.all([
    import('../../../server/config.ts'),
    import('../../../server/administration/doctor/doctor.ts'),
  ])
  const flags = data === undefined ? {} : { data }
  // What only `ph server start` is told cannot be known while no server runs.
  const known = (settings: readonly ToldSetting[]) => settings.filter(({ name }) => name.startsWith('PH_'))
  try {
    const found = await examineServer(readSettings(flags, env, cwd))
    return found.server ? found : { ...found, settings: known(found.settings) }
  } catch (error) {
    if (!(error instanceof SettingError)) throw error
    return { server: null, settings: known(tellSettings(flags, env, cwd)), findings: [] }
  }
}

function tell(out: Output, settings: readonly ToldSetting[], findings: readonly Finding[]): string[] {
  const width = Math.max(...settings.map(({ name }) => name.length))
  const { paint } = out
  const listed = settings.map(
    ({ name, value, from }) =>
      `  ${name.padEnd(width)}  ${value === '' ? '(none)' : printable(value)}  ${paint('dim', `(${from})`)}`,
  )
  return [paint('bold', 'Settings'), ...listed, '', ...findingLines(findings, out)]
}
