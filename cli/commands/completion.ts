/** `ph completion`: the script with which a shell completes what is typed after `ph`. */
import { among, command } from '../command.ts'
import { wrongUsage } from '../refusal.ts'
import { scripts } from './completion/scripts.ts'

const shells = Object.keys(scripts)
const readShell = among(shells, (given) => {
  if (Object.hasOwn(scripts, given)) return given as keyof typeof scripts
  throw wrongUsage(`ph completes in no shell "${given}".`, `There are ${shells.join(', ')}.`)
})

export const commands = [
  command({
    usage: 'completion <shell>',
    description:
      'Prints a script. With it, Tab completes commands, flags and their values, and names: props, packs, tags and collections out of the mirror of this machine where there is one, else as the server knows them; projects and people as the server knows them. A server that does not answer within 0.4 seconds is not waited for; PH_COMPLETION_WAIT is another number of seconds.',
    arguments: { shell: shells.join(', ') },
    terms: {
      title: 'To have it in every terminal',
      list: [
        ['bash', 'add to ~/.bashrc: source <(ph completion bash)'],
        ['zsh', 'add to ~/.zshrc, after compinit: source <(ph completion zsh)'],
        ['fish', 'run once: ph completion fish > ~/.config/fish/completions/ph.fish'],
        ['powershell', 'add to $PROFILE: ph completion powershell | Out-String | Invoke-Expression'],
      ],
    },
    examples: [
      ['completion bash', 'the script'],
      ['completion zsh > ~/.zsh_ph', 'in a file'],
    ],
    async run(context, { shell }) {
      const script = scripts[readShell(shell)]
      context.out.result({ shell, script }, script.trimEnd().split('\n'))
      return undefined
    },
  }),
]
