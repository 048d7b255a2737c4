/** The document that says what `ph` can do. */
import { Open, type Shapes, shape } from './shape.ts'

const Flag = shape(
  `{
    name: string, short: string | null, value: string | null, type: "switch" | "text", values: string[] | null, repeatable: boolean,
    default: string | null, description: string
  }`,
)
const Command = shape(
  `{
    command: string, group: string, usage: string, summary: string, description: string | null,
    arguments: { name: string, required: boolean, many: boolean, description: string }[], flags: Flag[], exit_codes: integer[],
    examples: { line: string, meaning: string }[], schema: Open | null, without_schema: string | null
  }`,
  { Flag, Open },
)

export const capabilitiesShapes: Shapes = {
  completion: shape('{ shell: string, script: string }'),
  capabilities: shape(
    `{
      version: string, api: integer, commands: Command[], global_flags: Flag[],
      exit_codes: { code: integer, name: string, meaning: string }[],
      error_codes: { code: string, from: "service" | "client" | "command", exit: integer | null, meaning: string | null, hint: string | null }[],
      error_schema: Open
    }`,
    { Command, Flag, Open },
  ),
}
