/** `ph alias`: names of a person's own for command lines. */
import { isAliasName, mostAliases, mostCharacters, shellMark, splitWords } from '../../client/settings/aliases.ts'
import { changeKept } from '../../client/settings/change.ts'
import { aliasesFile } from '../../client/settings/kept.ts'
import { printable } from '../../system/printable.ts'
import { shellWord } from '../../system/shell-word.ts'
import { readAliases } from '../aliases.ts'
import { command, flag } from '../command.ts'
import { commandFor, type FirstWords } from '../command-words.ts'
import { foldersOf } from '../connection.ts'
import type { Context } from '../context.ts'
import { nearNames } from '../entries/near-names.ts'
import { failed, wrongUsage } from '../refusal.ts'
import { table } from '../terminal/table.ts'
import { firstWordAt } from '../typed-words.ts'

/** Told of all commands: an alias shadows none, and stands for one that there is. */
export const aliasesFor = (firstWords: FirstWords) => ({
  commands: [
    command({
      usage: 'alias set <name> <line>',
      summary: 'Give a command line a name of your own',
      description:
        'The line is as you type it behind `ph`, in quotes. What is typed behind the name goes to $1, $2 and so on, else to the end of the line. Commands of ph keep their names, and an alias does not stand for another one. A line that begins with ! is run by the shell (sh), with what is typed as its $1, $2 and $@.',
      arguments: { name: 'letters, digits, - and _', line: 'what it stands for' },
      options: { shell: flag('-s, --shell', 'run the line by the shell, as with ! before it') },
      examples: [
        ["alias set mine 'search --pushed-from Tavern $1'", '`ph mine barrel` looks among what came from Tavern'],
        ["alias set oak 'tag add oak'", '`ph oak SM_Barrel SM_Stool` tags both'],
        ["alias set today '!ph activity --json | jq -r .events[].event_type'", 'a line of the shell'],
      ],
      async run(context, { name, line, shell }) {
        const text = await requireLine(shell && !line.startsWith(shellMark) ? `${shellMark}${line}` : line, firstWords, context)
        requireName(name, firstWords)
        const before = await changeKept(aliasesFile(foldersOf(context)), (kept) => {
          if (!Object.hasOwn(kept, name) && Object.keys(kept).length >= mostAliases)
            throw failed('TOO_MANY_ALIASES', `There are ${mostAliases} aliases already.`, 'Delete one: `ph alias delete <name>`')
          return { ...kept, [name]: text }
        })
        const previous = typeof before[name] === 'string' && Object.hasOwn(before, name) ? before[name] : null
        const was = previous === null || previous === text ? '' : ` It stood for: ${lineOf(previous)}`
        context.out.result({ ...documentOf(name, text, firstWords), previous }, `ph ${name} stands for: ${lineOf(text)}${was}`)
        return undefined
      },
    }),
    command({
      usage: 'alias list',
      summary: 'List your aliases',
      examples: [['alias list', 'what each stands for']],
      async run(context) {
        const aliases = Object.entries(readAliases(context.env))
          .sort(([a], [b]) => a.localeCompare(b))
          .map(([name, text]) => documentOf(name, text, firstWords))
        context.out.result({ aliases }, () => listWords(aliases, context))
        return undefined
      },
    }),
    command({
      usage: 'alias delete <alias>',
      summary: 'Forget an alias',
      arguments: { alias: 'its name' },
      examples: [['alias delete mine', 'the name is free again']],
      async run(context, { alias: name }) {
        requireKnown(name, Object.keys(readAliases(context.env)))
        const before = await changeKept(aliasesFile(foldersOf(context)), ({ [name]: _gone, ...others }) => others)
        const text = String(before[name] ?? '')
        const deleted = documentOf(name, text, firstWords)
        context.out.result(deleted, `Forgot the alias ${printable(name)}. It stood for: ${lineOf(text)}`)
        return undefined
      },
    }),
  ],
})

const lineOf = (text: string): string =>
  text.startsWith(shellMark) ? `${printable(text.slice(1))} (in the shell)` : `ph ${printable(text)}`

const documentOf = (name: string, text: string, firstWords: FirstWords) => {
  const shell = text.startsWith(shellMark)
  return { name, line: shell ? text.slice(1) : text, in_shell: shell, shadowed: Object.hasOwn(firstWords, name) }
}
type AliasDocument = ReturnType<typeof documentOf>

function listWords(aliases: readonly AliasDocument[], { out }: Context): string | string[] {
  if (aliases.length === 0) return "No aliases. Make one: ph alias set mine 'search --pushed-from Tavern $1'"
  const shadowed = aliases.filter((one) => one.shadowed).map(({ name }) => name)
  return [
    ...table(
      aliases,
      [
        { title: 'ALIAS', value: ({ name }) => name },
        { title: 'STANDS FOR', value: ({ line, in_shell }) => lineOf(in_shell ? `!${line}` : line), cut: 'end' },
      ],
      out,
    ),
    ...shadowed.map((name) => `ph has a command ${name} by now, which goes before your alias: give it another name.`),
  ]
}

function requireName(name: string, firstWords: FirstWords): void {
  if (!isAliasName(name))
    throw wrongUsage(
      `"${printable(name).slice(0, 100)}" cannot be the name of an alias.`,
      'A name begins with a letter and has up to 50 letters, digits, - and _.',
    )
  if (name === 'help' || Object.hasOwn(firstWords, name))
    throw wrongUsage(`${name} is a command of ph, and stays one.`, `Choose another name, such as my-${name}.`)
}

/** The line, where it names a command. */
async function requireLine(text: string, firstWords: FirstWords, context: Context): Promise<string> {
  if (text.length > mostCharacters)
    throw wrongUsage(`A line of an alias has at most ${mostCharacters} characters.`, 'Write it into a script, and call that.')
  if (/[\p{Cc}]/u.test(text)) throw wrongUsage('The line of an alias is one line of text.', 'Leave out line ends and tabs.')
  if (text.startsWith(shellMark)) {
    if (text.slice(1).trim() !== '') return text
    throw wrongUsage('The line for the shell is empty.', "Write it behind the !: ph alias set today '!ph activity | head'")
  }
  const words = splitWords(text.trim().replace(/^ph\s+/, ''))
  if (!words) throw wrongUsage('A quote in the line is not closed.', 'Close it, or put the whole line in the other quotes.')
  const typed = words.slice(Math.max(firstWordAt(words), 0))
  const [first = ''] = typed
  if (await commandFor(typed, firstWords)) return text.trim().replace(/^ph\s+/, '')
  throw noCommand(typed, first, { firstWords, context })
}

function noCommand(
  typed: readonly string[],
  first: string,
  { firstWords, context }: { firstWords: FirstWords; context: Context },
): Error {
  if (first === '')
    return wrongUsage('The line names no command.', 'Write it as you type it behind ph, such as "search --type mesh".')
  const other = readAliases(context.env)[first]
  if (other !== undefined)
    return wrongUsage(
      `${printable(first)} is an alias itself, and one does not stand for another.`,
      `Write it out: ${lineOf(other)}`,
    )
  if (Object.hasOwn(firstWords, first))
    return wrongUsage(`There is no command \`ph ${printable(typed.slice(0, 2).join(' '))}\`.`, `See \`ph help ${first}\`.`)
  const [near] = nearNames(first, Object.keys(firstWords))
  return wrongUsage(
    `There is no command \`ph ${printable(first)}\`, so no alias can stand for it.`,
    `${near ? `Did you mean \`${near}\`? ` : ''}For a line of the shell put ! before it, or use --shell.`,
  )
}

function requireKnown(name: string, names: readonly string[]): void {
  if (names.includes(name)) return
  const [near] = nearNames(name, names)
  const meant = near ? `Did you mean ${shellWord(near)}? ` : ''
  throw failed('ALIAS_NOT_FOUND', `There is no alias ${printable(name)}.`, `${meant}List them with \`ph alias list\`.`)
}
