/** The program: how arguments reach a command, and how a run ends in an exit code. */
import { CommanderError, Command as Parser } from 'commander'
import { findFolders } from '../client/folders.ts'
import { applySettings, type Misfit } from '../client/settings/effective.ts'
import { settingsFile } from '../client/settings/kept.ts'
import { readVersion } from '../client/version.ts'
import { ApiError, exits } from '../contract/errors.ts'
import { printable } from '../system/printable.ts'
import type { Command } from './command.ts'
import type { Resolved } from './command-line/aliases.ts'
import { wordsOf } from './command-line/command-words.ts'
import { globalOptions } from './command-line/global-options.ts'
import { programEpilogue } from './command-line/help.ts'
import { addFirstWord, helpWidth, prepared, type Start } from './command-line/parser.ts'
import { firstWordAt, usedWords } from './command-line/typed-words.ts'
import { curation, library, together } from './command-line/word-groups.ts'
import { type Context, type Globals, makeContext, type Surroundings } from './context.ts'
import type { Chosen } from './documents/picked.ts'
import { plainDocuments, ShapedDocuments } from './documents/printer.ts'
import { asksForDocuments, listsFields, type Shape, shapeOf } from './documents/shape.ts'
import { type Ending, failureOf, tellFailure } from './exit.ts'
import { firstWords } from './first-words.ts'
import { wrongUsage } from './refusal.ts'
import { type Documents, hasColor, painter, shown } from './terminal/output.ts'

/** Runs `ph` with these arguments to its exit code. Never throws; whatever goes wrong is told on stderr. */
export async function run(typed: readonly string[], given: Surroundings): Promise<number> {
  let code: number = exits.done
  let args = typed
  let context: Context | undefined
  try {
    const resolved = await withoutAlias(typed, given)
    if ('code' in resolved) return resolved.code
    args = resolved.args
    if (listsFields(args)) {
      const { listFields } = await import('./documents/field-list.ts')
      return await listFields(usedWords(args, given), given, args.includes('--json'))
    }
    const program = await parserFor(args, given, async (command, input) => {
      const surroundings = withSettings(given, command)
      const globals = program.opts<Globals>()
      await using documents = await documentsFor(globals, command, surroundings)
      context = makeContext(surroundings, { globals, documents, run })
      try {
        code = (await command.run(context, input as never)) ?? exits.done
      } catch (error) {
        await documents?.printed().catch(() => undefined)
        throw error
      }
      await documents?.printed()
    })
    await program.parseAsync(withHelpOption(args), { from: 'user' })
    if (context?.interactive && asksServer(args, given)) {
      const { tellNewerClient } = await import('./commands/update/notice.ts')
      await tellNewerClient(context)
    }
    return code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exits.done : exits.usage
    return endOf(await explained(error, context), args, given)
  }
}

/** Commands go before aliases, which are looked for only where there is no such command. */
async function withoutAlias(
  args: readonly string[],
  surroundings: Surroundings,
): Promise<Resolved | { args: readonly string[] }> {
  const at = firstWordAt(args)
  const word = args[at] === 'help' ? args[at + 1] : args[at]
  if (word === undefined || word.startsWith('-') || Object.hasOwn(firstWords, word)) return { args }
  const { resolveAlias } = await import('./command-line/aliases.ts')
  return (await resolveAlias(args, at, surroundings)) ?? { args }
}

/** What a person set once stands in for variables that the environment lacks. Throws a Refusal for a value that its setting does not take, but to the commands that can change it. */
function withSettings(surroundings: Surroundings, command: Pick<Command, 'usage'>): Surroundings {
  const path = settingsFile(findFolders(surroundings.env))
  const { env, fromFile, misfits } = applySettings(path, surroundings.env)
  const [misfit] = misfits
  if (misfit && !wordsOf(command).startsWith('config ')) throw misfitRefusal(misfit, path)
  return fromFile.size === 0 ? surroundings : { ...surroundings, env, fromSettings: fromFile }
}

const misfitRefusal = ({ setting: { name, takes }, given }: Misfit, path: string) =>
  wrongUsage(
    `${path} sets ${name} to ${printable(JSON.stringify(given)).slice(0, 200)}; it takes ${takes}.`,
    `Set it anew with \`ph config set ${name} <value>\`, or take it away with \`ph config unset ${name}\`.`,
  )

/** Where JSON goes that was asked for. A shape that cannot be used is refused here, before the command does anything. */
async function documentsFor(
  globals: Globals,
  command: Command,
  surroundings: Surroundings,
): Promise<(Documents & AsyncDisposable) | undefined> {
  const chosen = globals.fields === undefined ? undefined : await chosenFrom(globals.fields, command)
  const shape = shapeOf(globals)
  const whole = shape ? await shapedBy(shape, surroundings) : globals.json || chosen ? plainDocuments(surroundings) : undefined
  if (!whole || !chosen) return whole
  const { pickedDocuments } = await import('./documents/picked.ts')
  return pickedDocuments(whole, chosen)
}

async function shapedBy(shape: Shape, surroundings: Surroundings): Promise<ShapedDocuments> {
  const { openShaper } = await import('./documents/shaper.ts')
  return new ShapedDocuments(surroundings, await openShaper(shape, surroundings.signal))
}

async function chosenFrom(names: string, command: Command): Promise<Chosen> {
  const [{ chosenFields }, { shapes }, { Open }] = await Promise.all([
    import('./documents/picked.ts'),
    import('./documents/schemas/all.ts'),
    import('./documents/schemas/shape.ts'),
  ])
  const words = wordsOf(command)
  return chosenFields(names, { schema: shapes[words] ?? Open, words })
}

/** Commands of these groups have just talked to the server. */
function asksServer(args: readonly string[], surroundings: Surroundings): boolean {
  const { group } = firstWords[usedWords(args, surroundings)[0] ?? ''] ?? {}
  return group === library || group === together || group === curation
}

/** `ph` alone asks for help; `ph help server start` means `ph server start --help`; help on nothing we have is a wrong word. */
function withHelpOption(args: readonly string[]): string[] {
  const [word, topic, ...rest] = args
  if (word === undefined) return ['--help']
  if (word !== 'help' || topic === undefined || topic.startsWith('-')) return [...args]
  return Object.hasOwn(firstWords, topic) ? [topic, ...rest, '--help'] : [topic]
}

/** A refused key is named: which one it was depends on how the command was called. */
async function explained(error: unknown, context: Context | undefined): Promise<unknown> {
  if (!context || !(error instanceof ApiError) || error.code !== 'UNAUTHORIZED') return error
  const { explainRefusedKey } = await import('./refused-key.ts')
  return explainRefusedKey(error, context).catch(() => error)
}

function endOf(error: unknown, args: readonly string[], surroundings: Surroundings): number {
  const ending = surroundings.signal.aborted ? (surroundings.signal.reason as Ending) : undefined
  if (ending) return ending === 'pipe' ? exits.done : exits.interrupted
  if (error instanceof Error && error.name === 'AbortError') return exits.interrupted
  if (surroundings.env.PH_DEBUG && error instanceof Error) surroundings.stderr.write(shown(`${error.stack}\n`))
  const failure = failureOf(error)
  tellFailure(failure, surroundings, asksForDocuments(args))
  return failure.exit
}

/** The parser for these arguments: the word that is used with all its commands, the others by name and summary. */
async function parserFor(args: readonly string[], surroundings: Surroundings, start: Start): Promise<Parser> {
  const { stdout, env } = surroundings
  const program = prepared(new Parser('ph'), surroundings)
    .description('A library for game props: every version kept, found again, with everything it needs.')
    .usage('<command> [options]')
    .helpCommand('help [command]', 'explain a command')
    .addHelpText('after', () => programEpilogue(painter(hasColor(stdout, env)), helpWidth(stdout, env)))
  for (const option of globalOptions()) program.addOption(option)
  const [used, second] = usedWords(args, surroundings)
  if (used === undefined) program.version(readVersion(), '-V, --version', 'print the version')
  for (const [name, { group, summary, takes = '', load }] of Object.entries(firstWords)) {
    program.commandsGroup(group)
    if (name === used) addFirstWord(program, { name, summary, ...(await load()) }, { start, surroundings, second })
    else
      program
        .command(name)
        .usage(takes || ' ')
        .description(summary)
  }
  return program
}
