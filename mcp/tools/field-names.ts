/** The contract's own names of fields: the only words of an answer that may be said outside of it. People write keys, too. */
import { allRoutes } from '../../contract/index.ts'
import { allTools } from './selection.ts'

/** Below it keys are what people write (spec 3.1). */
const written = 'ext'
/** The answer itself. */
const whole = 'answer'

let known: ReadonlySet<string> | undefined

/** Where something lies in an answer, in the contract's own names: it goes no further than the first key that is not one of them. */
export class FieldPath {
  static readonly root = new FieldPath('', false)
  readonly #text: string
  readonly #isEnd: boolean

  private constructor(text: string, isEnd: boolean) {
    this.#text = text
    this.#isEnd = isEnd
  }

  below(key: string): FieldPath {
    if (this.#isEnd) return this
    known ??= fieldNames()
    if (!known.has(key)) return new FieldPath(this.#text, true)
    return new FieldPath(this.#text === '' ? key : `${this.#text}.${key}`, key === written)
  }

  toString(): string {
    return this.#text || whole
  }
}

function fieldNames(): Set<string> {
  const names = new Set<string>()
  for (const [, , { input, output }] of allRoutes) for (const schema of [input, output]) addNames(schema, names)
  for (const { output } of allTools) addNames(output, names)
  return names
}

/** Names of properties stand below `properties`; a schema has no other objects that hold some. */
function addNames(schema: unknown, names: Set<string>): void {
  if (typeof schema !== 'object' || schema === null) return
  for (const [key, inner] of Object.entries(schema)) {
    if (key === 'properties') for (const name of Object.keys(inner)) names.add(name)
    addNames(inner, names)
  }
}
