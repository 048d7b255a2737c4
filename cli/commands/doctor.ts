/** `ph doctor`: what is wrong on this machine, on the way to the library and in the project, and what fixes it. */
import { exits } from '../../contract/errors.ts'
import { command } from '../command.ts'
import { clientName, connectionChoice, foldersOf } from '../connection.ts'
import { findingLines, findingTerms, tally } from '../terminal/finding-lines.ts'

export const commands = [
  command({
    usage: 'doctor',
    description:
      'Looks at Node, the folders of ph, disks, the keychain, the server and its clock, the key, the workspace, and the project that you are in. Changes nothing. Ends with exit code 1 when something keeps ph from working.',
    examples: [
      ['doctor', 'look at everything'],
      ['doctor --profile studio', 'with the sign-in of the profile studio'],
      ['doctor --json | jq -r ".findings[] | select(.verdict == \\"problem\\").next"', 'what fixes it, for a script'],
    ],
    terms: findingTerms,
    async run(context) {
      const { checkUp } = await import('../../client/doctor/doctor.ts')
      const { env, cwd, now, signal, out } = context
      const findings = await checkUp({
        folders: foldersOf(context),
        choice: connectionChoice(context),
        env,
        cwd,
        clientName: clientName(),
        now,
        signal,
      })
      const { problems, warnings } = tally(findings)
      out.result({ findings, problems, warnings }, () => findingLines(findings, out))
      return problems > 0 ? exits.failed : exits.done
    },
  }),
]
