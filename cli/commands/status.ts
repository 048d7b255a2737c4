/** `ph status`: every file of a project beside the library. */
import { resolve } from 'node:path'
import { isDifferent } from '../../client/status/report.ts'
import { exits } from '../../contract/errors.ts'
import { command, flag } from '../command.ts'
import { requireWire } from '../connection.ts'
import { openDisplay } from '../terminal/progress-display.ts'
import { pushModel } from './push/progress.ts'
import { statusWords } from './status/words.ts'

export const commands = [
  command({
    usage: 'status [paths...]',
    description:
      'Says how every prop compares with the library: current, modified, outdated, diverged, untracked, missing, moved, deleted in the library, or a redirector. Reads only files that changed since they were last looked at, and changes nothing. Ends with the pull jobs that wait for the project. A key with read scope is enough.',
    arguments: { paths: 'folders or files (default: the Content folders of the project that you are in)' },
    options: {
      all: flag('--all', 'list every file, current ones too'),
      exitCode: flag('--exit-code', 'end with exit code 6 when anything differs'),
    },
    examples: [
      ['status', 'the whole project'],
      ['status Content/Props', 'one folder'],
      ['status --exit-code || echo "there is something to push or to pull"', 'a test for a script'],
      ['status --json | jq -r ".files[] | select(.state == \\"outdated\\").file"', 'what someone else has changed'],
    ],
    terms: {
      title: 'Signs before the files',
      list: [
        ['= current', 'the current version of the library'],
        ['M modified', 'edited since it was pushed or pulled: `ph push` makes it a new version'],
        ['< outdated', 'the library has another current version: `ph pull` brings it'],
        ['! diverged', 'edited here, and another version is current'],
        ['? untracked', 'the library does not have it'],
        ['- missing', 'pushed or pulled here before, and not on the disk any more'],
        ['R moved', 'its prop was pushed or pulled at another path: `ph push` tells the library'],
        ['x deleted', 'its prop was deleted in the library'],
        ['> redirector', 'a rename left it behind: nothing is to be done about it'],
      ],
    },
    exits: ['partly'],
    async run(context, { paths, all, exitCode }) {
      const wire = await requireWire(context)
      const [{ status }, { askTouched }] = await Promise.all([
        import('../../client/status/status.ts'),
        import('../../client/desktop/touched.ts'),
      ])
      const display = openDisplay(context, pushModel)
      const report = await status({
        ...wire,
        paths: paths.map((path) => resolve(context.cwd, path)),
        cwd: context.cwd,
        all: all || context.out.json,
        tell: display.tell,
        heard: (root) => askTouched(wire.folders, root),
      }).finally(display.hide)
      const { paint, width } = context.out
      const look = { paint, width, cwd: context.cwd, all, now: context.now() }
      context.out.result(report, () => statusWords(report, look))
      const isUnread = report.problems.some(({ weight }) => weight === 'failed')
      return isUnread || (exitCode && isDifferent(report)) ? exits.partly : exits.done
    },
  }),
]
