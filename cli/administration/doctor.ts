/** `ph server doctor`: what is wrong with a server, and what mends it. */
import { exits } from '../../contract/errors.ts'
import type { Examination } from '../../server/administration/examination.ts'
import { command } from '../command.ts'
import type { Context } from '../context.ts'
import { serverOptions } from './reach.ts'

type Finding = Examination['findings'][number]
type ToldSetting = Examination['settings'][number]

export const doctorCommands = [
  command({
    usage: 'server doctor',
    summary: 'Say what is wrong with the server, and what mends it',
    description:
      'Asks the server that runs on the data folder; while none runs, looks at what the next start would find. It changes nothing. The exit code is 1 when something does not work.',
    options: serverOptions,
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
      const numberOf = (wanted: string) => findings.filter(({ verdict }) => verdict === wanted).length
      const [problems, warnings] = [numberOf('problem'), numberOf('warning')]
      context.out.result({ server: examination.server, settings, findings, problems, warnings }, () =>
        tell(context, settings, findings),
      )
      return problems > 0 ? exits.failed : undefined
    },
  }),
]

/** With settings that cannot be used there is nothing to look at. */
async function examine({ env, cwd }: Context, data: string | undefined): Promise<Examination> {
  const [{ readSettings, SettingError, tellSettings }, { examineServer }] = await Promise.all([
    import('../../server/config.ts'),
    import('../../server/administration/examination.ts'),
  ])
  const flags = data === undefined ? {} : { data }
  try {
    return await examineServer(readSettings(flags, env, cwd))
  } catch (error) {
    if (!(error instanceof SettingError)) throw error
    return { server: null, settings: tellSettings(flags, env, cwd), findings: [] }
  }
}

/** A sign as well as a colour: not everybody sees both. */
const signs = { ok: ['✓', 'green'], note: ['·', 'cyan'], warning: ['!', 'yellow'], problem: ['✗', 'red'] } as const

function tell({ out: { paint } }: Context, settings: readonly ToldSetting[], findings: readonly Finding[]): string[] {
  const width = Math.max(...settings.map(({ name }) => name.length), ...findings.map(({ check }) => check.length))
  const told = findings.flatMap(({ check, verdict, said, next }) => {
    const [sign, color] = signs[verdict]
    const line = `${paint(color, sign)} ${check.padEnd(width)}  ${said}`
    return next === undefined ? [line] : [line, `  ${' '.repeat(width)}  ${paint('bold', 'next:')} ${next}`]
  })
  const listed = settings.map(
    ({ name, value, from }) => `  ${name.padEnd(width)}  ${value === '' ? '(none)' : value}  ${paint('dim', `(${from})`)}`,
  )
  return [paint('bold', 'Settings'), ...listed, '', paint('bold', 'Findings'), ...told]
}
