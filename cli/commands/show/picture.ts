/** The best picture of an entry: drawn from its preview, else its thumbnail, else drawn from its file where that is small. */
import type { EntryDetail } from '../../../contract/entries.ts'
import type { SubjectFacts } from '../../../previews/subjects/subject.ts'
import type { Context } from '../../context.ts'
import { adornment, adornmentSignal, canBeDrawn, drawableOf, fetchDrawables } from '../../entries/drawable.ts'
import type { Library } from '../../library.ts'
import { fetchThumbnails } from '../../terminal/pictures.ts'
import { drawStills } from '../../terminal/stills.ts'

export interface EntryPicture {
  bytes: Uint8Array | undefined
  /** Of what was drawn. */
  facts?: SubjectFacts
  /** Why there is no picture, where there could be one. */
  without?: string
}

/** Pictures only adorn: what takes too long, or cannot be read, is done without. */
export async function entryPicture(context: Context, library: Library, entry: EntryDetail): Promise<EntryPicture> {
  const hasPreview = entry.preview_status === 'ready' && entry.preview_artifact_id !== null
  if (hasPreview && !library.isOffline) {
    const drawn = await drawEntry(context, library, entry)
    if (drawn) return drawn
  }
  if (entry.has_thumbnail) {
    const bytes = (await fetchThumbnails(context, library, [entry.id])).get(entry.id)
    if (bytes) return { bytes }
  }
  if (library.isOffline || !canBeDrawn(entry)) return { bytes: undefined }
  const drawn = hasPreview ? undefined : await drawEntry(context, library, entry)
  return drawn ?? { bytes: undefined, without: 'It has no picture, and none could be drawn of it.' }
}

async function drawEntry(context: Context, library: Library, entry: EntryDetail): Promise<EntryPicture | undefined> {
  const signal = adornmentSignal(context)
  try {
    const [source] = await fetchDrawables(context, library, { versions: [drawableOf(entry)], bounds: { ...adornment, signal } })
    const [still] = source ? await drawStills([source], { signal }) : []
    return still && { bytes: still.png, facts: still.facts }
  } catch {
    context.signal.throwIfAborted()
    return undefined
  }
}

/** What was seen fills in what nobody measured before. */
export function withMeasures(entry: EntryDetail, facts: SubjectFacts): EntryDetail {
  const { metadata } = entry
  if (facts.kind === 'sound' && metadata.audio_duration === null)
    return { ...entry, metadata: { ...metadata, audio_duration: facts.seconds } }
  if (facts.kind === 'picture' && metadata.texture_width === null && metadata.texture_height === null)
    return { ...entry, metadata: { ...metadata, texture_width: facts.width, texture_height: facts.height } }
  return entry
}
