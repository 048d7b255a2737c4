/** Which tools an assistant sees, and in which projects it works: the options of `ph mcp`, which `ph mcp install` takes as well. */
import type { Selection } from '../../../mcp/main.ts'
import { flag, text, texts } from '../../command.ts'
import { wrongUsage } from '../../refusal.ts'

export const selectionOptions = {
  toolsets: text(
    '--toolsets <names>',
    'sets of tools, separated by commas: default, catalog, curation, pulls, check_out, reviews, discussion, push, files, admin, all',
  ),
  tools: text('--tools <names>', 'single tools, beside those of --toolsets'),
  excludeTools: text('--exclude-tools <names>', 'tools to leave out'),
  readOnly: flag('--read-only', 'only tools that change nothing, whatever else is chosen'),
}

export const projectOption = texts(
  '--project <folder>',
  'a project whose files it may work with, beside those of `ph agent link` (repeatable)',
)

interface Given {
  toolsets?: string | undefined
  tools?: string | undefined
  excludeTools?: string | undefined
  readOnly?: boolean | undefined
}

/** Throws USAGE where it names what does not exist. */
export async function selectionOf({ toolsets, tools, excludeTools, readOnly = false }: Given): Promise<Selection> {
  const { namesIn, unknownHere } = await import('../../../mcp/main.ts')
  const selection = {
    toolsets: namesIn(toolsets),
    tools: namesIn(tools),
    exclude: namesIn(excludeTools),
    readOnly,
  }
  const unknown = await unknownHere(selection)
  if (unknown.length === 0) return selection
  throw wrongUsage(`There is no toolset or tool ${unknown.join(', ')}.`, 'See the toolsets with `ph help mcp`.')
}

/** The same options, as they are typed. */
export const selectionArgs = ({ toolsets, tools, exclude, readOnly }: Selection): string[] => [
  ...(toolsets.length > 0 ? ['--toolsets', toolsets.join(',')] : []),
  ...(tools.length > 0 ? ['--tools', tools.join(',')] : []),
  ...(exclude.length > 0 ? ['--exclude-tools', exclude.join(',')] : []),
  ...(readOnly ? ['--read-only'] : []),
]
