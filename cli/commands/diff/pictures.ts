/** Both sides of a comparison as pictures: drawn alike where both can be drawn, else their thumbnails. */
import type { ComparedVersion } from '../../../client/compare/compare.ts'
import type { LocalFile } from '../../../client/compare/local-file.ts'
import type { Compared } from '../../../client/compare/sides.ts'
import type { SubjectSource } from '../../../previews/subjects/subject.ts'
import type { Context } from '../../context.ts'
import { sideName } from '../../entries/comparison-words.ts'
import { adornment, adornmentSignal, fetchDrawables, stemOf } from '../../entries/drawable.ts'
import type { Library } from '../../library.ts'
import { type Framed, showFramed } from '../../terminal/gallery.ts'
import { fetchPicture, pictureDrawing } from '../../terminal/pictures.ts'
import { drawStills } from '../../terminal/stills.ts'

type Side = ComparedVersion | LocalFile
type Around = { context: Context; library: Library }

/** They only adorn: what is gone, out of reach or too slow is left out. */
export async function drawBoth({ name, from, to }: Compared, around: Around): Promise<void> {
  const { context } = around
  if (!(await pictureDrawing(context, true))) return
  const sides = [from, to]
  const framed = (await drawnAlike(sides, name, around)) ?? (await Promise.all(sides.map((side) => thumbnail(side, around))))
  context.signal.throwIfAborted()
  if (framed.some(({ picture }) => picture)) await showFramed(context, framed)
}

/** Undefined where one of the two cannot be drawn, or is of another kind than the other. */
async function drawnAlike(sides: readonly Side[], name: string, around: Around): Promise<Framed[] | undefined> {
  const { context } = around
  const signal = adornmentSignal(context)
  try {
    const sources = (await sourcesOf(sides, name, { ...around, signal })).flatMap((source) => source ?? [])
    if (sources.length < sides.length) return undefined
    const stills = await drawStills(sources, { signal })
    if (new Set(stills.map(({ facts }) => facts.kind)).size !== 1) return undefined
    return stills.map(({ png }, at) => ({ picture: png, caption: captionOf(sides[at]) }))
  } catch {
    context.signal.throwIfAborted()
    return undefined
  }
}

const captionOf = (side: Side | undefined): string => (side ? sideName(side) : '')

async function sourcesOf(
  sides: readonly Side[],
  name: string,
  { context, library, signal }: Around & { signal: AbortSignal },
): Promise<(SubjectSource | undefined)[]> {
  const versions = sides.filter((side) => side.file === null)
  const asked = versions.map((side) => ({ ...side, stem: stemOf({ origin_path: side.origin_path, name }) }))
  const fetched = await fetchDrawables(context, library, { versions: asked, bounds: { ...adornment, signal } })
  return sides.map((side) => ('path' in side ? localSource(side) : fetched[versions.indexOf(side)]))
}

const localSource = ({ path, blob_size }: LocalFile): SubjectSource | undefined =>
  blob_size <= adornment.file ? { path } : undefined

async function thumbnail(side: Side, { context: { signal }, library }: Around): Promise<Framed> {
  const { thumbnail_artifact_id: id } = side
  const asked = 'picture' in side ? side.picture() : id === null ? undefined : fetchPicture(library, id, { signal })
  return { picture: await asked?.catch(() => undefined), caption: sideName(side) }
}
