/** What is wrong with a form, in sentences that stand beside its fields: by the contract's rules, or by what an action refused. */
import { Ajv } from 'ajv'
import type { Static, TObject } from 'typebox'
import { ApiError, type ErrorCode } from '../../contract/errors.ts'
import type { Problem } from './views/parts/fields.tsx'

/** Unlike for programs, everything that is wrong is said at once. */
const ajv = new Ajv({ allErrors: true, allowUnionTypes: true })

/** One sentence for each field, whatever is wrong with it. */
type Sentences<S extends TObject> = Record<keyof Static<S> & string, string>

export function formCheck<S extends TObject>(schema: S, sentences: Sentences<S>): (values: Static<S>) => Problem[] {
  const check = ajv.compile(schema)
  const names = Object.keys(sentences) as (keyof Sentences<S>)[]
  return (values) => {
    check(values)
    const wrong = new Set(check.errors?.map(({ instancePath, params }) => instancePath.slice(1) || params.missingProperty))
    return names.filter((name) => wrong.has(name)).map((name) => ({ field: name, message: sentences[name] }))
  }
}

/** How a form comes back. */
export interface Returned {
  problems: Problem[]
  status: number
  headers?: Record<string, string>
}

export const returned = (problems: Problem[]): Returned => ({ problems, status: 422 })

/** Says what an action refused beside the field that its code belongs to, or above all fields. Other errors go on their way. */
export function refused(error: unknown, fields: Partial<Record<ErrorCode, string | null>>): Returned {
  if (!(error instanceof ApiError) || !(error.code in fields)) throw error
  const field = fields[error.code]
  const wait = error.details.retry_after_seconds
  return {
    problems: [{ ...(field ? { field } : {}), message: error.message }],
    status: error.status,
    ...(typeof wait === 'number' ? { headers: { 'Retry-After': String(wait) } } : {}),
  }
}
