/** `ph checkin`: pushes what you have checked out, and gives it back. */
import { filesToPush } from '../../client/check-out/files-to-push.ts'
import { type CheckedIn, giveBack } from '../../client/check-out/give-back.ts'
import { findNamedProps } from '../../client/check-out/named-props.ts'
import { isPartly, type PushReport } from '../../client/push/report.ts'
import { exits } from '../../contract/errors.ts'
import { command, flag, value } from '../command.ts'
import { requireWire } from '../connection.ts'
import { requireWriter } from '../entries/key-rights.ts'
import { readText } from '../entries/note-text.ts'
import { withLibrary } from '../library.ts'
import { checkInWords } from './checkin/words.ts'
import { heldAnswers } from './push/held-questions.ts'
import { areOn, withPreviews } from './push/previews.ts'
import { runPush } from './push/run.ts'
import { pushWords } from './push/words.ts'

export const commands = [
  command({
    usage: 'checkin <props...>',
    description:
      'Sends the files as `ph push` does, with what they need, and releases those that are in the library then as they are here. What could not be registered stays checked out and is named. Files that you did not change are released without a new version. Previews are made last, as after `ph push`; Ctrl-C ends only those.',
    arguments: { props: 'files or folders of the project, or props by id, name or /Game path that are in it' },
    options: {
      note: value('--note <text>', 'what is new, kept with the new versions and shown in `ph history`', readText('--note')),
      keep: flag('--keep', 'keep them checked out, to go on with'),
      noPreviews: flag('--no-previews', 'make no previews after the push; the next push without it does'),
    },
    examples: [
      ['checkin Content/Props/SM_Barrel.uasset --note "New rings"', 'push a file and give it back'],
      ['checkin Content/Props', 'everything that you have checked out in a folder'],
      ['checkin SM_Barrel --keep', 'push it, and go on with it'],
    ],
    exits: ['conflict', 'partly'],
    async run(context, { props: references, note, keep, noPreviews }) {
      const isOff = noPreviews || !areOn(context.env.PH_PREVIEWS)
      const wire = await requireWire(context)
      return withLibrary(context, async ({ api }) => {
        await requireWriter(api)
        const { cwd, out, now } = context
        const naming = { wire, api, cwd }
        const named = await findNamedProps(references, naming)
        const { root, paths } = filesToPush(named)
        const held = heldAnswers(context, { attach: [], asNew: [], rest: undefined }, root)
        const { report, back } = await withPreviews(context, { wire, isOff }, async (tell) => {
          const report = await runPush(context, { ...wire, paths, held, tell, ...(note === undefined ? {} : { note }) })
          const back = await giveBack(named, { ...naming, push: report, keep })
          const look = { paint: out.paint, width: out.width, cwd, now: now() }
          const show = () => [...pushWords(report, { ...look, verbose: false }), ...checkInWords(back, { ...look, root })]
          return { report, back, show, answer: (told: PushReport) => ({ push: told, ...back }) }
        })
        return isPartly(report) || stays(back) ? exits.partly : exits.done
      })
    },
  }),
]

const stays = ({ still_checked_out }: CheckedIn): boolean => still_checked_out.some(({ because }) => because !== 'kept')
