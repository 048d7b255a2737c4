/** Prints the contract: OpenAPI 3.1 for programs, a page for people. Both come from the route table and nothing else. */
import { agentRoutes } from './agent.ts'
import { errors } from './errors.ts'
import { allRoutes, apiBase, sessionCookie } from './index.ts'
import { limits } from './limits.ts'
import { inputLocations, maxBodyBytes, type Route } from './route.ts'
import { ErrorEnvelope, FrontDoorError } from './shapes.ts'

type Json = Record<string, unknown>

/** The OpenAPI 3.1 document of every route. */
export function openApi(): Json {
  const paths: Record<string, Json> = {}
  for (const [noun, verb, route] of allRoutes) {
    const address = `${apiBase}${route.path}`
    paths[address] = { ...paths[address], [route.method.toLowerCase()]: operation(`${noun}.${verb}`, route) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Prop House', version: '1', description: 'The library of game props of one workspace.' },
    paths,
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer' },
        session: { type: 'apiKey', in: 'cookie', name: sessionCookie },
      },
      schemas: { Error: ErrorEnvelope, FrontDoorError },
    },
  }
}

function operation(id: string, route: Route): Json {
  const locations = inputLocations(route)
  const properties = (route.input?.properties ?? {}) as Record<string, Json>
  const required = new Set((route.input as { required?: string[] } | undefined)?.required ?? [])
  const parameter = (name: string, location: 'path' | 'query') => ({
    name,
    in: location,
    required: location === 'path' || required.has(name),
    schema: properties[name],
  })
  return {
    operationId: id,
    summary: route.summary,
    tags: [id.split('.')[0]],
    ...security(route),
    parameters: [
      ...locations.path.map((name) => parameter(name, 'path')),
      ...locations.query.map((name) => parameter(name, 'query')),
    ],
    ...requestBody(route, locations.body),
    responses: responses(route),
  }
}

/** A program without a key reads this too: no `security` means that none is needed. */
function security({ scope }: Route): Json {
  if (scope === 'none') return {}
  if (scope === 'session') return { security: [{ session: [] }] }
  if (scope === 'signed-in') return { security: [{ key: [] }, { session: [] }] }
  return { security: [{ key: [scope] }] }
}

function requestBody(route: Route, keys: string[]): Json {
  const body = { description: `At most ${inWords(maxBodyBytes(route))}.`, 'x-max-bytes': maxBodyBytes(route) }
  if (route.raw) {
    const bytes = { schema: { type: 'string', format: 'binary' } }
    const types = route.raw.types ?? ['application/octet-stream']
    return { requestBody: { required: true, ...body, content: Object.fromEntries(types.map((type) => [type, bytes])) } }
  }
  if (keys.length === 0) return {}
  const { properties, required } = route.input as unknown as { properties: Record<string, Json>; required?: string[] }
  const needed = keys.filter((key) => required?.includes(key))
  const schema = {
    type: 'object',
    properties: Object.fromEntries(keys.map((key) => [key, properties[key]])),
    required: needed,
  }
  return { requestBody: { required: needed.length > 0, ...body, content: { 'application/json': { schema } } } }
}

const inWords = (bytes: number): string => `${bytes.toLocaleString('en')} bytes`

function responses(route: Route): Json {
  const failures: Record<string, string[]> = {}
  for (const code of route.errors ?? []) {
    const status = String(errors[code][0])
    failures[status] = [...(failures[status] ?? []), code]
  }
  return {
    [successStatus(route)]: success(route),
    ...(route.created ? { 201: success(route) } : {}),
    ...Object.fromEntries(
      Object.entries(failures).map(([status, codes]) => [
        status,
        { description: codes.join(', '), content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } },
      ]),
    ),
  }
}

const successStatus = (route: Route) => (route.answers === 'redirect' ? 302 : (route.status ?? (route.output ? 200 : 204)))

function success(route: Route): Json {
  if (route.answers === 'redirect') return { description: 'Redirect to a presigned address' }
  if (!route.output) return { description: 'Done' }
  const type = contentTypes[route.answers ?? 'json']
  return { description: route.summary, content: { [type]: { schema: route.output } } }
}

const contentTypes = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  events: 'text/event-stream',
} as const

/** The page for people: docs/api.md. */
export const apiPage = (): string => `${pageHead}\n\n${sectionsOf(allRoutes)}\n`

/** The page of the desktop agent's local API: docs/agent-api.md. */
export const agentApiPage = (): string => `${agentPageHead}\n\n${sectionsOf(agentRoutes)}\n`

function sectionsOf(all: readonly (readonly [noun: string, verb: string, route: Route])[]): string {
  const nouns = [...new Set(all.map(([noun]) => noun))]
  const sections = nouns.map((noun) => {
    const routes = all.filter(([of]) => of === noun)
    return [`## ${noun}`, ...routes.map(([, verb, route]) => routeText(`${noun}.${verb}`, route))].join('\n\n')
  })
  return sections.join('\n\n')
}

const agentPageHead = `# The desktop agent’s API

Printed from \`contract/agent*.ts\` by \`npm run docs\`; change it there. The agent answers on a socket in its folder (a named pipe on Windows), and
on a port of the loopback interface, chosen at each start. Both are told of in \`agent/note.json\` below the state folder of \`ph\`, a file that only its owner can
read: \`{pid, host, url, token, started_at}\`. Every request carries \`Authorization: Bearer <token>\`; paths are below \`url\`. Requests that name another host than
127.0.0.1 or localhost, or carry an \`Origin\`, are refused: web pages get nothing.
Errors are \`{"error": {"code", "message", "details"}}\`, with the codes of [the server’s API](api.md); those of \`ph\` itself come with \`details.reason\` and
\`details.next\`.

Events (\`GET /agent/v1/events\`) are server-sent events with an id and JSON as data:

| event | data | when |
|---|---|---|
| \`gap\` | \`{since, next}\` | events after \`since\` are no longer kept: ask anew for what is shown |
| \`server\` | \`{state}\` | the server is \`online\`, \`offline\`, or the key is \`signed_out\` |
| \`part\` | \`{name, state, message}\` | a part of the agent runs, or failed and waits |
| \`project.linked\`, \`project.unlinked\` | \`{project_key, root}\` | |
| \`editor.announced\`, \`editor.gone\` | \`{project_key, root, session_id}\` | |
| \`import\` | an import, as \`GET /agent/v1/imports\` lists it | it began, went on, ended |
| \`conflict\` | a conflict, as \`GET /agent/v1/conflicts\` lists it | it is asked, answered, or waits |
| \`imported\` | \`{project_key, root, job_id, sent_by, note, packages, files, copies: [{file, copy}]}\` | files lie in their places: rescan them. \`copies\`: where files are kept that were changed or open and were replaced |
| \`sent\` | \`{project_key, root, sender, jobs, message, command}\` | another person sent something to the project for the first time; nothing of theirs is brought before \`PUT /agent/v1/senders\` allows it |
| \`sender\` | a sender, as \`GET /agent/v1/senders\` lists it | it was answered about |
| \`file\` | a file, as \`GET /agent/v1/files\` lists it, with \`project_key\` | it stands differently now |
| \`files\` | \`{project_key, root, files}\` | so many stand differently now, too many to tell one by one: list them anew |
| \`watching\` | \`{project_key, root, state, message}\` | the folder is gone or back, the server is away or back, something is wrong |
| \`warning\` | \`{project_key, file, path, kind, message, command}\` | someone edits what another person holds (\`held\`), or on an old base (\`diverged\`); once per file and hour |
| \`auto_checkout\` | \`{project_key, file, path, state, message}\` | of projects that chose it: a prop is checked out at its first save (\`taken\`), waits for the server (\`waiting\`), or could not be (\`refused\`) |
| \`lock.ending\` | \`{project_key, file, path, until, message}\` | a check-out of this person ends within a day |`

const pageHead = `# The API

Printed from \`contract/\` by \`npm run docs\`; change it there. Paths are below \`<address>${apiBase}\`, or \`<address>/w/<workspace>${apiBase}\`.
A request carries \`Authorization: Bearer <key>\`. Scopes: **read** a read key is enough, **write** a write key, **admin** a key of an owner or admin;
**none** no key is needed; **session** the cookie \`${sessionCookie}\` of someone who signed in on the dashboard, and for changes the header \`X-CSRF-Token\`;
**signed-in** a key of any scope, or such a session.
A body that is larger than its route takes, is nested deeper than ${limits.json.depth} levels, or weighs more than ${inWords(limits.json.weight)} (its bytes,
64 for each object, list and key, 24 for each comma) is 422 \`VALIDATION\`; none is taken compressed. Bodies are UTF-8;
a body in which nothing is required may be left out. Large bodies are worked on a few at a time, in a fair
order: one that has waited 10 seconds is 503 \`UNAVAILABLE\` with \`Retry-After: 5\`.
Errors are \`{"error": {"code", "message", "details"}}\`; refusals at the front door \`{"error": "<sentence>"}\`. The same as OpenAPI: \`/openapi.json\`.

Beside the API, below \`<address>\` and without a key: \`GET /install\` is the page that says how people get \`ph\`,
\`GET /install/version\` answers \`{version, sha256}\` of the client that fits this server, \`GET /install/prop-house.tgz\` that client, for npm.
Every answer names that version in the header \`X-PH-Client-Offered\`.
\`GET /healthz\` and \`GET /readyz\` say how the server is.`

function routeText(name: string, route: Route): string {
  const locations = inputLocations(route)
  const properties = (route.input?.properties ?? {}) as Record<string, Json>
  const required = new Set((route.input as { required?: string[] } | undefined)?.required ?? [])
  const rows = [
    ...locations.path.map((key) => [key, 'path']),
    ...locations.query.map((key) => [key, 'query']),
    ...locations.body.map((key) => [key, 'body']),
  ]
  const table = rows.map(
    ([key = '', location]) => `| \`${key}\` | ${location} | ${typeName(properties[key])} | ${required.has(key) ? 'yes' : ''} |`,
  )
  return [
    `### \`${route.method} ${route.path}\` (${route.scope})`,
    `${route.summary} \`${name}\`${route.extension ? ' (an extension)' : ''}`,
    ...(table.length > 0 ? [['| input | in | type | required |', '|---|---|---|---|', ...table].join('\n')] : []),
    ...(route.raw || locations.body.length > 0
      ? [`Body: ${route.raw ? (route.raw.types?.join(' or ') ?? 'raw bytes') : 'JSON'}, at most ${inWords(maxBodyBytes(route))}.`]
      : []),
    `Answers ${successStatus(route)}${route.created ? ' (201 when made new)' : ''}${route.output ? ` ${typeName(route.output as unknown as Json)}` : ''}.${
      route.errors?.length ? ` Errors: ${route.errors.map((code) => `\`${code}\``).join(', ')}.` : ''
    }`,
  ].join('\n\n')
}

/** A schema in a few words: the fields of an object with their types, those of objects inside it by name only. */
function typeName(schema: Json | undefined, inside = false): string {
  if (!schema) return ''
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => `\`${value}\``).join(' / ')
  const orNull = Array.isArray(schema.type) && schema.type.includes('null') ? ' or null' : ''
  if (schema.properties) {
    const fields = Object.entries(schema.properties as Record<string, Json>)
    const shown = fields.map(([key, value]) => (inside ? key : `${key}: ${typeName(value, true)}`)).join(', ')
    return inside ? `{${shown}}${orNull}` : `\`{${shown.replaceAll('`', '')}}\`${orNull}`
  }
  if (schema.items) return `list of ${typeName(schema.items as Json, inside)}${orNull}`
  return [schema.type ?? (schema.anyOf ? 'one of several objects' : 'any')].flat().join(' or ')
}
