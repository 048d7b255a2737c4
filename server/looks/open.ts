/** Which embedder a setting names. */
import { descriptor } from './descriptor/descriptor.ts'
import type { Embedder } from './embedder.ts'
import { EmbedderError } from './embedder-error.ts'

const clipStart = 'clip:'

/**
 * `descriptor`; `clip:<folder>` for the models in a folder; `off`, for which there is none. Throws EmbedderError for any other setting, and
 * where the models cannot be used.
 */
export async function openEmbedder(setting: string): Promise<Embedder | undefined> {
  if (setting === 'off') return undefined
  if (setting === 'descriptor') return descriptor
  const folder = setting.startsWith(clipStart) ? setting.slice(clipStart.length) : ''
  if (folder === '') throw new EmbedderError(`The embedder is "${setting}"; it takes descriptor, off or clip:<model folder>.`)
  const { openClip } = await import('./clip/clip.ts')
  return openClip(folder)
}
