/** `ph capabilities`: what this program can do, for programs and assistants that build on it. */
import { readVersion } from '../../client/version.ts'
import { apiMajor } from '../../contract/version.ts'
import { command } from '../command.ts'
import { commandsByWords, type FirstWords } from '../command-line/command-words.ts'
import { wrongUsage } from '../refusal.ts'
import { table } from '../terminal/table.ts'

/** Tells of these words, its own among them. */
export const capabilitiesIn = (firstWords: FirstWords) => ({
  commands: [
    command({
      usage: 'capabilities [words...]',
      description:
        'With --json: commands with their arguments and flags, exit codes, error codes, and the JSON Schema of each document that is printed. Asks no server.',
      arguments: { words: 'only the commands that begin with these words; all without them' },
      examples: [
        ['capabilities', 'every command in a line'],
        ['capabilities review --json', 'all there is to know of the commands for reviews'],
        ["capabilities --jq '.commands[].command'", 'their names, for a script'],
      ],
      async run(context, { words }) {
        const { capabilitiesOf } = await import('./capabilities/document.ts')
        const known = (await commandsByWords(firstWords)).filter(({ command: one }) =>
          words.every((word, at) => one.split(' ')[at] === word),
        )
        if (known.length === 0)
          throw wrongUsage(`No command begins with \`ph ${words.join(' ')}\`.`, 'See them all with `ph capabilities`.')
        const { out } = context
        const document = { version: readVersion(), api: apiMajor, ...capabilitiesOf(known) }
        out.result(document, () =>
          table(
            document.commands,
            [
              { title: 'COMMAND', value: (one) => `ph ${one.usage}`, cut: 'end' },
              { title: 'DOES', value: (one) => one.summary, cut: 'end' },
            ],
            out,
          ),
        )
        return undefined
      },
    }),
  ],
})
