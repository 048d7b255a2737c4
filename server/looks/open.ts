/** Which embedder a setting names. */
import { descriptor } from './descriptor/descriptor.ts'
import type { Embedder } from './embedder.ts'

/** A setting that names no embedder, or one that cannot start. The message says what would do. */
export class EmbedderError extends Error {
  override readonly name = 'EmbedderError'
}

/** `descriptor`, or `off`, for which there is none. Throws EmbedderError. */
export async function openEmbedder(setting: string): Promise<Embedder | undefined> {
  if (setting === 'off') return undefined
  if (setting === 'descriptor') return descriptor
  throw new EmbedderError(`The embedder is "${setting}"; it takes descriptor or off.`)
}
