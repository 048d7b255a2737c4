/** A server that lies: every text of its answers, of whatever kind the contract says, drives a terminal. */
import { createServer } from 'node:http'
import { onTestFinished } from 'vitest'
import { allRoutes, apiBase } from '../../contract/index.ts'
import type { Route } from '../../contract/route.ts'

/** Begins with a word that shows that it was printed; then all that drives a terminal, hides, or begins a line of its own. */
export const hostile =
  'LIE\u001b]0;title\u0007\u001b[31m\u001b[8m\u009b2J\u009d8;;x\u009c\u202egnp\u2066\u200b\u{e0041}\r\nFAKE\u2028FAKE\u0000\u007f'

const style = new RegExp(`${'\\u001b'}\\[[\\d;]*m`, 'g')
const driving = new RegExp(
  [
    '[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f]',
    '[\\u200b\\u202a-\\u202e\\u2066-\\u2069\\u2028]',
    '[\\u{e0000}-\\u{e007f}]',
  ].join('|'),
  'gu',
)

/** What must not be on a terminal: anything but our own styles, ends of lines and tabs. */
export function drivers(printed: string): string[] {
  const bare = printed.replaceAll(style, '')
  const found = bare.match(driving) ?? []
  const conceals = printed.includes('\u001b[8m') ? ['conceal'] : []
  const lines = bare.split('\n').some((line) => line.trim().startsWith('FAKE')) ? ['a line of its own'] : []
  return [...new Set([...found, ...conceals, ...lines])]
}

interface Schema {
  type?: string | string[]
  anyOf?: Schema[]
  const?: unknown
  enum?: unknown[]
  items?: Schema
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  minItems?: number
}

/** What is left honest, so that what stands behind is reached too. */
export type Honest = 'nothing' | 'words' | 'words and times' | 'words, and no number'

/** A value of this schema by its shape, with hostile texts. */
function liesOf(schema: Schema, honest: Honest): unknown {
  const { anyOf, enum: words, type, items, properties, patternProperties } = schema
  if (anyOf) return liesOf(anyOf.find((one) => one.type !== 'null') ?? {}, honest)
  if (schema.const !== undefined) return typeof schema.const === 'string' && honest === 'nothing' ? hostile : schema.const
  if (words) return honest === 'nothing' ? hostile : words[0]
  const kind = Array.isArray(type) ? type[0] : type
  if (kind === 'integer' || kind === 'number') return honest === 'words, and no number' ? hostile : 1
  if (kind === 'boolean') return true
  if (kind === 'null') return null
  if (kind === 'array') return [liesOf(items ?? {}, honest)]
  if (kind === 'object' || properties) {
    const known = Object.entries(properties ?? {}).map(([name, one]) => [name, liesIn(name, one, honest)])
    const open = Object.values(patternProperties ?? {}).map((one) => [hostile, liesOf(one, honest)])
    return Object.fromEntries([...known, ...open])
  }
  return hostile
}

function liesIn(name: string, schema: Schema, honest: Honest): unknown {
  if (/cursor$/.test(name)) return null
  if (honest === 'words and times' && /(_at|_seen|until|ingested)$/.test(name)) return '2026-11-26T10:00:00.000Z'
  const lie = liesOf(schema, honest)
  // People write several lines into these.
  return /^(note|body|push_note|description)$/.test(name) && lie === hostile ? hostile.replaceAll('FAKE', 'next') : lie
}

const patternOf = ({ path }: Route): RegExp => new RegExp(`^${apiBase}${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)

/** Answers every route of the contract; `status` above 299 answers an error with hostile words. Gives its address. */
export async function lyingLibrary(honest: Honest, status = 200): Promise<string> {
  const routes = allRoutes.map(([, , route]) => ({ route, pattern: patternOf(route) }))
  const server = createServer((request, response) => {
    request.resume()
    const path = (request.url ?? '').split('?')[0] ?? ''
    const found = routes.find(({ route, pattern }) => route.method === request.method && pattern.test(path))
    const output = (found?.route as { output?: Schema } | undefined)?.output
    const error = {
      error: {
        code: status === 409 ? 'CONFLICT' : hostile,
        message: hostile,
        details: { reason: hostile, holder: { name: hostile } },
      },
    }
    const body = status > 299 ? error : output ? liesOf(output, honest) : {}
    response.writeHead(found ? status : 404, { 'content-type': 'application/json', 'x-ph-api': '1', 'x-request-id': 'a' })
    response.end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
}
