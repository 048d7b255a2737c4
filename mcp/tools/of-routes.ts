/** A tool for each route of the contract that a key may ask: what it takes and answers is what the route takes and answers. */
import { type TObject, Type } from 'typebox'
import { allRoutes, type Noun } from '../../contract/index.ts'
import type { Route } from '../../contract/route.ts'
import type { Ask, Fields, RouteName, Tool } from './tool.ts'
import type { ToolsetName } from './toolset-names.ts'

/** Bytes travel as base64 and count against the size of the request; files belong to `ph push`. */
const content = {
  content_base64: Type.String({ description: 'The bytes, as base64.' }),
  content_type: Type.Optional(Type.String({ maxLength: 100 })),
}
const Address = Type.Object({ location: Type.String({ description: 'A short-lived address of the bytes.' }) })
const Done = Type.Object({ done: Type.Boolean() })

/** Not those of sign-in and of pages, which no key asks; and no streams, which no call could wait for: `changes_list` and `entries_list` answer the same in pages. */
const isForKeys = ({ scope, answers }: Route): boolean =>
  ['read', 'write', 'admin'].includes(scope) && answers !== 'ndjson' && answers !== 'events'

function toolOf([noun, verb, route]: [Noun, string, Route]): Tool {
  const name = `${snake(noun)}_${snake(verb)}`
  return {
    name,
    title: name.replaceAll('_', ' '),
    description: route.summary,
    toolset: toolsetOf(noun, route),
    routes: [`${noun}.${verb}` as RouteName],
    input: inputOf(route),
    output: outputOf(route),
    pictured: noun === 'entries' && ['list', 'searchByImage', 'get', 'find'].includes(verb),
    run: async (ask, input) => ((await call(ask, [noun, verb], bytesOf(input))) as Fields | undefined) ?? { done: true },
  }
}

/** The types of one route are those of all. */
const call = (ask: Ask, [noun, verb]: [Noun, string], input: Fields): Promise<unknown> =>
  (ask as unknown as (noun: string, verb: string, input: Fields) => Promise<unknown>)(noun, verb, input)

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

function inputOf({ input, raw }: Route): TObject {
  const properties = { ...input?.properties, ...(raw ? content : {}) }
  return Type.Object(properties, { additionalProperties: false })
}

const outputOf = ({ answers, output }: Route): TObject =>
  answers === 'redirect' ? Address : ((output as TObject | undefined) ?? Done)

function bytesOf({ content_base64: text, content_type: contentType, ...input }: Fields): Fields {
  if (typeof text !== 'string') return input
  return { ...input, bytes: Buffer.from(text, 'base64'), ...(contentType === undefined ? {} : { contentType }) }
}

/** Nouns that people work with together. */
const toolsets: Partial<Record<ToolsetName, readonly Noun[]>> = {
  catalog: ['entries', 'lineages', 'blobs', 'categories', 'duplicates', 'changes', 'members', 'identity', 'activity'],
  curation: ['tags', 'collections', 'packs', 'variants'],
  pulls: ['projects', 'pullJobs', 'editorSessions'],
  check_out: ['locks'],
  reviews: ['reviews', 'reviewRequests'],
  discussion: ['comments', 'annotations', 'attachments', 'notifications', 'watches'],
  push: ['push', 'media'],
}

function toolsetOf(noun: Noun, { scope }: Route): string {
  if (scope === 'admin') return 'admin'
  return Object.entries(toolsets).find(([, nouns]) => nouns.includes(noun))?.[0] ?? 'catalog'
}

export const toolsOfRoutes: readonly Tool[] = allRoutes.filter(([, , route]) => isForKeys(route)).map(toolOf)
