/** Holds every document that a test gets from `ph --json` against the schema of its command. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { TSchema } from 'typebox'
import { shapes } from '../../cli/documents/schemas/all.ts'
import { ErrorDocument, shape } from '../../cli/documents/schemas/shape.ts'

const ajv = new Ajv2020({ strict: false })
const compiled = new Map<TSchema, ValidateFunction>()
const errorLine = shape('{ error: ErrorDocument }', { ErrorDocument })

/** Fields that the schema does not name are mistakes here: it is to name all that there are. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed)
  if (typeof node !== 'object' || node === null) return node
  const own = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closed(value)]))
  return own.properties && own.additionalProperties === undefined ? { ...own, additionalProperties: false } : own
}

function hold(schema: TSchema, document: unknown, what: string): void {
  const validate = compiled.get(schema) ?? ajv.compile(closed(schema) as object)
  compiled.set(schema, validate)
  if (validate(document)) return
  const why = (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  )
  throw new Error(`${what} printed what its schema does not say: ${why.join('; ')}\n${JSON.stringify(document)?.slice(0, 2000)}`)
}

/** What shapes what is printed: then it is another document. */
const isShaped = (args: readonly string[]) => args.some((word) => /^--(jq|template|fields)(=|$)/.test(word))

/** Checks what was printed, whole or line by line. Other texts than JSON are the business of the test. */
export function checkDocuments(args: readonly string[], { stdout, stderr }: { stdout: string; stderr: string }): void {
  const end = args.indexOf('--')
  const typed = end === -1 ? args : args.slice(0, end)
  if (!typed.includes('--json') || isShaped(typed)) return
  const words = typed.filter((word) => !word.startsWith('-'))
  const name = [3, 2, 1].map((many) => words.slice(0, many).join(' ')).find((some) => Object.hasOwn(shapes, some))
  for (const line of stderr.split('\n').filter((one) => one.startsWith('{"error"'))) hold(errorLine, JSON.parse(line), 'An error')
  const schema = name === undefined ? undefined : shapes[name]
  if (schema) for (const document of documentsIn(stdout)) hold(schema, document, `ph ${name}`)
}

function documentsIn(stdout: string): unknown[] {
  if (stdout.trim() === '' || !/^[[{]/.test(stdout)) return []
  const isWhole = stdout.startsWith('{\n') || stdout.startsWith('[\n')
  return isWhole
    ? [JSON.parse(stdout)]
    : stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
}
