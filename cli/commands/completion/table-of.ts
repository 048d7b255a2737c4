/** What can be typed after `ph`, as a table that loads at once: printed into table.ts by `npm run docs`. */
import { Option } from 'commander'
import type { OptionSpec } from '../../command.ts'
import type { KnownCommand } from '../../command-line/command-words.ts'
import { globalOptions } from '../../command-line/global-options.ts'
import type { FlagEntry, Kind, Table } from './answer.ts'

/** Names of arguments and values that stand for what can be listed. */
const kinds: Readonly<Record<string, Kind>> = {
  ...{ entry: 'prop', entries: 'prop', prop: 'prop', props: 'prop' },
  ...{ project: 'project', pack: 'pack', tag: 'tag', collection: 'collection' },
  ...{ folder: 'file', folders: 'file', file: 'file', files: 'file', path: 'file', paths: 'file' },
  ...{ setting: 'setting', alias: 'alias' },
  ...{ person: 'person', who: 'person', reviewer: 'person' },
}
const kindsOfFlags: Readonly<Record<string, Kind>> = {
  ...{ '--project': 'project', '--pack': 'pack', '--tag': 'tag', '--collection': 'collection' },
  ...{
    '--reviewer': 'person',
    '--assign': 'person',
    '--add': 'person',
    '--profile': 'profile',
    '--to': 'file',
    '--into': 'file',
  },
}

export function tableOf(known: readonly KnownCommand[]): Table {
  const words: Table['words'] = {}
  for (const { command, summary, spec } of known) {
    const given = [...spec.usage.matchAll(/[<[]([^<>[\].]+)(\.\.\.)?[>\]]/g)]
    words[command] = {
      summary,
      flags: Object.values(spec.options ?? {}).flatMap((option) => flagsOf(new Option(option.flags, option.summary), option)),
      arguments: given.map(([, name = '']) => kinds[name] ?? 'text'),
      ...(given.at(-1)?.[2] ? { many: true } : {}),
    }
  }
  return { words, flags: globalOptions().flatMap((option) => flagsOf(option)) }
}

function flagsOf({ long, short, flags, description, required }: Option, spec?: OptionSpec<unknown>): FlagEntry[] {
  const placeholder = /<([^<>]+)>/.exec(flags)?.[1] ?? ''
  const takes = required ? (spec?.read.choices ?? kindsOfFlags[long ?? ''] ?? kinds[placeholder] ?? 'text') : null
  const named = [long, short].filter((name) => name !== undefined)
  return named.map((name) => [name, takes === null || typeof takes === 'string' ? takes : [...takes], description])
}

/** The file itself: texts, which are quicker to read than literals. */
export function tableFile(known: readonly KnownCommand[]): string {
  const { words, flags } = tableOf(known)
  const lines = Object.entries(words).map((entry) => `  ${quoted(JSON.stringify(entry))},\n`)
  return `/** Printed by \`npm run docs\` from the declarations of commands, which take longer to load than a person waits for Tab. */
import type { Table } from './answer.ts'

const words = [
${lines.join('')}]
const flags =
  ${quoted(JSON.stringify(flags))}

export const table: Table = { words: Object.fromEntries(words.map((line) => JSON.parse(line))), flags: JSON.parse(flags) }
`
}

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
