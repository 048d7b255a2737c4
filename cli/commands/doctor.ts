/** `ph doctor`: what is wrong on this machine, on the way to the library and in the project, and what mends it. */
import type { Finding, Verdict } from '../../client/finding.ts'
import { exits } from '../../contract/errors.ts'
import { count } from '../amounts.ts'
import { command } from '../command.ts'
import { clientName, foldersOf, wantedOf } from '../connection.ts'
import type { Output } from '../output.ts'
import { printable } from '../printable.ts'
import { wrap } from '../wrap.ts'

export const commands = [
  command({
    usage: 'doctor',
    description:
      'Looks at Node, the folders of ph, disks, the keychain, the server and its clock, the key, the workspace, and the project that you are in. Changes nothing. Ends with exit code 1 when something keeps ph from working.',
    examples: [
      ['doctor', 'look at everything'],
      ['doctor --profile studio', 'with the sign-in of the profile studio'],
      ['doctor --json | jq -r ".findings[] | select(.verdict == \\"problem\\").next"', 'what mends it, for a script'],
    ],
    terms: {
      title: 'Signs before the lines',
      list: [
        ['✓ ok', 'nothing to do'],
        ['· note', 'good to know'],
        ['! warning', 'it works, and may go wrong'],
        ['✗ problem', 'ph cannot do its work until it is mended'],
      ],
    },
    async run(context) {
      const { checkUp } = await import('../../client/checkup.ts')
      const { env, cwd, now, signal, out } = context
      const findings = await checkUp({
        folders: foldersOf(context),
        wanted: wantedOf(context),
        env,
        cwd,
        clientName: clientName(),
        now,
        signal,
      })
      const [problems, warnings] = [numberOf(findings, 'problem'), numberOf(findings, 'warning')]
      out.result({ findings, problems, warnings }, () => [
        ...findings.flatMap((finding) => wordsOf(finding, out)),
        '',
        summary(problems, warnings),
      ])
      return problems > 0 ? exits.failed : exits.done
    },
  }),
]

const numberOf = (findings: readonly Finding[], wanted: Verdict): number =>
  findings.filter(({ verdict }) => verdict === wanted).length

function summary(problems: number, warnings: number): string {
  if (problems + warnings === 0) return 'Nothing is wrong.'
  const parts = [...(problems > 0 ? [count(problems, 'problem')] : []), ...(warnings > 0 ? [count(warnings, 'warning')] : [])]
  return `${parts.join(', ')}.`
}

const signs = {
  ok: ['✓', 'green'],
  note: ['·', 'cyan'],
  warning: ['!', 'yellow'],
  problem: ['✗', 'red'],
} as const satisfies Record<Verdict, readonly [sign: string, colour: string]>

const nameWidth = 11

function wordsOf({ check, verdict, said, next }: Finding, { paint, width }: Output): string[] {
  const [sign, colour] = signs[verdict]
  const indent = ' '.repeat(2 + nameWidth)
  const [first = '', ...more] = wrap(printable(said), width, indent)
  const line = `${paint([colour, 'bold'], sign)} ${check.padEnd(nameWidth)}${first.trimStart()}`
  return [line, ...more, ...(next ? wrap(printable(next), width, `${indent}→ `).map(hang) : [])]
}

/** Only the first line has the arrow. */
const hang = (line: string, at: number): string => (at === 0 ? line : line.replace('→', ' '))
