/** Which embedder a setting names. */
import { descriptor } from './descriptor/descriptor.ts'
import type { Embedder } from './embedder.ts'
import { EmbedderError } from './embedder-error.ts'

/** Before the folder, which may be relative to where the server was started. */
const clipStart = 'clip:'

/**
 * Opens the one that a setting names:
 *
 * - `descriptor`: forms and colours; needs nothing else.
 * - `clip:<folder>`: the two models in a folder, in a thread of their own.
 * - `off`: none.
 *
 * Throws EmbedderError for any other setting, and where the models cannot be used; the message says what would do.
 */
export async function openEmbedder(setting: string): Promise<Embedder | undefined> {
  if (setting === 'off') return undefined
  if (setting === 'descriptor') return descriptor
  const folder = setting.startsWith(clipStart) ? setting.slice(clipStart.length) : ''
  if (folder === '') throw new EmbedderError(`The embedder is "${setting}"; it takes descriptor, off or clip:<model folder>.`)
  // Only who uses models loads what runs them.
  const { openClip } = await import('./clip/clip.ts')
  return openClip(folder)
}
