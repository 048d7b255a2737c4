/** The program: its first words, how arguments reach a command, and how a run ends in an exit code. */
import { CommanderError, Option, Command as Parser } from 'commander'
import { readVersion } from '../client/version.ts'
import { ApiError, exits } from '../contract/errors.ts'
import { type Context, type Globals, makeContext, type Surroundings } from './context.ts'
import { type Ending, failureOf, tellFailure } from './exit.ts'
import { programEpilogue } from './help.ts'
import { addFirstWord, helpWidth, type Loaded, prepared, type Start } from './parser.ts'
import { hasColor, painter } from './terminal/output.ts'

interface FirstWord {
  group: string
  summary: string
  /** Arguments, for the list of `ph --help`. */
  takes?: string
  load(): Promise<Pick<Loaded, 'commands' | 'groups'>>
}

const library = 'The library:'
const curation = 'Keeping it in order:'
const signIn = 'Signing in:'
const machine = 'On this machine:'
const entry = '<entry>'

/** Every first word after `ph`; the file of the same name in commands/ is loaded only when the word is used. */
export const firstWords: Record<string, FirstWord> = {
  push: {
    group: library,
    takes: '[folders or files…]',
    summary: 'Send an Unreal Content folder, or files, to the library',
    load: () => import('./commands/push.ts'),
  },
  pull: {
    group: library,
    takes: '[entries…]',
    summary: 'Bring props with everything they need into a project',
    load: () => import('./commands/pull.ts'),
  },
  undo: {
    group: library,
    takes: '[folder]',
    summary: 'Take back the last push in the library',
    load: () => import('./commands/undo.ts'),
  },
  status: {
    group: library,
    takes: '[folder]',
    summary: 'Compare a project with the library: what changed here, what is newer in the library',
    load: () => import('./commands/status.ts'),
  },
  search: {
    group: library,
    takes: '[words…]',
    summary: 'Find props by words, tags, kinds and measures, or list them all',
    load: () => import('./commands/search.ts'),
  },
  show: {
    group: library,
    takes: entry,
    summary: 'Show a prop: picture, facts, versions, dependencies and referencers',
    load: () => import('./commands/show.ts'),
  },
  history: {
    group: library,
    takes: entry,
    summary: 'List every version of a prop',
    load: () => import('./commands/history.ts'),
  },
  download: {
    group: library,
    takes: '<entries…>',
    summary: 'Fetch the files of props, without a project',
    load: () => import('./commands/download.ts'),
  },
  send: {
    group: library,
    takes: '<entries…>',
    summary: "Order props for someone else's project",
    load: () => import('./commands/send.ts'),
  },
  jobs: {
    group: library,
    takes: 'list | show | cancel',
    summary: 'Pull jobs: what waits, what they bring, how they went',
    load: () => import('./commands/jobs.ts'),
  },
  tag: {
    group: curation,
    takes: 'list | add | remove | …',
    summary: 'Tags: words that you put on entries',
    load: () => import('./commands/tag.ts'),
  },
  collection: {
    group: curation,
    takes: 'list | show | add | …',
    summary: 'Collections: entries that belong together',
    load: () => import('./commands/collection.ts'),
  },
  category: {
    group: curation,
    takes: 'list | set | clear',
    summary: 'Categories: what kind of thing an entry is',
    load: () => import('./commands/category.ts'),
  },
  variant: {
    group: curation,
    takes: 'group | ungroup',
    summary: 'Entries that are one prop in several looks',
    load: () => import('./commands/variant.ts'),
  },
  pack: {
    group: curation,
    takes: 'list | show | edit | …',
    summary: 'Packs: where entries came from',
    load: () => import('./commands/pack.ts'),
  },
  project: {
    group: curation,
    takes: 'list | create | edit | …',
    summary: 'Projects: where entries are pulled to',
    load: () => import('./commands/project.ts'),
  },
  rename: {
    group: curation,
    takes: '<entry> [name]',
    summary: 'Give props other names',
    load: () => import('./commands/rename.ts'),
  },
  restore: {
    group: curation,
    takes: '<entries…>',
    summary: 'Make earlier versions of props current again',
    load: () => import('./commands/restore.ts'),
  },
  deprecate: {
    group: curation,
    takes: '<entries…>',
    summary: 'Take props out of lists and searches, or back in',
    load: () => import('./commands/deprecate.ts'),
  },
  delete: {
    group: curation,
    takes: '<entries…>',
    summary: 'Delete props that nobody ever pulled',
    load: () => import('./commands/delete.ts'),
  },
  api: {
    group: library,
    takes: '<method> <path>',
    summary: 'Call any route of the service',
    load: () => import('./commands/api.ts'),
  },
  login: {
    group: signIn,
    summary: 'Sign in to a workspace, in the browser or with a key',
    load: () => import('./commands/login.ts'),
  },
  logout: { group: signIn, summary: 'Sign out and revoke the key', load: () => import('./commands/logout.ts') },
  whoami: {
    group: signIn,
    summary: 'Say who you are here, and where the key is kept',
    load: () => import('./commands/whoami.ts'),
  },
  demo: {
    group: machine,
    summary: 'See it all work: a sample project, a server, two pushes, a pull',
    load: () => import('./commands/demo.ts'),
  },
  doctor: {
    group: machine,
    summary: 'Look for what is wrong here, and say the command that fixes it',
    load: () => import('./commands/doctor.ts'),
  },
  inspect: {
    group: machine,
    takes: '<files…>',
    summary: 'Show what is in files; needs no server',
    load: () => import('./commands/inspect.ts'),
  },
  update: {
    group: machine,
    summary: 'Bring ph up to the version that the server hands out',
    load: () => import('./commands/update.ts'),
  },
  server: {
    group: machine,
    takes: 'start | doctor | …',
    summary: 'Run the companion server, and look after it',
    load: () => import('./commands/server.ts'),
  },
}

/** Runs `ph` with these arguments to its exit code. Never throws; whatever goes wrong is told on stderr. */
export async function run(args: readonly string[], surroundings: Surroundings): Promise<number> {
  let code: number = exits.done
  let context: Context | undefined
  try {
    const program = await parserFor(args, surroundings, async (command, input) => {
      context = makeContext(surroundings, program.opts<Globals>(), run)
      code = (await command.run(context, input as never)) ?? exits.done
    })
    await program.parseAsync(withHelpOption(args), { from: 'user' })
    if (context?.interactive && asksServer(args, surroundings)) {
      const { tellNewerClient } = await import('./commands/update/notice.ts')
      await tellNewerClient(context)
    }
    return code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exits.done : exits.usage
    return endOf(await explained(error, context), args, surroundings)
  }
}

/** Commands of these groups have just talked to the server. */
function asksServer(args: readonly string[], surroundings: Surroundings): boolean {
  const { group } = firstWords[usedWord(args, surroundings) ?? ''] ?? {}
  return group === library || group === curation
}

/** `ph` alone asks for help; `ph help server start` means `ph server start --help`; help on nothing we have is a wrong word. */
function withHelpOption(args: readonly string[]): string[] {
  const [word, topic, ...rest] = args
  if (word === undefined) return ['--help']
  if (word !== 'help' || topic === undefined || topic.startsWith('-')) return [...args]
  return topic in firstWords ? [topic, ...rest, '--help'] : [topic]
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
  if (surroundings.env.PH_DEBUG && error instanceof Error) surroundings.stderr.write(`${error.stack}\n`)
  const failure = failureOf(error)
  tellFailure(failure, surroundings, args.includes('--json'))
  return failure.exit
}

/** The parser for these arguments: the word that is used with all its commands, the others by name and summary. */
async function parserFor(args: readonly string[], surroundings: Surroundings, start: Start): Promise<Parser> {
  const { stdout, env } = surroundings
  const program = prepared(new Parser('ph'), surroundings)
    .description('A library for game props: every version kept, found again, with everything it needs.')
    .usage('<command> [options]')
    .helpCommand('help [command]', 'explain a command')
    .addHelpText('after', programEpilogue(painter(hasColor(stdout, env)), helpWidth(stdout, env)))
  for (const option of globalOptions()) program.addOption(option)
  const used = usedWord(args, surroundings)
  if (used === undefined) program.version(readVersion(), '-V, --version', 'print the version')
  for (const [name, { group, summary, takes = '', load }] of Object.entries(firstWords)) {
    program.commandsGroup(group)
    if (name === used) addFirstWord(program, { name, summary, ...(await load()) }, { start, surroundings })
    else
      program
        .command(name)
        .usage(takes || ' ')
        .description(summary)
  }
  return program
}

const globalOptions = (): Option[] => [
  new Option('--json', 'print exactly one JSON document'),
  new Option('--profile <name>', 'use this profile instead of the one last signed in with'),
  new Option('--url <address>', 'talk to this server instead of the one of the profile'),
]

/** The first word, or after `help` the one it is to explain. */
function usedWord(args: readonly string[], surroundings: Surroundings): string | undefined {
  const scout = prepared(new Parser('ph'), surroundings).helpOption(false).allowUnknownOption()
  for (const option of globalOptions()) scout.addOption(option)
  const { operands, unknown } = scout.parseOptions([...args])
  const words = [...operands, ...unknown].filter((word) => !word.startsWith('-'))
  return words[0] === 'help' ? words[1] : words[0]
}
