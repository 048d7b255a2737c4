/** Missing dependencies in words: packages that are not in the library, and plugins that are needed. */
import type { MissingInProject, MissingPackage, NeededPlugin } from '../../client/pull/missing-in-project.ts'
import { printable } from '../../system/printable.ts'
import { count, number } from '../terminal/amounts.ts'
import type { Output } from '../terminal/output.ts'
import { wrap } from '../terminal/wrap.ts'

export interface MissingLook {
  out: Output
  /** What they are missing of: one entry, or several. */
  entries: number
  /** Name every package. */
  all: boolean
  /** The option that does. */
  allFlag?: string
}

/** Longer lists end in a line that says how many more there are. */
const mostPackages = 5
const mostUsers = 3

/** No lines where nothing is missing. What a project has is not told. */
export function missingWords({ missing_dependencies, plugins }: MissingInProject, look: MissingLook): string[] {
  const needed = plugins.filter(({ present }) => present !== true)
  if (missing_dependencies.length + needed.length === 0) return []
  return [
    '',
    look.out.paint(['yellow', 'bold'], 'Missing dependencies:'),
    ...packageLines(missing_dependencies, look),
    ...pluginLines(needed, look),
  ]
}

function packageLines(packages: readonly MissingPackage[], { out, entries, all, allFlag }: MissingLook): string[] {
  if (packages.length === 0) return []
  const shown = all ? packages : packages.slice(0, mostPackages)
  const hidden = packages.length - shown.length
  const isOne = packages.length === 1
  const what = `${count(packages.length, 'package')} ${entries === 1 ? 'it references' : 'they reference'}`
  return [
    ...wrap(`${what} ${isOne ? 'is' : 'are'} not in the library:`, out.width, '  '),
    ...shown.map(({ name, entries: users }) => `    ${printable(name)}  ${out.paint('dim', `used by ${usersOf(users)}`)}`),
    ...(hidden > 0 ? [`    and ${number(hidden)} more${allFlag ? ` (${allFlag})` : ''}`] : []),
    ...advice(`Push ${isOne ? 'it' : 'them'} from the project that has ${isOne ? 'it' : 'them'}.`, out),
  ]
}

function usersOf(users: readonly string[]): string {
  const hidden = users.length - mostUsers
  const shown = users.slice(0, mostUsers).map(printable).join(', ')
  return hidden > 0 ? `${shown} and ${number(hidden)} more` : shown
}

function pluginLines(plugins: readonly NeededPlugin[], { out, entries }: MissingLook): string[] {
  if (plugins.length === 0) return []
  const isOne = plugins.length === 1
  const names = plugins.map(({ name }) => printable(name)).join(', ')
  const it = isOne ? 'it' : 'them'
  const isKnown = plugins.some(({ present }) => present === false)
  const state = isKnown ? `; the .uproject does not enable ${it}` : ''
  return [
    ...wrap(`${entries === 1 ? 'It needs' : 'They need'} the ${isOne ? 'plugin' : 'plugins'} ${names}${state}.`, out.width, '  '),
    ...(isKnown ? advice(`Enable ${it} in the project (Edit > Plugins), unless the engine does so by default.`, out) : []),
  ]
}

const advice = (text: string, { paint, width }: Output): string[] =>
  wrap(`→ ${text}`, width, '    ').map((line) => paint('dim', line))
