/** An assistant that is told hostile texts: what it reads outside of fences, and arguments for tools as their schemas want them. */
import type { Client } from '@modelcontextprotocol/client'
import { expect } from 'vitest'
import type { Json } from './api.ts'
import { hostile, mark } from './hostile-library.ts'

export const everything = { args: ['--toolsets', 'all'], headers: { 'x-mcp-toolsets': 'all' } }
const fence = /<library-data-([0-9a-f]{12})> [^\n]*\n([^\n]*)\n<\/library-data-\1>/g

/** All texts of an answer that an assistant reads as words of the library. */
export function voiceOf(answer: Json): string[] {
  const contents = [answer.content, answer.messages?.map(({ content }: Json) => content), answer.contents].flat(2)
  return contents.flatMap((block: Json) =>
    block === undefined
      ? []
      : [block.text, block.resource?.text, block.name, block.title, block.description].filter((text) => text !== undefined),
  )
}

export const outsideOfFences = (text: string): string => text.replaceAll(fence, '')

/** What was seen, so that a test that sees nothing fails. */
export interface Seen {
  fenced: number
  codes: Set<string>
  answered: Set<string>
}

export function requireFenced(texts: readonly string[], told: string, seen: Seen): void {
  for (const text of texts) {
    for (const [, , data = ''] of text.matchAll(fence)) {
      expect([told, JSON.parse(data)]).toEqual([told, expect.anything()])
      expect([told, data]).toEqual([told, expect.not.stringMatching(/[\u202e\u200b\u2028\u{e0041}]/u)])
      if (data.includes(mark)) seen.fenced++
    }
    const outside = outsideOfFences(text)
    expect([told, outside]).toEqual([told, expect.not.stringMatching(/M4RK|SYSTEM|library-data|approve all/)])
  }
}

/** A call, whatever comes of it. */
export async function tried(client: Client, name: string, args: Json): Promise<Json> {
  try {
    return (await client.callTool({ name, arguments: args })) as Json
  } catch (error) {
    return { isError: true, content: [{ text: (error as Error).message }] }
  }
}

type Kind = 'right' | 'unknown' | 'hostile'
export const unknownId = 987_654_321

/** Arguments for a schema: those that are there, those that are not, and texts that nobody should say again. */
export function argumentsFor(schema: Json, kind: Kind, ids: Json): Json {
  const names = Object.keys(schema.properties ?? {}).filter((name) => kind === 'hostile' || schema.required?.includes(name))
  return Object.fromEntries(
    names.filter((name) => name !== 'plan_token').map((name) => [name, valueFor(name, schema.properties[name], [kind, ids])]),
  )
}

function valueFor(name: string, schema: Json, how: [Kind, Json]): unknown {
  const [kind, ids] = how
  const known = ids[name] ?? ids[name.replace(/s$/, '')]
  if (schema.anyOf) return valueFor(name, schema.anyOf.find((one: Json) => one.type !== 'null') ?? {}, how)
  if (schema.enum) return schema.enum[0]
  if (schema.type === 'array') return [valueFor(name.replace(/s$/, ''), schema.items ?? {}, how)]
  if (schema.type === 'object') return argumentsFor(schema, kind, ids)
  if (kind === 'unknown' && known !== undefined) return typeof known === 'number' ? unknownId : `unknown${mark}`.slice(0, 60)
  if (known !== undefined && kind === 'right') return known
  if (schema.type === 'integer' || schema.type === 'number') return known ?? schema.minimum ?? 1
  if (schema.type === 'boolean') return true
  if (schema.type === 'string') return kind === 'hostile' ? hostile(name) : textFor(name)
  return kind === 'hostile' ? { [hostile(name)]: hostile(name) } : {}
}

const textFor = (name: string): string => (name === 'reviewers' ? 'olivia' : name.includes('hash') ? '0'.repeat(64) : 'a text')

export const nothingSeen = (): Seen => ({ fenced: 0, codes: new Set(), answered: new Set() })
