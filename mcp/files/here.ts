/** The tools of an assistant on this machine: where there are projects, those on files are among the first, in the place of those that only order. */
import { existsSync } from 'node:fs'
import { Type } from 'typebox'
import { wrongInput } from '../tools/refusal.ts'
import { own } from '../tools/said.ts'
import { type Picture, searchWith } from '../tools/search.ts'
import { allTools, type Selection, unknownIn } from '../tools/selection.ts'
import type { Fields, Tool } from '../tools/tool.ts'
import { checkInTool, checkOutTool } from './check-out.ts'
import { fileIn, type Machine } from './machine.ts'
import { pullTool } from './pull.ts'
import { pushTool } from './push.ts'

const onFiles = [pullTool, pushTool, checkOutTool, checkInTool]

/** Of the fifteen, those that give way to tools on files, with the toolset that they are in then. */
const givesWay: Record<string, string> = { pull: 'pulls', jobs: 'pulls', check_out: 'check_out', release: 'check_out' }

/** `hasProjects`: when the assistant came. People link projects later, too: then the tools are there by their toolset. */
export function toolsHere(machine: Machine, hasProjects: boolean): Tool[] {
  const tools = allTools.map((tool) => (tool.name === 'search' ? searchHere(machine) : tool))
  const files = onFiles.map(({ on }) => on(machine))
  if (!hasProjects) return [...tools, ...files]
  const moved = tools.map((tool) => ({ ...tool, toolset: givesWay[tool.name] ?? tool.toolset }))
  return [...moved, ...files.map((tool) => ({ ...tool, isFirst: true }))]
}

/** Toolsets and tools of a selection that do not exist here. */
export const unknownHere = (selection: Selection): string[] => unknownIn(selection, [...allTools, ...onFiles])

function searchHere(machine: Machine): Tool {
  const image_file = Type.Optional(
    Type.String({ description: 'A picture, texture or mesh in a linked project that they are to look like', maxLength: 4096 }),
  )
  return searchWith({ properties: { image_file }, read: (input) => pictureIn(machine, input) })
}

async function pictureIn(machine: Machine, { image_file: path }: Fields): Promise<Picture | undefined> {
  if (path === undefined) return undefined
  if (typeof path !== 'string') throw wrongInput(own`image_file`, own`is no path`)
  const file = await fileIn(machine, path)
  if (!existsSync(file)) throw wrongInput(own`image_file`, own`there is no such file`, { image_file: path })
  const { searchPicture } = await import('../../client/looks/search-picture.ts')
  return searchPicture(file)
}
