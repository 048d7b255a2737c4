/** `ph agent link`, `unlink`, `why`. */
import { resolve } from 'node:path'
import { ClientError } from '../../../client/client-error.ts'
import { printable } from '../../../system/printable.ts'
import { shellWord } from '../../../system/shell-word.ts'
import { command, flag, text } from '../../command.ts'
import { wrap } from '../../terminal/wrap.ts'
import { askAgent, elsewhere } from './workspace.ts'

const folder = 'the folder of the project or one in it, or its .uproject file'

export const projectCommands = [
  command({
    usage: 'agent link <folder>',
    summary: 'Let the agent look after a project on this machine',
    description:
      'It watches the files, warns when you edit what someone else has checked out, and with --accept-imports brings what you send to the project with `ph send --to-agent`, from any machine, and what colleagues send whom you allow with `ph agent allow`. Again for the same project, the options given then count.',
    arguments: { folder },
    options: {
      acceptImports: flag('--accept-imports', 'bring what you send to this project, without a command'),
      takeAway: flag(
        '--take-away',
        'let imports move files into the backups of the project that have no place in it any more; `ph undo` brings them back',
      ),
      autoCheckout: flag('--auto-checkout', 'check a prop out when you first save it, where nobody has it'),
      engine: text('--engine <version>', 'the engine, such as 5.4.0, where the .uproject names none'),
      project: text('--project <name>', 'the name of the project, where the folder has no .uproject'),
    },
    examples: [
      ['agent link . --accept-imports', 'the project in this folder'],
      ['agent link ~/Tavern/Tavern.uproject --auto-checkout', 'by its file'],
    ],
    exits: ['conflict'],
    async run(context, { folder: path, acceptImports, takeAway, autoCheckout, engine, project }) {
      const agent = await askAgent(context)
      const linked = await agent.api.agentProjects.link({
        path: resolve(context.cwd, path),
        accepts_imports: acceptImports,
        takes_away: takeAway,
        auto_checkout: autoCheckout,
        ...(engine === undefined ? {} : { engine_version: engine }),
        ...(project === undefined ? {} : { project_key: project }),
      })
      const other = await elsewhere(context, agent)
      context.out.result(linked, () => [
        `${printable(linked.project_key)} is looked after, in ${printable(linked.root)}.`,
        linked.accepts_imports
          ? `What you send to it arrives by itself: ph send <props> --project ${shellWord(linked.project_key)} --to-agent`
          : 'It takes no imports by itself; --accept-imports lets it.',
        ...(linked.takes_away
          ? ['Old files of props that moved, and of actors that left a level, go into the backups of the project.']
          : []),
        ...(other === undefined
          ? []
          : [`The agent works for ${printable(agent.presence.server)}; other commands of ph use ${printable(other)} now.`]),
        ...(linked.plugin?.state === 'missing' && !linked.editor
          ? [`Its editor has no plugin that speaks to the agent; this puts it there: ph agent plugin ${shellWord(linked.root)}`]
          : []),
      ])
      return undefined
    },
  }),
  command({
    usage: 'agent unlink <folder>',
    summary: 'Let the agent look after a project no more',
    description: 'The files stay as they are.',
    arguments: { folder },
    examples: [['agent unlink .', 'the project in this folder']],
    async run(context, { folder: path }) {
      const { api } = await askAgent(context)
      const unlinked = await api.agentProjects.unlink({ path: resolve(context.cwd, path) })
      context.out.result(unlinked, `The project in ${printable(unlinked.root)} is looked after no more.`)
      return undefined
    },
  }),
  command({
    usage: 'agent why <file>',
    summary: 'Say why a file is not as the library has it, and what fixes that',
    arguments: { file: 'a file of a project that the agent looks after' },
    examples: [['agent why Content/Inn/SM_Barrel.uasset', 'in plain words']],
    async run(context, { file }) {
      const { api } = await askAgent(context)
      const path = resolve(context.cwd, file)
      if (path.includes('\0')) throw new ClientError('PATH_NOT_FOUND', 'A path holds no NUL character.')
      const found = await api.agentFiles.why({ path })
      const { paint, width } = context.out
      context.out.result(found, () => [
        paint('bold', printable(found.file.file)),
        ...found.reasons.flatMap(({ message, command: fix }) => [
          ...wrap(printable(message), width, '  '),
          ...(fix === null ? [] : [`    ${paint('cyan', printable(fix))}`]),
        ]),
      ])
      return undefined
    },
  }),
]
