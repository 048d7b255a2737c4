/** What a client is told of a tool: its schemas as plain JSON, the plan of one that writes, and what it does as its routes do it. */
import { type TObject, Type } from 'typebox'
import { annotationsOf, isWriting, type Tool } from '../tools/tool.ts'
import { cardMeta } from './card/card.ts'

type Json = Record<string, unknown>

export interface Definition {
  name: string
  title: string
  description: string
  inputSchema: Json & { type: 'object' }
  outputSchema: Json & { type: 'object' }
  annotations: ReturnType<typeof annotationsOf>
  _meta?: Json
}

const made = new Map<Tool, Definition>()

export function definitionOf(tool: Tool): Definition {
  const known = made.get(tool) ?? make(tool)
  made.set(tool, known)
  return known
}

function make(tool: Tool): Definition {
  const { name, title, description } = tool
  return {
    name,
    title,
    description: isWriting(tool) ? `${description} Answers a plan first.` : description,
    inputSchema: isWriting(tool) ? withPlanToken(plain(tool.input)) : plain(inputSchemaOf(tool)),
    outputSchema: isWriting(tool) ? planned(plain(tool.output)) : plain(tool.output),
    annotations: annotationsOf(tool),
    ...(tool.card ? { _meta: cardMeta(tool.card) } : {}),
  }
}

/** What it takes, and whether pictures are wanted, which the tool itself is not told. */
export const inputSchemaOf = ({ input, pictured }: Tool): TObject =>
  ({
    ...input,
    properties: { ...input.properties, ...(pictured ? { picture: Type.Optional(Type.Boolean()) } : {}) },
    additionalProperties: false,
  }) as TObject

/** Clients compile these: what only our own validator knows has no place in them. */
function plain(schema: object): Json & { type: 'object' } {
  const text = JSON.stringify(schema, (key, value) => (key.startsWith('~') || key.startsWith('x-') ? undefined : value))
  return { type: 'object', ...JSON.parse(text) }
}

const withPlanToken = (input: Json & { type: 'object' }) => ({
  ...input,
  properties: { ...(input.properties as Json), plan_token: { type: 'string' } },
})

const planned = (result: Json) => ({
  type: 'object' as const,
  properties: {
    plan: { type: 'object' },
    plan_token: { type: 'string' },
    expires_at: { type: 'string' },
    declined: { type: 'boolean' },
    result,
  },
})
