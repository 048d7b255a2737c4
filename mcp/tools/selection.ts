/** Which tools someone sees: what they chose, within what their key can do. Read-only wins over everything that was chosen. */
import { everydayReading } from './everyday-reading.ts'
import { everydayWriting } from './everyday-writing.ts'
import { toolsOfRoutes } from './of-routes.ts'
import { isWriting, scopeOf, type Tool } from './tool.ts'

export const allTools: readonly Tool[] = [...everydayReading, ...everydayWriting, ...toolsOfRoutes]

type Named = Pick<Tool, 'name' | 'toolset'>

/** Names of toolsets; `all` stands for all of them. */
const toolsetsOf = (tools: readonly Named[]): string[] => [...new Set(tools.map(({ toolset }) => toolset)), 'all']

export interface Selection {
  /** Without any: `default`, unless single tools are named. */
  toolsets: readonly string[]
  /** Single tools beside those of the toolsets. */
  tools: readonly string[]
  exclude: readonly string[]
  readOnly: boolean
}

/** What a key can do. */
export interface Rights {
  scope: 'read' | 'write'
  isAdmin: boolean
}

/** Names that are unknown are passed over here; `unknownIn` tells them. */
export function selectTools(selection: Selection, rights: Rights, of: readonly Tool[] = allTools): Tool[] {
  const { toolsets: sets, tools, exclude, readOnly } = selection
  const chosen = new Set(sets.length === 0 && tools.length === 0 ? ['default'] : sets)
  return of.filter(
    (tool) =>
      (chosen.has('all') ||
        chosen.has(tool.toolset) ||
        (tool.isFirst === true && chosen.has('default')) ||
        tools.includes(tool.name)) &&
      !exclude.includes(tool.name) &&
      !(readOnly && isWriting(tool)) &&
      isWithin(rights, tool),
  )
}

/** A read key never sees a writing tool, a member none of the admins'. */
function isWithin({ scope, isAdmin }: Rights, tool: Tool): boolean {
  const needs = scopeOf(tool)
  return needs === 'read' || (scope === 'write' && (needs === 'write' || isAdmin))
}

/** Toolsets and tools of a selection that do not exist. */
export function unknownIn({ toolsets: sets, tools, exclude }: Selection, of: readonly Named[] = allTools): string[] {
  const names = new Set(of.map(({ name }) => name))
  const known = new Set(toolsetsOf(of))
  return [...sets.filter((name) => !known.has(name)), ...[...tools, ...exclude].filter((name) => !names.has(name))]
}
