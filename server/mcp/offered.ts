/** Which tools someone is offered on the hosted endpoint: what they chose, within the setting of the server and what their key can do. */
import { allTools, type Rights, type Selection, selectTools } from '../../mcp/tools/selection.ts'
import type { Tool } from '../../mcp/tools/tool.ts'
import type { Settings } from '../config.ts'

export type OfferTools = (selection: Selection, rights: Rights) => readonly Tool[]

/** Clients choose by headers; so many choices are remembered. */
const mostRemembered = 200

/** Lists are made once for each choice and kind of key: most assistants choose nothing. */
export function offerTools({ mcpToolsets, mcpReadOnly }: Pick<Settings, 'mcpToolsets' | 'mcpReadOnly'>): OfferTools {
  const bound = { toolsets: mcpToolsets, tools: [], exclude: [], readOnly: mcpReadOnly }
  const within = selectTools(bound, { scope: 'write', isAdmin: true }, allTools)
  // Who chooses nothing where none of the first tools is allowed gets what is.
  const usual = within.some(({ toolset }) => toolset === 'default') ? ['default'] : ['all']
  const made = new Map<string, readonly Tool[]>()
  return (selection, rights) => {
    const { toolsets, tools } = selection
    const chosen = toolsets.length === 0 && tools.length === 0 ? { ...selection, toolsets: usual } : selection
    const key = JSON.stringify([chosen, rights])
    const offered = made.get(key) ?? selectTools(chosen, rights, within)
    if (made.size >= mostRemembered) made.clear()
    made.set(key, offered)
    return offered
  }
}
