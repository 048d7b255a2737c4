/** `ph rename`: gives entries other names. */

import { requireEachEntryId } from '../../client/entries/reference.ts'
import { limits } from '../../contract/limits.ts'
import { printable } from '../../system/printable.ts'
import { shellWord } from '../../system/shell-word.ts'
import { command, flag } from '../command.ts'
import type { Context } from '../context.ts'
import { readEntryList } from '../entries/list.ts'
import { actOnEach } from '../entries/one-by-one.ts'
import { withLibrary } from '../library.ts'
import { wrongUsage } from '../refusal.ts'

export const commands = [
  command({
    usage: 'rename <entry> [name]',
    description: 'The name in the library alone: files and paths in projects stay as they are.',
    arguments: {
      entry:
        'its id, its name or its /Game path; - reads entries and names from standard input, a tab between them, a pair a line',
      name: `its new name, up to ${limits.names.entry} characters`,
    },
    options: { dryRun: flag('--dry-run', 'only show what would change') },
    examples: [
      ['rename SM_Barrel "Oak barrel"', 'one prop'],
      ['rename - --dry-run < names.tsv', 'see what a list of pairs would change'],
    ],
    exits: ['partly'],
    async run(context, { entry, name, dryRun }) {
      const pairs = await readPairs(context, entry, name)
      return withLibrary(context, async ({ api }) => {
        const ids = await requireEachEntryId(
          api,
          pairs.map(([reference]) => reference),
        )
        const names = new Map(pairs.map(([, name], at) => [ids[at] ?? 0, name]))
        return actOnEach(context, api, {
          ids: [...names.keys()],
          dryRun,
          plan: ({ id: entry_id, name: present }) => {
            const name = names.get(entry_id) ?? present
            return name === present
              ? { outcome: 'has that name already' }
              : { outcome: `renamed to ${printable(name)}`, act: () => api.entries.update({ entry_id, name }) }
          },
        })
      })
    },
  }),
]

async function readPairs(context: Context, entry: string, name: string | undefined): Promise<[string, string][]> {
  if (entry !== '-') {
    if (name === undefined)
      throw wrongUsage(
        `The new name for ${entry} is missing.`,
        `Write it at the end: \`ph rename ${shellWord(entry)} "<new name>"\``,
      )
    return [[entry, requireName(name)]]
  }
  if (name !== undefined) throw wrongUsage('Names come from standard input here.', 'Leave out the one that was typed.')
  return (await readEntryList(context, ['-'])).map((line, at) => {
    const [reference = '', name = '', ...more] = line.split('\t').map((part) => part.trim())
    if (reference && name && more.length === 0) return [reference, requireName(name)]
    throw wrongUsage(
      `Line ${at + 1} is not an entry and a name with a tab between them.`,
      'Write it like this: SM_Barrel<tab>Oak barrel',
    )
  })
}

function requireName(name: string): string {
  if (name.trim() !== '' && [...name].length <= limits.names.entry) return name
  throw wrongUsage(`A name has 1 to ${limits.names.entry} characters.`, 'Choose another one.')
}
