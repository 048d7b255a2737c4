/** The fields of a document: as `--fields` lists them, and as its published schema describes them. */
import type { TSchema } from 'typebox'
import { wordsOfProps } from './words-of-props.ts'
import { wordsOfServers } from './words-of-servers.ts'
import { wordsOfWork } from './words-of-work.ts'

export interface Field {
  /** `entries.name`: of each of the entries. */
  name: string
  type: string
  description: string
}

interface Node {
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Node[]
  items?: Node
  properties?: Record<string, Node>
  required?: string[]
  description?: string
}

/** Deeper ones are found in the schema, and can be picked all the same. */
const listedDepth = 2

const words: Readonly<Record<string, string>> = { ...wordsOfServers, ...wordsOfProps, ...wordsOfWork }

const wordOf = (name: string, parent: string | undefined): string => words[`${parent}.${name}`] ?? words[name] ?? ''

/** What stands below a field, whether it is one thing or a list of them. */
const parts = (node: Node): Node[] =>
  node.anyOf ? node.anyOf.flatMap(parts) : node.items ? parts(node.items) : node.properties ? [node] : []

/** Fields in the order in which documents have them; of several documents, each once. */
export function fieldsOf(schema: TSchema, depth = listedDepth): Field[] {
  const found = new Map<string, Field>()
  const walk = (node: Node, above: readonly string[]) => {
    for (const { properties = {} } of parts(node))
      for (const [own, below] of Object.entries(properties)) {
        const path = [...above, own]
        const name = path.join('.')
        if (!found.has(name)) found.set(name, { name, type: typeOf(below), description: wordOf(own, above.at(-1)) })
        if (path.length < depth) walk(below, path)
      }
  }
  walk(schema as Node, [])
  return [...found.values()]
}

/** `text`, `number or null`, `list of objects`, `"new" or "held"`. */
export function typeOf({ type, anyOf, items, enum: words, const: only }: Node): string {
  if (anyOf) return [...new Set(anyOf.map(typeOf))].join(' or ')
  if (only !== undefined) return JSON.stringify(only)
  if (words) return words.map((word) => (word === null ? 'null' : JSON.stringify(word))).join(' or ')
  if (items) return `list of ${plurals[typeOf(items)] ?? typeOf(items)}${[type].flat().includes('null') ? ' or null' : ''}`
  const types = [type ?? 'anything'].flat()
  return types.map((one) => typeNames[one] ?? one).join(' or ')
}

const typeNames: Readonly<Record<string, string>> = { string: 'text', integer: 'number', boolean: 'true or false' }
const plurals: Readonly<Record<string, string>> = { text: 'texts', number: 'numbers', object: 'objects' }

/** The schema with a sentence at each field that has one. */
export function described(node: unknown, parent?: string): unknown {
  if (Array.isArray(node)) return node.map((one) => described(one, parent))
  if (typeof node !== 'object' || node === null) return node
  const { properties, ...rest } = node as Node
  const own = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, described(value, parent)]))
  if (!properties) return own
  const fields = Object.entries(properties).map(([name, field]) => {
    const description = wordOf(name, parent)
    const inner = described(field, name) as object
    return [name, description === '' ? inner : { ...inner, description }] as const
  })
  return { ...own, properties: Object.fromEntries(fields) }
}
