/** How the shape of a document is written: as a TypeScript type, in which schemas of the contract stand by name. */
import { type TSchema, Type } from 'typebox'

/** The documents of commands, by the words of the command. */
export type Shapes = Readonly<Record<string, TSchema>>

/** A schema out of the text of a type, such as `{ tags: Tag[] }`. What is joined by `&` becomes one object. */
export const shape = (text: string, names: Readonly<Record<string, TSchema>> = {}): TSchema =>
  joined(Type.Script({ ...names, Open }, text)) as TSchema

interface Joined {
  required?: string[]
  properties?: Record<string, unknown>
  additionalProperties?: boolean
}

/** A reader of a schema finds all fields of an object in one place. */
function joined(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(joined)
  if (typeof schema !== 'object' || schema === null) return schema
  const own = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, joined(value)]))
  if (!Array.isArray(own.allOf)) return own
  const parts = own.allOf as Joined[]
  const isOpen = parts.some(({ additionalProperties }) => additionalProperties === true)
  return {
    type: 'object',
    required: [...new Set(parts.flatMap(({ required = [] }) => required))],
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    ...(isOpen ? { additionalProperties: true } : {}),
  }
}

/** One of several documents, by how the command is called. */
export const either = (...shapes: readonly TSchema[]): TSchema => Type.Union([...shapes])

/** Fields that depend on what it is about, or that the server alone knows. */
export const Open: TSchema = Type.Object({}, { additionalProperties: true })

/** What every command says of an error. */
export const ErrorDocument = shape('{ code: string, message: string, details: Open, next: string[], hint: string }')

/** What a doctor found. */
export const Finding = shape('{ check: string, verdict: "ok" | "note" | "warning" | "problem", said: string, next?: string }')
