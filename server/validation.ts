/** Checks inputs against the contract: bodies as they are, query and path parameters turned from text into what the schema says. */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { ApiError, validationError } from '../contract/errors.ts'
import { inputPlaces, type Route } from '../contract/route.ts'

const ajv = new Ajv({ allowUnionTypes: true, strictRequired: false })

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

/** Compiles a route's input once; the function gives the flat input or fails with VALIDATION. */
export function inputReader(route: Route): (carried: Carried) => Record<string, unknown> {
  if (!route.input) return () => ({})
  const properties = route.input.properties as Record<string, Schema>
  const places = inputPlaces(route)
  const check = ajv.compile(route.input)
  return (carried) => {
    const input: Record<string, unknown> = places.body.length > 0 ? { ...bodyObject(carried.body) } : {}
    for (const key of places.path) input[key] = fromText(key, properties[key], carried.params[key])
    for (const key of places.query) {
      const value = carried.query[key]
      if (value === undefined) delete input[key]
      else input[key] = fromText(key, properties[key], value)
    }
    return requireValid(check, input)
  }
}

function bodyObject(body: unknown): Record<string, unknown> {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Record<string, unknown>
  throw validationError([{ path: 'body', message: 'must be a JSON object' }])
}

function requireValid(check: ValidateFunction, input: Record<string, unknown>): Record<string, unknown> {
  if (check(input)) return input
  throw validationError((check.errors ?? []).map(toFailure))
}

function toFailure(error: ErrorObject): { path: string; message: string } {
  const missing = error.keyword === 'required' ? `/${error.params.missingProperty}` : ''
  const unknown = error.keyword === 'additionalProperties' ? `/${error.params.additionalProperty}` : ''
  const path = `${error.instancePath}${missing}${unknown}`.slice(1).replaceAll('/', '.')
  const message = missing ? 'is required' : unknown ? 'is not known here' : String(error.message)
  return {
    path: path || 'body',
    message: error.keyword === 'enum' ? `${message}: ${error.params.allowedValues.join(', ')}` : message,
  }
}

/** A parameter as its schema wants it; what cannot be turned stays text and fails the check. */
function fromText(key: string, schema: Schema | undefined, value: string | string[] | undefined): unknown {
  if (schema?.type === 'array') return [value].flat().map((one) => fromText(key, schema.items, one))
  if (Array.isArray(value)) throw validationError([{ path: key, message: 'may be given once only' }])
  if (value === undefined) return undefined
  if ((schema?.type === 'integer' || schema?.type === 'number') && /^-?\d+(\.\d+)?$/.test(value)) return Number(value)
  if (schema?.type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true'
  return value
}

/** JSON bodies are parsed here, not by Fastify, so that a broken one is a VALIDATION like every other. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text, (key, value) => (key === '__proto__' ? undefined : value))
  } catch (error) {
    throw new ApiError('VALIDATION', `The body is not JSON: ${error instanceof Error ? error.message : error}`, {
      errors: [{ path: 'body', message: 'is not JSON' }],
    })
  }
}
