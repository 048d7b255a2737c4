/** Checks inputs against the contract: bodies as they are, query and path parameters turned from text into what the schema says. */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { TObject } from 'typebox'
import { ApiError, errors, type Failure, validationError } from '../contract/errors.ts'
import { type MetadataDoc, metadataDocFailure, metadataDocKeyword } from '../contract/metadata.ts'
import { inputLocations, type Route } from '../contract/route.ts'

/** `verbose`: errors carry the value, which is counted where there is too much of it. */
const ajv = new Ajv({ allowUnionTypes: true, strictRequired: false, verbose: true })
ajv.addKeyword({ keyword: metadataDocKeyword, type: 'object', schema: false, errors: true, validate: checkMetadataDoc })

/** What a schema of metadata documents cannot say. */
function checkMetadataDoc(doc: MetadataDoc): boolean {
  const message = metadataDocFailure(doc)
  checkMetadataDoc.errors = message === undefined ? [] : [{ message }]
  return message === undefined
}
checkMetadataDoc.errors = [] as { message: string }[]

interface Schema {
  type?: string | string[]
  items?: Schema
}

/** What a request carries, before it is checked. */
export interface Carried {
  params: Record<string, string | undefined>
  query: Record<string, string | string[] | undefined>
  body: unknown
}

/** What checks against the schema. It is compiled when something is first checked: hundreds of them at the start would delay it. */
function compiledLater(schema: TObject): (value: unknown) => ValidateFunction['errors'] {
  let check: ValidateFunction | undefined
  return (value) => {
    check ??= ajv.compile(schema)
    return check(value) ? null : (check.errors ?? [])
  }
}

/** The function gives the flat input of a route or fails with VALIDATION. */
export function inputReader(route: Route): (carried: Carried) => Record<string, unknown> {
  if (!route.input) return () => ({})
  const properties = route.input.properties as Record<string, Schema>
  const locations = inputLocations(route)
  const failuresOf = compiledLater(route.input)
  const required = (route.input as { required?: string[] }).required ?? []
  const needsBody = locations.body.some((key) => required.includes(key))
  return (carried) => {
    const body = carried.body as Record<string, unknown> | null | undefined
    if (route.lacking && locations.body.some((key) => required.includes(key) && (body?.[key] ?? null) === null))
      throw new ApiError(route.lacking)
    // Where nothing in it is required, no body is an empty one.
    const isRead = locations.body.length > 0 && (needsBody || carried.body !== undefined)
    const input: Record<string, unknown> = isRead ? { ...bodyObject(carried.body) } : {}
    for (const key of locations.path) input[key] = fromPath(route, properties[key], { key, text: carried.params[key] })
    for (const key of locations.query) {
      const value = carried.query[key]
      if (value === undefined) delete input[key]
      else input[key] = fromText(key, properties[key], value)
    }
    return requireValid(failuresOf, input)
  }
}

/**
 * A whole number that no id can be is an id that is unknown: the first 404 that the route names is about its path. Without any text it is
 * another path (`/entries/`).
 */
function fromPath(route: Route, schema: Schema | undefined, { key, text }: { key: string; text: string | undefined }): unknown {
  if (!text) throw new ApiError('NOT_FOUND', `The address has no ${key}.`)
  const value = fromText(key, schema, text)
  const unknown = schema?.type === 'integer' && Number.isInteger(value) && !(Number.isSafeInteger(value) && Number(value) > 0)
  if (unknown)
    throw new ApiError(
      route.errors?.find((code) => errors[code][0] === 404) ?? 'NOT_FOUND',
      `There is nothing with the id ${text}.`,
    )
  return value
}

/** The function gives an object that fits the schema or fails with VALIDATION. */
export function objectReader(schema: TObject): (value: unknown) => Record<string, unknown> {
  const failuresOf = compiledLater(schema)
  return (value) => requireValid(failuresOf, bodyObject(value))
}

function bodyObject(body: unknown): Record<string, unknown> {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Record<string, unknown>
  throw validationError([{ path: 'body', message: 'must be a JSON object' }])
}

function requireValid(failuresOf: ReturnType<typeof compiledLater>, input: Record<string, unknown>): Record<string, unknown> {
  const failures = failuresOf(input)
  if (!failures) return input
  throw validationError(failures.map(toFailure))
}

function toFailure({ keyword, params, instancePath, message, data }: ErrorObject): Failure {
  const missing = keyword === 'required' ? `/${params.missingProperty}` : ''
  const unknown = keyword === 'additionalProperties' ? `/${params.additionalProperty}` : ''
  const path = `${instancePath}${missing}${unknown}`.slice(1).replaceAll('/', '.') || 'body'
  if (missing) return { path, message: 'is required' }
  if (unknown) return { path, message: 'is not known here' }
  if (keyword === 'maxItems' && Array.isArray(data)) return tooMany(path, data.length, params.limit)
  return { path, message: keyword === 'enum' ? `${message}: ${params.allowedValues.join(', ')}` : String(message) }
}

const tooMany = (path: string, count: number, maximum: number): Failure => ({
  path,
  message: `holds ${count} items; at most ${maximum} are taken`,
  count,
  maximum,
})

/** A parameter as its schema wants it; what cannot be turned stays text and fails the check. */
function fromText(key: string, schema: Schema | undefined, value: string | string[] | undefined): unknown {
  if (schema?.type === 'array') return [value].flat().map((one) => fromText(key, schema.items, one))
  if (Array.isArray(value)) throw validationError([{ path: key, message: 'may be given once only' }])
  if (value?.includes('\0')) throw validationError([{ path: key, message: 'holds a NUL character; take it out' }])
  if (value === undefined) return undefined
  if (schema?.type === 'integer' && /^-?\d+$/.test(value)) return Number(value)
  if (schema?.type === 'number' && /^-?\d+(\.\d+)?$/.test(value)) return Number(value)
  if (schema?.type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true'
  return value
}

/**
 * Escapes of characters that no database keeps: NUL, and halves of surrogate pairs that may stand alone. And `__proto__`, also with
 * one of its letters as an escape: what is copied from such a key changes what its copy inherits.
 */
const suspicious = /\\u(?:0000|d[89a-f]|00(?:5f|6f|7[024]))|__proto__/i

/** Refuses what cannot be stored. `text` is the body as sent, in which a fast look tells whether the slow one is needed. */
export function requireStorable(text: string, body: unknown): void {
  if (!suspicious.test(text)) return
  const { isUnstorable, isPoisoned } = look(body)
  if (isPoisoned) throw validationError([{ path: 'body', message: 'holds the key __proto__; take it out' }])
  if (isUnstorable)
    throw validationError([{ path: 'body', message: 'holds text with a NUL character or half a surrogate pair; take it out' }])
}

/** Whether text in it cannot be stored. */
export const holdsUnstorable = (body: unknown): boolean => look(body).isUnstorable

const isUnstorableText = (text: string): boolean => text.includes('\0') || !text.isWellFormed()

/** Without recursion: a hostile body may be nested deeper than the stack. */
function look(body: unknown): { isUnstorable: boolean; isPoisoned: boolean } {
  const found = { isUnstorable: false, isPoisoned: false }
  const rest: unknown[] = [body]
  while (rest.length > 0) {
    const value = rest.pop()
    if (typeof value === 'string') found.isUnstorable ||= isUnstorableText(value)
    else if (Array.isArray(value)) for (const one of value) rest.push(one)
    else if (typeof value === 'object' && value !== null)
      for (const key of Object.keys(value)) {
        found.isUnstorable ||= isUnstorableText(key)
        found.isPoisoned ||= key === '__proto__'
        rest.push((value as Record<string, unknown>)[key])
      }
  }
  return found
}

/** For bodies of raw bytes that may be of certain types only. */
export function requireType(types: readonly string[], contentType: string | undefined): void {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase()
  if (type === undefined || !types.includes(type))
    throw validationError([{ path: 'body', message: `must be sent as ${types.join(' or ')}` }])
}
