/** `ph api`: any route of the service, as curl would ask it, with the key, the retries and the errors of `ph`. */

import { createReadStream } from 'node:fs'
import { open, readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Bytes, bodyOf } from '../../client/http/body.ts'
import type { ApiRequest } from '../../client/http/request.ts'
import { allRoutes, apiBase } from '../../contract/index.ts'
import { limits } from '../../contract/limits.ts'
import type { RawBody, Route } from '../../contract/route.ts'
import { printableJson } from '../../system/printable.ts'
import { command, flag, text, values } from '../command.ts'
import type { Context } from '../context.ts'
import { type Library, withLibrary } from '../library.ts'
import { wrongUsage } from '../refusal.ts'
import { readAll } from '../terminal/standard-input.ts'
import { followPages } from './api/pagination.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
type Field = readonly [key: string, value: unknown]

export const commands = [
  command({
    usage: 'api <request...>',
    description:
      'Prints the JSON of the answer; of one that goes on, each event as a line, until you stop it with Ctrl-C. Paths are those of the service, with or without /api/v1. Redirects are printed, not followed. See docs/api.md or <server>/openapi.json for what there is.',
    arguments: {
      request:
        'a method (GET, POST, PUT, PATCH or DELETE) and a path such as /entries?limit=5 or /entries/42/closure; a path alone is GET, or POST where there is a body',
    },
    options: {
      field: values(
        '-f, --field <key=value>',
        'a field of the body, or of the query where the route takes it there; JSON is taken as such (repeatable)',
        readField,
      ),
      rawField: values('-F, --raw-field <key=value>', 'the same, always as text (repeatable)', readTextField),
      data: text('-d, --data <body>', 'the body: JSON, @file, or - for standard input'),
      input: text('--input <file>', 'the body out of this file, or - for standard input'),
      paginate: flag('--paginate', 'follow the pages to the last and print them as one document'),
    },
    examples: [
      ['api GET /entries -f type=mesh -f limit=5', 'five meshes'],
      ['api /entries --paginate', 'every entry, as one document'],
      ['api POST /push/negotiate --input manifest.json', 'a body out of a file'],
      ['api POST /admin/denylist -f kind=content_hash -f value=<hash>', 'a body out of fields'],
    ],
    exits: ['conflict'],
    async run(context, { request: words, field, rawField, data, input, paginate }) {
      if (data !== undefined && input !== undefined)
        throw wrongUsage('--data and --input both give the body.', 'Use one of them.')
      const body = input === undefined || input === '-' ? (input ?? data) : `@${input}`
      const fields = [...field, ...rawField]
      const target = targetOf(words, { hasBody: body !== undefined || fields.length > 0, paginate })
      const { request, route } = await requestOf(context, { ...target, fields, data: body })
      await withLibrary(context, async ({ http }) => {
        if (route?.answers === 'events') return follow(context, http, request)
        const answer = paginate ? await followPages(request, (page) => http.json(page)) : await ask(http, request, route)
        if (answer !== undefined) context.out.result(answer, () => printableJson(JSON.stringify(answer, null, 2)).split('\n'))
      })
      return undefined
    },
  }),
]

/** The method and the path out of the words; a path alone is POST where there is something to send. */
function targetOf(
  words: readonly string[],
  { hasBody, paginate }: { hasBody: boolean; paginate: boolean },
): Pick<RequestInput, 'method' | 'path'> {
  const [first = '', second, ...more] = words
  const method = methods.find((known) => known === first.toUpperCase())
  if (second === undefined && !method) return { method: hasBody && !paginate ? 'POST' : 'GET', path: first }
  if (!method) throw wrongUsage(`There is no method ${first}.`, `Use one of ${methods.join(', ')}.`)
  if (second === undefined)
    throw wrongUsage(`The path is missing after ${method}.`, `Write it like this: ph api ${method} /entries`)
  if (more.length > 0)
    throw wrongUsage(`ph api takes a method and a path; it got ${more.join(', ')} as well.`, 'Put a path with blanks in quotes.')
  return { method, path: second }
}

/** `key=value`; a value that is JSON is taken as such: `limit=5` is a number, `name="5"` a text. */
function readField(given: string): Field {
  const [key, value] = readTextField(given)
  try {
    return [key, JSON.parse(value)]
  } catch {
    return [key, value]
  }
}

function readTextField(given: string): readonly [key: string, value: string] {
  const at = given.indexOf('=')
  if (at < 1)
    throw wrongUsage(`The field ${given} is not a key and a value with = between them.`, 'Write it like this: --field limit=5')
  return [given.slice(0, at), given.slice(at + 1)]
}

interface RequestInput {
  method: (typeof methods)[number]
  path: string
  fields: readonly Field[]
  data: string | undefined
}

async function requestOf(
  context: Context,
  { method, path: given, fields, data }: RequestInput,
): Promise<{ request: ApiRequest; route?: Route }> {
  const url = new URL(given.replace(/^\/?/, '/').replace(/^\/api\/v1(?=\/)/, ''), 'http://library')
  const route = routeOf(method, url.pathname)
  const query = url.searchParams
  const allInQuery = method === 'GET' || method === 'DELETE' || route?.raw !== undefined
  const isInQuery = ([key]: Field) => allInQuery || route?.query?.includes(key) === true
  for (const [key, value] of fields.filter(isInQuery)) for (const one of [value].flat()) query.append(key, asText(one))
  const request: ApiRequest = { method, path: url.pathname, query, budget: route?.budget }
  if (route?.raw) return { request: { ...request, ...(await rawBody(context, data, route.raw)) }, route }
  const body = fields.filter((field) => !isInQuery(field))
  if (data !== undefined && body.length > 0)
    throw wrongUsage('The body is given as a whole and by fields.', 'Leave out one of them.')
  const json = data === undefined ? Object.fromEntries(body) : await jsonBody(context, data)
  return { request: data === undefined && body.length === 0 ? request : { ...request, json }, route }
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** The route of the contract that a path means, if it is one: it says whether the body is raw and what kind of answer comes. */
function routeOf(method: string, path: string): Route | undefined {
  const fits = (route: Route) => new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path)
  return allRoutes.find(([, , route]) => route.method === method && fits(route))?.[2]
}

async function ask(http: Library['http'], request: ApiRequest, route: Route | undefined): Promise<unknown> {
  if (route?.answers === 'redirect') return http.redirect(request)
  if (route?.answers !== 'ndjson') return http.json(request)
  const lines: unknown[] = []
  for await (const line of http.lines(request)) lines.push(line)
  return lines
}

/** Each event as a line, as it comes. */
async function follow({ out }: Context, http: Library['http'], request: ApiRequest): Promise<void> {
  for await (const event of http.events(request)) await out.event(event, () => [printableJson(JSON.stringify(event))])
}

async function jsonBody(context: Context, data: string): Promise<unknown> {
  const [bytes, source] = await textOf(context, data)
  try {
    return JSON.parse(bytes)
  } catch (error) {
    throw wrongUsage(`${source} is not JSON: ${(error as Error).message}.`, `Check it, or use --field. ${apiBase} takes JSON.`)
  }
}

async function textOf(context: Context, data: string): Promise<[text: string, place: string]> {
  if (data === '-')
    return [(await readAll(context, 'The body', limits.jsonBodyBytes)).toString('utf8'), 'The text on standard input']
  if (data.startsWith('@')) return [await readFile(resolve(context.cwd, data.slice(1)), 'utf8'), data.slice(1)]
  return [data, 'The text after --data']
}

/** Bytes for an upload, streamed from a file, or what standard input holds; and what kind they are, where the route takes few kinds. */
async function rawBody(
  context: Context,
  data: string | undefined,
  { maxBytes, types = [] }: RawBody,
): Promise<Pick<ApiRequest, 'bytes' | 'contentType'>> {
  if (data === '-') {
    const bytes = await readAll(context, 'The body', Math.min(maxBytes, limits.jsonBodyBytes))
    return { bytes: bodyOf(bytes), contentType: typeAmong(types, bytes[0]) }
  }
  if (!data?.startsWith('@'))
    throw wrongUsage('This route takes bytes.', 'Name a file: --input picture.png, or pipe it in: --input -')
  const file = resolve(context.cwd, data.slice(1))
  const { size } = await stat(file)
  const bytes: Bytes = { size, open: () => createReadStream(file) }
  return { bytes, contentType: typeAmong(types, await firstByteOf(file)) }
}

/** The first byte of every JPEG. */
const jpegStart = 0xff

const typeAmong = (types: readonly string[], firstByte: number | undefined): string | undefined =>
  firstByte === jpegStart && types.includes('image/jpeg') ? 'image/jpeg' : types[0]

async function firstByteOf(file: string): Promise<number | undefined> {
  await using opened = await open(file)
  const { bytesRead, buffer } = await opened.read(Buffer.alloc(1))
  return bytesRead === 1 ? buffer[0] : undefined
}
