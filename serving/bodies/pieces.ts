/** A large input in pieces of text, each small enough to be read in a moment: what threads hand to each other. */

/** JSON text: of what the key holds, or, where that is a list, of its next elements. */
export interface Piece {
  key: string
  isList: boolean
  text: string
}

interface Schema {
  properties?: Record<string, Schema>
  /** `true`: it takes whatever it is given. */
  additionalProperties?: boolean | Schema
  items?: Schema
}

/** Read in some three milliseconds, whatever it holds. */
const pieceChars = 64 * 1024

/** Without what the schema does not know: nobody would look at it. */
export function* piecesOf(schema: Schema, input: Record<string, unknown>): Generator<Piece> {
  for (const [key, value] of Object.entries(input)) {
    const known = schema.properties?.[key]
    if (known && Array.isArray(value)) yield* listPieces(key, known.items, value)
    else if (known && value !== undefined) yield { key, isList: false, text: JSON.stringify(knownOf(known, value)) }
  }
}

function* listPieces(key: string, schema: Schema | undefined, list: readonly unknown[]): Generator<Piece> {
  let [texts, chars]: [string[], number] = [[], 0]
  const piece = (): Piece => ({ key, isList: true, text: `[${texts.join()}]` })
  for (const one of list) {
    const text = JSON.stringify(knownOf(schema, one))
    if (texts.length > 0 && chars + text.length > pieceChars) {
      yield piece()
      ;[texts, chars] = [[], 0]
    }
    texts.push(text)
    chars += text.length
  }
  yield piece()
}

function knownOf(schema: Schema | undefined, value: unknown): unknown {
  const { properties, additionalProperties, items } = schema ?? {}
  if (Array.isArray(value)) return items ? value.map((one) => knownOf(items, one)) : value
  if (!properties || typeof value !== 'object' || value === null) return value
  const known: Record<string, unknown> = {}
  for (const [key, child] of Object.entries(value)) {
    const childSchema = Object.hasOwn(properties, key) ? properties[key] : additionalProperties
    if (childSchema) known[key] = childSchema === true ? child : knownOf(childSchema, child)
  }
  return known
}

/** Puts a piece to those that came before. */
export function join(input: Record<string, unknown>, { key, isList, text }: Piece): void {
  const value: unknown = JSON.parse(text)
  const before = input[key]
  if (isList && Array.isArray(before)) for (const one of value as unknown[]) before.push(one)
  else input[key] = value
}
