/** Options that every command takes. */
import { Option } from 'commander'

export const globalOptions = (): Option[] => [
  new Option('--json', 'print exactly one JSON document'),
  new Option('--jq <expression>', 'print what jq makes of that document'),
  new Option('--fields [names]', 'print only these fields of it, with commas between them; without names list them'),
  new Option('--template <template>', 'print the document by this template (LiquidJS)'),
  new Option('--profile <name>', 'use this profile instead of the one last signed in with'),
  new Option('--url <address>', 'talk to this server instead of the one of the profile'),
]
