/** A tool on files of this machine: the same as the others, with the machine beside the library. */
import { type Static, type TObject, Type } from 'typebox'
import type { Fields, RouteName, Tool } from '../tools/tool.ts'
import type { Machine } from './machine.ts'

export interface FileTool<I extends TObject> {
  name: string
  title: string
  description: string
  routes: readonly RouteName[]
  input: I
  replacesFiles: boolean
  plan(machine: Machine, input: Static<I>): Promise<Fields>
  run(machine: Machine, input: Static<I>): Promise<Fields>
}

export interface OnMachine extends Pick<Tool, 'name' | 'toolset'> {
  on(machine: Machine): Tool
}

/** Its input is checked against `input` before `plan` and `run` get it. */
export function fileTool<I extends TObject>({ plan, run, ...tool }: FileTool<I>): OnMachine {
  const toolset = 'files'
  return {
    name: tool.name,
    toolset,
    on: (machine) => ({
      ...tool,
      toolset,
      output: Type.Object({}),
      plan: (_, input) => plan(machine, input as Static<I>),
      run: (_, input) => run(machine, input as Static<I>),
    }),
  }
}

export const ProjectArgument = Type.Optional(
  Type.String({ description: 'Name or folder of a linked project; not needed where there is one' }),
)
